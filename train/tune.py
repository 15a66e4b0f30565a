"""Tune the scripted families and choose the two pools: ``python -m train.tune --help``.

Every member of a pool is tuned by its win share at 4-seat tables with three distinct other members, which are tuned
in turn, for a few rounds. All candidates of a member meet the same opponents in the same seats. What was picked on
some games is reported on fresh ones.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tyro
from numpy.typing import NDArray

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.engine.arguments import whole_number
from diamant_env.judging.games import MAX_GAMES, Played, number_of_tables, play, seeds_for
from diamant_env.judging.lineups import deal, seat_with
from diamant_env.opponents.registry import DATA
from diamant_env.storage.files import write_whole

COMMAND = "python -m train.tune"
SEATS = 4
MIXTURE_SPREAD = 8  # gems between its lowest and highest threshold, at the least
DESCRIPTIONS = {
    "pool": "Scripted opponents for training and for evaluation.",
    "held_out": "Scripted opponents of other families than those of the pool, for evaluation only.",
}


# A family and the values that each of its parameters may take. The first member of a family gives its default; a second
# one is of another style, by other values.
MEMBERS: dict[str, list[tuple]] = {
    "pool": [
        ("random", (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)),
        ("continue",),
        ("cards", range(2, 12)),
        ("bag", range(4, 22)),
        ("bag", range(2, 8)),
        ("traps", range(1, 5)),
        ("ev", (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3)),
        ("ev", (0,)),
        ("solo-grab", (*range(3, 12), 15), range(7, 22, 2)),
        ("mixture", range(2, 13, 2), range(10, 25, 2)),
    ],
    "held_out": [
        ("bag-or-traps", range(4, 22, 2), range(2, 5)),
        ("ev-others-stay", (0, 0.1, 0.2, 0.3, 0.4)),  # one that expects all to stay would be ev:1
        ("ev-others-stay", (0.5, 0.6, 0.7)),
        ("catch-up", range(6, 23, 2), (0.25, 0.5, 0.75)),
        ("catch-up", range(6, 23, 2), (1, 1.25)),
        ("follow", (1, 2), range(6, 23, 2)),
        ("follow", (2, 3), range(6, 23, 2)),
        ("oppose", range(2, 17), (1, 2, 3, 4, 6)),
    ],
}


def candidates_of(family: str, *values: Sequence[float]) -> list[str]:
    """Return the texts of all agents of a family with these values of its parameters."""
    combinations = [some for some in itertools.product(*values) if some]
    if family == "mixture":
        combinations = [(low, high) for low, high in combinations if high - low >= MIXTURE_SPREAD]
    return [f"{family}:{','.join(f'{number:g}' for number in some)}" for some in combinations] or [family]


@dataclass
class Settings:
    """How to tune.

    Attributes:
        seed: Of everything random.
        rounds: How often each member is tuned, against the others as they are by then.
        games: Games of each candidate, of which the better third then plays four times as many.
        report_games: Fresh games at tables of each finished pool.
        write: Replace the files in configs/pools by the pools found.
    """

    seed: int = 1
    rounds: int = 3
    games: int = 2_000
    report_games: int = 100_000
    write: bool = False


def means(played: Played, values: NDArray, agents: int) -> NDArray[np.float64]:
    """Return the mean of values (games, seats) for each agent, float64 (agents,)."""
    who = played.seating[played.tables].ravel()
    return np.bincount(who, values.ravel(), agents) / np.bincount(who, minlength=agents)


def win_shares(
    candidates: list[str], others: list[str], games: int, seeds: np.random.SeedSequence
) -> NDArray[np.float64]:
    """Return the win share of each candidate in `games` games or a few more, against all triples of distinct others."""
    rivals = np.array(list(itertools.combinations(range(len(others)), SEATS - 1)))
    one = seat_with(rivals + 1)
    seating = np.concatenate([np.where(one == 0, place, one - 1 + len(candidates)) for place in range(len(candidates))])
    games_per_table = math.ceil(games / len(rivals))
    played = play([*candidates, *others], seating, games_per_table * len(seating), seeds)
    return means(played, played.shares, len(candidates) + len(others))[: len(candidates)]


def pick(candidates: list[str], others: list[str], games: int, seeds: np.random.SeedSequence) -> str:
    """Return the candidate that wins most: all play, then the better third plays four times as many fresh games."""
    first, second = seeds.spawn(2)
    shares = win_shares(candidates, others, games, first)
    better = [candidates[place] for place in np.argsort(shares)[::-1][: math.ceil(len(candidates) / 3)]]
    return better[int(np.argmax(win_shares(better, others, 4 * games, second)))]


def tune_pool(pool: str, settings: Settings) -> list[str]:
    """Return the members' texts after tuning each against the others, round after round."""
    families = [candidates_of(*member) for member in MEMBERS[pool]]
    texts = [family[len(family) // 2] for family in families]
    for round_number in range(1, settings.rounds + 1):
        for place, family in enumerate(families):
            others = texts[:place] + texts[place + 1 :]
            candidates = [text for text in family if text not in others]
            if len(candidates) > 1:
                seeds = seeds_for(settings.seed, "tune", pool, round_number, place)
                texts[place] = pick(candidates, others, settings.games, seeds)
        say(f"round {round_number}: {'  '.join(texts)}")
    return texts


def play_pool(texts: list[str], games: int, seeds: np.random.SeedSequence) -> Played:
    """Play tables of distinct members, all seated equally often."""
    play_seeds, seat_seeds = seeds.spawn(2)
    seating = deal(number_of_tables(games, SEATS), SEATS, len(texts), np.random.default_rng(seat_seeds))
    return play(texts, seating, games, play_seeds)


def pool_file(pool: str, texts: list[str], played: Played, seed: int) -> str:
    """Return the text of a pool's file, with what each member earns."""
    shares, scores = means(played, played.shares, len(texts)), means(played, played.scores, len(texts))
    lines = [
        f"# Written by `python -m train.tune --seed {seed} --write`, before anything was trained.",
        "# Each member is the best of its family's candidates by win share at 4-seat tables (iello-2016) with three",
        "# distinct other members, tuned in turn. Beside each: its win share and mean score at such tables in "
        f"{len(played.keys):,} fresh games.",
        f'description = "{DESCRIPTIONS[pool]}"',
        "agents = [",
        *(f'  "{text}",  # {shares[agent]:.3f}, {scores[agent]:.1f} gems' for agent, text in enumerate(texts)),
        "]",
    ]
    return "\n".join(lines) + "\n"


def tune(settings: Settings) -> None:
    """Tune the members of both pools, print them with results on fresh games, write the files if asked."""
    for name in ("rounds", "games", "report_games"):
        whole_number(name, getattr(settings, name), 1, MAX_GAMES)
    for pool in MEMBERS:
        say(f"\n{pool}")
        texts = tune_pool(pool, settings)
        played = play_pool(texts, settings.report_games, seeds_for(settings.seed, "report", pool))
        text = pool_file(pool, texts, played, settings.seed)
        if settings.write:
            write_whole(DATA / f"{pool}.toml", text)
        say(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: tune(tyro.cli(Settings, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
