"""Configuration, folder, loop and evaluation of a run."""
