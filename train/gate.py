"""Ask whether a policy gives away less than another one: ``python -m train.gate CANDIDATE``.

It decides by a sequential probability ratio test (Wald: Sequential analysis, 1947), as chess engines are tested: games
are played until the difference is clear, few where it is large. It holds for one question. Who tries many candidates
finds one in twenty by chance.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional, arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.games import children, seeds_for
from diamant_env.judging.intervals import mean_of_tables
from diamant_env.judging.tables import estimate_text
from train.responding.config import LookaheadConfig
from train.responding.lookahead import no_lookahead, prepare

COMMAND = "python -m train.gate"
ERROR = 0.05
"""Chance of either wrong answer."""
LEAST = 512
"""Games before the variance is trusted."""
ANSWERS = {True: "the candidate gives away less", False: "not less", None: "undecided"}


@dataclass(frozen=True)
class Arguments:
    """Play until it is clear whether a search gains less from a candidate than from the champion."""

    candidate: Annotated[str, arg(metavar="AGENT"), Positional]
    """A run folder, a policy file or an agent's name."""
    champion: str = "champion"
    """Whom it may replace."""
    players: tuple[int, ...] = (3, 4)
    """Table sizes, each a test of its own."""
    edition: str = "iello-2016"
    less: float = 0.005
    """What counts as less, in win share."""
    games: int = 20_000
    """At most so many at each table size."""
    batch: int = 256
    """Games between two looks."""
    pairs: int = 64
    """Roll-outs of each choice that decide, and as many that value."""
    seed: int = 0


def decide(differences: NDArray[np.float64], less: float) -> bool | None:
    """Return whether the mean is `less` and not 0, or None as long as that is open.

    Args:
        differences: float64 (games,), the champion's loss less the candidate's.
        less: The mean that counts as less.
    """
    if len(differences) < LEAST:
        return None
    ratio = len(differences) * less * (differences.mean() - less / 2) / differences.var(ddof=1)
    limit = math.log((1 - ERROR) / ERROR)
    return None if abs(ratio) < limit else bool(ratio > 0)


def compare(arguments: Arguments, players: int) -> bool | None:
    """Play at one table size and print; return whether the candidate gives away less, None if that stays open."""
    config = LookaheadConfig(pairs=arguments.pairs, value_pairs=arguments.pairs, full_games=2)
    both = arguments.champion, arguments.candidate
    games = [DeviationGame(name, players, arguments.edition, "win") for name in both]
    for game in games:
        if why := no_lookahead(game, config):
            raise ValueError(f"no search looks ahead against {game.agent}: {why}")
    own, others, playing = children(seeds_for(arguments.seed, "gate", players), 3)
    measures = [prepare(game, config, *children(part, 2))[0] for game, part in zip(games, (own, others), strict=True)]
    lost = np.zeros((2, 0))
    less = None
    for seeds in children(playing, math.ceil(arguments.games / arguments.batch)):
        new = np.stack([measure(arguments.batch, seeds).summed.totals for measure in measures])
        lost = np.concatenate([lost, new], axis=1)
        less = decide(lost[0] - lost[1], arguments.less)
        if less is not None:
            break
    number = lost.shape[1]
    for name, sums in zip(both, lost, strict=True):
        figure = estimate_text(mean_of_tables(sums, np.ones(number)), 4)
        say(f"{players} players: {name} gives away {figure}")
    say(f"{players} players: {ANSWERS[less]} after {number:,} games")
    return less


def gate(arguments: Arguments) -> None:
    """Compare at all table sizes.

    Raises:
        ValueError: If a setting is out of range or a search can't play against the agents.
    """
    for name, least in (("less", 1e-4), ("games", LEAST), ("batch", 1), ("players", 1)):
        given = len(arguments.players) if name == "players" else getattr(arguments, name)
        if not given >= least:
            raise ValueError(f"{name}={given}; at least {least} is needed")
    found = [compare(arguments, players) for players in arguments.players]
    say("It may replace the champion." if all(found) else "It may not replace the champion.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: gate(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
