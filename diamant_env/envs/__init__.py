"""Shared parts of the environment APIs. Private."""
