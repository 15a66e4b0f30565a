"""Page and pictures of the benchmark."""
