"""What is measured: the engine, the C reference, one-game views and other environments."""
