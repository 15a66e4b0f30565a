"""Kills and damaged files; DIAMANT_TEST_SCALE=100 tries a hundred times more."""
