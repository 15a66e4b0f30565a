"""What is measured: the engine and the C reference."""
