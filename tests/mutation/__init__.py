"""Mutation testing of the rules, and the lines that the tests reach."""
