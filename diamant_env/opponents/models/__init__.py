"""Models of stable-baselines3 and torch as agents and as policy files."""
