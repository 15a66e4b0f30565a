"""Kills and damaged files; DIAMANT_TEST_SCALE multiplies the number of trials."""
