"""What helps a person to decide: the odds, a hint before a decision, a review after the game."""
