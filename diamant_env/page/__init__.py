"""Stateless web server of ``diamant page``: each request carries the game."""
