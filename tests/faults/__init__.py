"""Kills while writing and damaged policy files; DIAMANT_TEST_SCALE multiplies the latter."""
