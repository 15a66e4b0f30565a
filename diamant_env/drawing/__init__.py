"""Rendering of the table as text, as a picture or in a window."""
