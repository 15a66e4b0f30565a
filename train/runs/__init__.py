"""Configuration, folder, judging and model card of a run."""
