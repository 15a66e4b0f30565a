"""Best-response search."""
