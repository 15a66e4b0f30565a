"""Plays the recorded games of agents anew: ``python -m tests.records.games.make``; those by hand stay as they are.

The games stand in the repository to notice when a game of theirs changes: make them anew only if that was meant.
"""

from __future__ import annotations

from pathlib import Path

from diamant_env.opponents import make
from diamant_env.records.text import TextReader
from tests.support.record import record_of


def main() -> None:
    """Let the agents of each head play its edition from its seed."""
    for file in Path(__file__).parent.glob("*-seed-*.txt"):
        head = TextReader(file.read_text(encoding="utf-8"), file.name).fields
        agents = [make(name, head["seed"]) for name in head["names"]]
        record_of(agents, head["edition"], head["seed"]).write(file)


if __name__ == "__main__":
    main()
