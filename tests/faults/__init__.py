"""`make faults`: one bounded campaign that tries to break what users rely on; docs/reliability.md has what it found."""
