"""Reading from disk and writing to it."""
