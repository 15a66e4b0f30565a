"""Tasks of the benchmark."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Literal, NamedTuple

import numpy as np

from diamant_env import Batch
from diamant_env.storage.files import nearest
from train.runs.config import GameConfig

FULL, HIDDEN = "iello-2016", "incan-gold"
EXPEDITION = "iello-2016-fr/expeditions:1/hidden_rivals:1"  # 2016 without relics
Family = Literal["expedition", "small", "game", "two-player", "solitaire", "win", "score"]
"""Family of tasks with the same figures."""
_GAMES, _TURNS = 16, 80  # size of the digest's games


class BenchmarkTask(NamedTuple):
    """One task of the suite."""

    name: str
    family: Family
    game: GameConfig  # with one table size
    meaning: str
    reason: str  # for its inclusion
    seeds: int = 5  # of each learning algorithm
    points: int = 20  # maximum number of points of a learning curve
    gains: int = 0  # number of these points with the gain of value iteration
    version: int = 1  # increased when figures become incomparable

    @property
    def players(self) -> int:
        return self.game.num_players[0]


def _expedition(players: int, points: int, reason: str) -> BenchmarkTask:
    game = GameConfig(edition=EXPEDITION, num_players=(players,), reward="score")
    meaning = f"{players} players, one expedition without relics, for score"
    return BenchmarkTask(f"expedition-{players}", "expedition", game, meaning, reason, 10, points)


def _full(
    name: str, players: int, reward: Literal["win", "score"], meaning: str, reason: str, edition: str = FULL
) -> BenchmarkTask:
    game = GameConfig(edition=edition, num_players=(players,), reward=reward)
    return BenchmarkTask(name, "solitaire" if players == 1 else reward, game, meaning, reason)


_TASKS = (
    _expedition(2, 20, "the usual number of players in theory"),
    _expedition(3, 8, "the smallest general-sum game of more than two players"),
    _expedition(4, 4, "the table size of `full-4-win`"),
    _expedition(5, 2, "the largest whose best responses are computed for hundreds of policies"),
    _full(
        "small-3-win", 3, "win", "3 players, a game of few cards, for the win", "exact NashConv for the win", "small-3"
    )._replace(family="small", seeds=10),
    _full(
        "game-2-score",
        2,
        "score",
        "2 players, four expeditions of few cards and a relic, for score",
        "exact NashConv of a game of several expeditions for score",
        "small-2",
    )._replace(family="game", seeds=10, points=8),
    _full(
        "full-2-win",
        2,
        "win",
        "2 players, the 2016 game without relics, for the win",
        "a full zero-sum game whose minimax play is solved: exact NashConv of the joint decisions",
        "iello-2016-fr",
    )._replace(family="two-player", points=1),
    _full("solitaire", 1, "score", "1 player, the 2016 game, for score", "no opponents: optimal stopping, solved"),
    _full("full-3-win", 3, "win", "3 players, the 2016 game, for the win", "the smallest table that the rules allow"),
    _full("full-4-win", 4, "win", "4 players, the 2016 game, for the win", "the standard task")._replace(gains=3),
    _full("full-4-score", 4, "score", "4 players, the 2016 game, for score", "the same table, general-sum"),
    _full("full-8-win", 8, "win", "8 players, the 2016 game, for the win", "the largest table"),
    _full(
        "hidden-4-win", 4, "win", "4 players, Incan Gold, for the win", "the rivals' chests are hidden", HIDDEN
    )._replace(
        version=2  # rivals' relics are visible
    ),
)
TASKS = {task.name: task for task in _TASKS}
"""The tasks by name."""
EXACT = ("expedition", "small", "game")
"""Families whose deviation gains are exact at every point of a curve."""
VIEWED = ("expedition", "two-player")
"""Families whose agents are evaluated through `exact_view`."""


def find_tasks(names: tuple[str, ...]) -> list[BenchmarkTask]:
    """Return the tasks of these names or families, all by default."""
    families = {task.family for task in TASKS.values()}
    unknown = [name for name in names if name not in TASKS and name not in families]
    if unknown:
        allowed = f"tasks: {', '.join(TASKS)}; families: {', '.join(sorted(families))}"
        raise ValueError(f"unknown task {unknown[0]!r}; {nearest(unknown[0], [*TASKS, *families], allowed)}")
    return [task for task in TASKS.values() if not names or task.name in names or task.family in names]


@cache
def digest_of_task(task: BenchmarkTask) -> str:
    """Return a hash of observations and rewards in games of a task, 16 hexadecimal digits.

    It changes with the rules, the observation, the reward and the random numbers.
    """
    batch = Batch(_GAMES, task.players, task.game.evaluation_edition(), task.game.reward)
    digest = sha256(batch.reset(seed=0).tobytes())
    game, seat = np.indices((_GAMES, task.players))
    for turn in range(_TURNS):
        leave = (turn + 3 * seat + game) % 7 == 0
        for part in batch.step(leave.astype(np.int8), auto_reset=True):
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]
