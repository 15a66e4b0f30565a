"""Kills and damaged files; DIAMANT_TEST_SCALE multiplies the damaged ones."""
