"""The compiled loops over many games, and what guards them. Private."""
