"""Benchmark: tasks, algorithms, runs and page."""
