"""One short recipe per library; docs/libraries.md has the table, examples/run_all.py runs them all."""
