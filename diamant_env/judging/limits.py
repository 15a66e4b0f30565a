"""How large a number may be that somebody gives: more than anybody needs, and less than breaks something."""

MAX_GAMES = 100_000_000
"""Games of one measurement, which takes up to 60 bytes for each."""
MAX_DECISIONS = 10**12
"""Of a run: four months at a hundred thousand a second."""
MAX_ROLLOUT = 10_000_000
"""Games played side by side times turns of a rollout: each seat of each takes about 400 bytes."""
