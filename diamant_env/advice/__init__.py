"""Advice to people: the odds, a hint before a decision, a review after the game."""
