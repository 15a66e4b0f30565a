"""Pages, pictures and paper outputs of the benchmark."""
