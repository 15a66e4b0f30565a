"""Models of other libraries as agents, and their export."""
