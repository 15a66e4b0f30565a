"""Rendering of games as text, as pictures and in a window."""
