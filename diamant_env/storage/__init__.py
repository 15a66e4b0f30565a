"""What is read from disk and written to it."""
