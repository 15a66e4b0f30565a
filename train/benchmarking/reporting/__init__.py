"""Pages, pictures and outputs for a paper from the results of the benchmark."""
