"""Shared helpers of the tests: oracle, games of chosen cards, requests."""
