"""The search for a best response."""
