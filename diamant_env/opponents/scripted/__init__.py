"""The scripted families."""
