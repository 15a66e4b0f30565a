"""The benchmark: tasks, algorithms, runs and their page."""
