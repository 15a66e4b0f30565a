"""Advice for players: odds, hints and reviews."""
