"""Configuration, folder, evaluation and model card of a run."""
