"""An example agent, and the cards of the shipped policies."""
