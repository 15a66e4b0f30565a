"""Self-play on decisions."""
