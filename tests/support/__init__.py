"""Shared helpers of the tests: oracle, scripted decks, requests."""
