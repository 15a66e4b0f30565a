"""An example agent, and the model cards of the shipped policies."""
