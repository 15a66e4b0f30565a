"""Compiled loops over games and validation of their arguments. Private."""
