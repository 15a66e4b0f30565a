"""Mutation testing of rules, rewards and observation."""
