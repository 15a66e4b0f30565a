"""Agents that need no training: one to start from; the shipped policies' model cards."""
