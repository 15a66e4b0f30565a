"""What a run is given and what it leaves behind."""
