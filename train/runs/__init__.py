"""Configuration, folder and evaluation of a run."""
