"""Reference implementation to compare the engine with."""
