"""Rendering of a game as text, as a picture or in a window."""
