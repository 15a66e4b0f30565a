"""Command line `diamant`."""
