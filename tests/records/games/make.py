"""Makes the recorded games that agents play: ``python -m tests.records.games.make``; those by hand are not made here.

The games stand in the repository to notice when a game of theirs changes: make them anew only if that was meant.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from diamant_env import Edition
from diamant_env.opponents import make
from diamant_env.records.recorder import record_of
from tests.support.play import ODD

FOLDER = Path(__file__).parent
OWN = replace(ODD, name="a box of mud & wind", traps=("mud", "strong wind"), source="nobody sells it")
# Edition, seed, hidden chests (None: as the edition says), agents.
GAMES: list[tuple[str | Edition, int, bool | None, str]] = [
    ("iello-2016", 1, None, "ev"),
    ("iello-2016", 2, None, "ev bag:18 catch-up traps:2 random follow oppose solo-grab"),
    ("iello-2016", 2026, None, "bag:12 bag:18 bag:24"),
    ("iello-2016-fr", 3, None, "bag-or-traps:18,3 cards:5 continue oppose"),
    ("iello-2016-fr", 4, True, "traps:3 follow ev random:0.2 bag:15"),
    ("iello-2016-fr-relics", 5, None, "solo-grab ev cards:7"),
    ("iello-2016-fr-relics", 6, None, "random:0.1 random:0.2 random:0.3 random:0.4 random:0.1 random:0.2"),
    ("everdeck", 7, None, "mixture:10,20 ev-others-stay follow bag:18 catch-up traps:3 cards:6"),
    ("everdeck-relics", 8, None, "solo-grab:4,13 random:0.25"),
    ("everdeck-relics", 9, None, "ev catch-up mixture:5,30 oppose"),
    ("schmidt-2005", 10, None, "continue continue continue"),
    ("schmidt-2005", 18446744073709551615, True, "ev bag:18 traps:2 random:0.15"),
    ("incan-gold", 12, None, "solo-grab ev cards:4 follow random:0.3"),
    ("incan-gold", 13, False, "catch-up oppose bag:18"),
    (OWN, 14, None, "ev bag:20 random:0.3 traps:2"),
]


def main() -> None:
    """Play the games and write them."""
    for edition, seed, hidden, agents in GAMES:
        name = "own" if isinstance(edition, Edition) else edition
        players = [make(text, seed) for text in agents.split()]
        record_of(players, edition, seed, hidden).write(FOLDER / f"{name}-{len(players)}-players-seed-{seed}.txt")


if __name__ == "__main__":
    main()
