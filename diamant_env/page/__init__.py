"""Web server of ``diamant page``. It is stateless: each request carries the game."""
