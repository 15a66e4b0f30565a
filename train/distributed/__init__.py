"""The same training on Ray."""
