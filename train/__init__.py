"""Training and judging of agents."""
