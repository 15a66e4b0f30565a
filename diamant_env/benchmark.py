"""Tasks of the benchmark and their exact evaluation, for any agent.

>>> from diamant_env import benchmark
>>> round(benchmark.evaluate("ev:0.75", "expedition-2").nash_conv, 3)  # gems
2.22
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env import exact
from diamant_env.editions import find_edition
from diamant_env.exact.induction import Progress
from diamant_env.opponents import Agent, make_agent
from diamant_env.opponents.custom import AgentSpec
from diamant_env.opponents.inputs import ExactView

EXACT = ("expedition", "small", "game", "two-player")
"""Families with exact evaluation: expeditions, small whole games for win and for score, the full game of two."""
VIEWED = ("expedition", "two-player")  # families in which agents play through `ExactView`
_NO_RELICS = "iello-2016-fr/expeditions:1/hidden_rivals:1"


class BenchmarkTask(NamedTuple):
    """A task; `family` is one of `EXACT`, or ``"win"`` for the full game."""

    name: str
    family: str
    players: int
    edition: str
    reward: str
    game: str
    seeds: int = 10  # of each learning algorithm
    points: int = 8  # maximum number of points of a learning curve
    version: int = 1  # increased when figures become incomparable

    @property
    def meaning(self) -> str:
        """Players, game and reward in words."""
        return f"{self.players} players, {self.game}, for {'the win' if self.reward == 'win' else self.reward}"


_TASKS = (
    BenchmarkTask("expedition-2", "expedition", 2, _NO_RELICS, "score", "one expedition without relics"),
    BenchmarkTask("expedition-3", "expedition", 3, _NO_RELICS, "score", "one expedition without relics"),
    BenchmarkTask("expedition-5", "expedition", 5, _NO_RELICS, "score", "one expedition without relics", points=2),
    BenchmarkTask("small-3-win", "small", 3, "small-3", "win", "three expeditions of few cards"),
    BenchmarkTask("small-3-score", "game", 3, "small-3", "score", "three expeditions of few cards"),
    BenchmarkTask("small-4-win", "small", 4, "small-4", "win", "two expeditions of few cards"),
    BenchmarkTask("game-2-score", "game", 2, "small-2", "score", "four expeditions of few cards, a relic"),
    BenchmarkTask("full-2-win", "two-player", 2, "iello-2016-fr", "win", "the 2016 game, no relics", seeds=5, points=1),
    BenchmarkTask("full-4-win", "win", 4, "iello-2016", "win", "the 2016 game", seeds=5),
    BenchmarkTask("full-8-win", "win", 8, "iello-2016", "win", "the 2016 game", seeds=5),
)
TASKS = {task.name: task for task in _TASKS}
"""The tasks by name."""


def evaluate(agent: AgentSpec, task: str | BenchmarkTask, progress: bool = False) -> exact.Response:
    """Compute the value of an agent among copies and of the best response to them; see `exact.Response`.

    In the full game of two players only joint decisions count (`exact.guaranteed_by`), in a quarter of an hour.

    Args:
        agent: An agent, its spec, or the path of a policy file. It plays through `ExactView` in families of `VIEWED`.
        task: A task, or the name of one in `TASKS`.
        progress: Show a progress bar, which needs the extra ``evaluation``.

    Raises:
        ValueError: If the task has no exact evaluation, or the agent is not a function of its observations.
    """
    task = TASKS[task] if isinstance(task, str) else task
    if task.family not in EXACT:
        raise ValueError(f"{task.name} has no exact evaluation; families with one: {', '.join(EXACT)}")
    bar: AbstractContextManager[Progress | None] = nullcontext()
    if progress:
        from diamant_env.evaluation.games import percent_bar

        bar = percent_bar(task.name)
    with bar as report:
        return _evaluate(make_agent(agent), task, report)


def _evaluate(agent: Agent, task: BenchmarkTask, progress: Progress | None) -> exact.Response:
    if task.family not in VIEWED:
        return _whole_game(task).best_response(agent, task.reward, progress)
    viewed = ExactView(agent)
    if task.family == "two-player":
        solution = exact.solve_two_player_win(task.edition)
        guaranteed = exact.guaranteed_by(viewed, solution, progress=progress, bounds=False)
        return exact.Response(1 - guaranteed.value, 0.5, 2)
    tree, nodes = _tree(task)
    return exact.best_response(exact.policy_of(viewed, tree, progress, nodes), tree)


def equilibrium(task: BenchmarkTask) -> AgentSpec:
    """Return an agent that plays an equilibrium of a task with exact evaluation."""
    if task.family in VIEWED:
        return "equilibrium" if task.family == "expedition" else "minimax"
    game = _whole_game(task)
    return game.agent(game.solve_equilibrium(task.reward), "equilibrium")


@lru_cache(maxsize=1)
def _whole_game(task: BenchmarkTask) -> exact.WholeGame:
    return exact.WholeGame(task.edition, task.players)


@lru_cache(maxsize=1)
def _tree(task: BenchmarkTask) -> tuple[exact.ExpeditionTree, NDArray[np.bool_]]:
    """Return the tree of the expedition with kinds of trap merged, and its reachable nodes."""
    edition = find_edition(task.edition)
    tree = exact.build_tree(exact.start_of_expedition(edition, task.players), edition, merge_traps=True)
    return tree, exact.reachable(tree)
