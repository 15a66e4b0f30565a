"""Rivals of the engine."""
