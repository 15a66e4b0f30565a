"""What several tests use: the oracle, chosen decks, digests."""
