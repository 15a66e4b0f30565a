"""Games between agents, and what they say about who plays well."""
