"""Exact values and best responses of small whole games, for any reward and with all public information."""
