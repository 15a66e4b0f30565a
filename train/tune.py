"""Tune the scripted families and choose the two pools: ``python -m train.tune --help``.

Every member of a pool is tuned by its win share at 4-seat tables with three distinct other members, which are tuned
in turn, for a few rounds. All candidates of a member meet the same opponents at the same seats with the same cards.
A winner is picked on some games and reported on fresh ones.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import tyro
from numpy.typing import NDArray

from agents import make
from agents.pools import FOLDER
from diamant_env.batch import Batch
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents import Table

SEATS = 4
MIXTURE_SPREAD = 8  # gems between its lowest and highest threshold, at the least
DESCRIPTIONS = {
    "pool": "Scripted opponents for training and for evaluation.",
    "held_out": "Scripted opponents of other families than those of the pool, for evaluation only.",
}


@dataclass(frozen=True)
class Member:
    """One member of a pool: a family and the values that each of its parameters may take."""

    family: str
    values: tuple[tuple[float, ...], ...] = ()

    def candidates(self) -> list[str]:
        """Return the texts of all combinations that make an agent."""
        texts = [f"{self.family}:{','.join(f'{number:g}' for number in some)}" for some in self._combinations()]
        return texts or [self.family]

    def _combinations(self) -> list[tuple[float, ...]]:
        all_of_them = [some for some in itertools.product(*self.values) if some]
        return [some for some in all_of_them if self.family != "mixture" or some[1] - some[0] >= MIXTURE_SPREAD]


def _member(family: str, *values: range | tuple[float, ...]) -> Member:
    return Member(family, tuple(tuple(each) for each in values))


# The first member of a family gives its default; a second one is of another style, by narrower values.
_STAY = tuple(stay / 10 for stay in range(11))
POOLS = {
    "pool": [
        _member("random", (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)),
        _member("continue"),
        _member("cards", range(2, 12)),
        _member("bag", range(4, 22)),
        _member("bag", range(2, 8)),
        _member("traps", range(1, 5)),
        _member("ev", (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3)),
        _member("ev", (0,)),
        _member("solo-grab", (*range(3, 12), 15), range(7, 22, 2)),
        _member("mixture", range(2, 13, 2), range(10, 25, 2)),
    ],
    "held_out": [
        _member("bag-or-traps", range(4, 22, 2), range(2, 5)),
        _member("ev-others-stay", _STAY),
        _member("ev-others-stay", (0.1, 0.2, 0.3, 0.4)),
        _member("catch-up", range(6, 23, 2), (0.25, 0.5, 0.75, 1)),
        _member("catch-up", range(6, 23, 2), (1.5, 2)),
        _member("follow", (1, 2, 3), range(6, 23, 2)),
        _member("follow", (1,), range(6, 23, 2)),
        _member("oppose", range(2, 17), (1, 2, 3, 4, 6)),
    ],
}


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
    games: int = 1_500
    report_games: int = 100_000
    write: bool = False


@dataclass
class Result:
    """What agents earned at tables: win share and score of each seat, summed over its games."""

    seating: NDArray[np.int64]
    games_per_table: int
    wins: NDArray[np.float64] = field(init=False)
    scores: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.wins = np.zeros(self.seating.shape)
        self.scores = np.zeros(self.seating.shape)

    def games(self, agent: int) -> int:
        """Return how many games an agent played."""
        return int((self.seating == agent).sum()) * self.games_per_table

    def win_share(self, agent: int) -> float:
        """Return the mean win share of an agent."""
        return float(self.wins[self.seating == agent].sum() / self.games(agent))

    def score(self, agent: int) -> float:
        """Return the mean score of an agent."""
        return float(self.scores[self.seating == agent].sum() / self.games(agent))


def play(texts: list[str], seating: NDArray[np.int64], games_per_table: int, seeds: NDArray[np.uint64]) -> Result:
    """Play the same number of games at every table; `seating` (tables, SEATS) names who of `texts` sits where."""
    result = Result(seating, games_per_table)
    batch = Batch(len(seating), SEATS, reward="win")
    member_seeds = np.random.SeedSequence(int(seeds[0])).generate_state(len(texts))
    table = Table(batch, [make(text, int(seed)) for text, seed in zip(texts, member_seeds, strict=True)], seating)
    observations = batch.reset(seed=seeds)
    final = np.zeros((len(seating), SEATS, NUM_FEATURES), np.float32)
    actions = np.zeros(seating.shape, np.int8)
    rewards = np.zeros(seating.shape, np.float32)
    done = np.zeros(len(seating), bool)
    to_play = np.full(len(seating), games_per_table)
    while to_play.any():
        table.decide(observations, actions)
        batch.step(actions, observations, rewards, done, auto_reset=True, final_observations=final)
        counts = np.flatnonzero(done & (to_play > 0))
        result.wins[counts] += rewards[counts]
        result.scores[counts] += Observations(final[counts])["chest"]
        to_play[counts] -= 1
    return result


def win_shares(candidates: list[str], others: list[str], games: int, seeds: np.random.SeedSequence) -> list[float]:
    """Return the win share of each candidate against three distinct others; all meet the same games."""
    lineups = list(itertools.combinations(range(len(others)), SEATS - 1))
    seating = np.empty((len(candidates), len(lineups), SEATS), np.int64)
    for table, lineup in enumerate(lineups):
        for candidate in range(len(candidates)):
            seating[candidate, table] = np.insert(np.array(lineup) + len(candidates), table % SEATS, candidate)
    keys = np.tile(seeds.generate_state(len(lineups), np.uint64), len(candidates))
    result = play(candidates + others, seating.reshape(-1, SEATS), math.ceil(games / len(lineups)), keys)
    return [result.win_share(candidate) for candidate in range(len(candidates))]


def pick(candidates: list[str], others: list[str], settings: Settings, seeds: np.random.SeedSequence) -> str:
    """Return the candidate that wins most: all play, then the better third plays four times as many fresh games."""
    first, second = seeds.spawn(2)
    shares = win_shares(candidates, others, settings.games, first)
    better = [candidates[i] for i in np.argsort(shares)[::-1][: math.ceil(len(candidates) / 3)]]
    shares = win_shares(better, others, 4 * settings.games, second)
    return better[int(np.argmax(shares))]


def tune_pool(members: list[Member], settings: Settings, seeds: np.random.SeedSequence) -> list[str]:
    """Return the members' texts after tuning each against the others, round after round."""
    texts = [member.candidates()[len(member.candidates()) // 2] for member in members]
    for round_number, round_seeds in enumerate(seeds.spawn(settings.rounds)):
        for place, member_seeds in enumerate(round_seeds.spawn(len(members))):
            others = texts[:place] + texts[place + 1 :]
            candidates = [text for text in members[place].candidates() if text not in others]
            if len(candidates) > 1:
                texts[place] = pick(candidates, others, settings, member_seeds)
        print(f"round {round_number + 1}: {'  '.join(texts)}", flush=True)
    return texts


def report(texts: list[str], games: int, seeds: np.random.SeedSequence) -> Result:
    """Play all tables of distinct members, seats drawn, and print what each member earns."""
    lineups = np.array(list(itertools.combinations(range(len(texts)), SEATS)))
    lineups = np.tile(lineups, (max(1, min(2_000, games) // len(lineups)), 1))
    play_seeds, seat_seeds = seeds.spawn(2)
    seating = np.random.default_rng(seat_seeds).permuted(lineups, axis=1)
    keys = play_seeds.generate_state(len(lineups), np.uint64)
    result = play(texts, seating, math.ceil(games / len(lineups)), keys)
    print(f"{seating.size // SEATS * result.games_per_table} games\n{'agent':24} win share          score   games")
    for agent in sorted(range(len(texts)), key=result.win_share, reverse=True):
        share, count = result.win_share(agent), result.games(agent)
        error = 1.96 * math.sqrt(share * (1 - share) / count)
        print(f"{texts[agent]:24} {share:.4f} +- {error:.4f}   {result.score(agent):6.2f}   {count}")
    return result


def pool_file(name: str, texts: list[str], result: Result, settings: Settings) -> str:
    """Return the text of a pool's file."""
    lines = [
        f"# Written by `python -m train.tune --seed {settings.seed} --write`, before anything was trained.",
        "# Each member is the best of its family's candidates by win share at 4-seat tables (iello-2016) with three",
        "# distinct other members, tuned in turn. Comments: win share and mean score in fresh games of this pool.",
        f'description = "{DESCRIPTIONS[name]}"',
        "agents = [",
    ]
    for agent, text in enumerate(texts):
        lines.append(f'  "{text}",  # {result.win_share(agent):.3f}, {result.score(agent):.1f} gems')
    return "\n".join([*lines, "]", ""])


def main(settings: Settings) -> None:
    """Tune the members of both pools, report them on fresh games, and write the files if asked."""
    seeds = np.random.SeedSequence(settings.seed)
    for (name, members), pool_seeds in zip(POOLS.items(), seeds.spawn(len(POOLS)), strict=True):
        print(f"\n{name}")
        picking, reporting = pool_seeds.spawn(2)
        texts = tune_pool(members, settings, picking)
        result = report(texts, settings.report_games, reporting)
        if settings.write:
            FOLDER.mkdir(parents=True, exist_ok=True)
            (FOLDER / f"{name}.toml").write_text(pool_file(name, texts, result, settings), encoding="utf-8")


if __name__ == "__main__":
    main(tyro.cli(Settings))
