"""Pages and pictures of the benchmark."""
