"""A page to play in: the server behind ``diamant page``. It keeps nothing that matters: the page holds the game."""
