"""Files: reading, writing and formats of results."""
