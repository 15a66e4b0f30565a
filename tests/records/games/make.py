"""Generator of the recorded games of agents: ``python -m tests.records.games.make``."""

from __future__ import annotations

from pathlib import Path

from diamant_env.opponents import make
from diamant_env.records.text import TextReader
from tests.support.record import record_of


def main() -> None:
    """Play each recorded game's edition from its seed."""
    for file in Path(__file__).parent.glob("*-seed-*.txt"):
        head = TextReader(file.read_text(encoding="utf-8"), file.name).fields
        agents = [make(name, head["seed"]) for name in head["names"]]
        record_of(agents, head["edition"], head["seed"]).write(file)


if __name__ == "__main__":
    main()
