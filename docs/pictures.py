"""Makes docs/pictures/: one picture of each phase of a game, from chosen decks. Run: python docs/pictures.py."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from diamant_env.diamant_v0 import parallel_env

FOLDER = Path(__file__).parent / "pictures"


@dataclass(frozen=True)
class Phase:
    """A moment of a game: cards in their order, the seats that leave at each turn, players, options of the env."""

    deck: tuple[int | str, ...]
    leavers: tuple[tuple[int, ...], ...] = ()
    players: int = 4
    options: dict[str, Any] = field(default_factory=dict)


_GO_ON: tuple[int, ...] = ()
PHASES = {
    "start": Phase((11,)),
    "treasure": Phase((11, "snake", 17), (_GO_ON, _GO_ON)),
    "trap": Phase((11, "snake", 17, "lava pit"), (_GO_ON, _GO_ON, (2,))),
    "relic": Phase((11, "snake", 17, "relic"), (_GO_ON,) * 3),
    "decisions": Phase((11, "snake", 17, "relic", 7), (_GO_ON, _GO_ON, _GO_ON, (0, 3))),
    "alone_with_relic": Phase((11, "snake", 17, "relic", "boulder", 14), (_GO_ON, _GO_ON, (1,), _GO_ON, (2,))),
    "bust": Phase((11, "snake", 17, "spider", 7, "snake", 15), (_GO_ON, _GO_ON, (0,), _GO_ON, _GO_ON)),
    "everyone_back": Phase((9, "battering ram", 13, 5), (_GO_ON, (1, 2), (0, 3))),
    "eight_players": Phase(
        (17, "relic", "spider", 13, "boulder", 15, "lava pit", 4, 7, 14, "relic", 11, "snake", 2),
        (_GO_ON, _GO_ON, (5,), _GO_ON, (0, 7), *[_GO_ON] * 5, (2,), _GO_ON, (4, 6)),
        players=8,
    ),
    "hidden_chests": Phase((11, "snake", 17, 5), (_GO_ON, (2,), (0,)), options={"hidden_chests": True}),
    "game_over": Phase(
        (11, 17, 9, "spider", "spider", 15, 14, "relic"),
        ((0, 1, 2), (3,), (0, 1, 2, 3), _GO_ON, (0, 1, 2, 3), (1, 2, 3), (0,)),
    ),
}


def picture_of(phase: Phase) -> NDArray[np.uint8]:
    """Play to this moment and return the picture, uint8 (height, width, 3)."""
    env = parallel_env(num_players=phase.players, render_mode="rgb_array", **phase.options)
    env.reset(seed=0, options={"deck": list(phase.deck)})
    for leavers in phase.leavers:
        env.step({agent: int(seat in leavers) for seat, agent in enumerate(env.possible_agents)})
    return env.render()  # type: ignore[return-value]


def main(folder: Path = FOLDER) -> None:
    """Write a PNG of each phase."""
    folder.mkdir(exist_ok=True)
    for name, phase in PHASES.items():
        Image.fromarray(picture_of(phase)).quantize(192, dither=Image.Dither.NONE).save(
            folder / f"{name}.png", optimize=True
        )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
