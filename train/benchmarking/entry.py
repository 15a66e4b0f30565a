"""Entries from outside the benchmark: training functions with the task that they are given, and finished agents."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from diamant_env.diamant_v0 import parallel_env
from diamant_env.editions import Edition
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.judging.games import Player
from diamant_env.opponents import make
from diamant_env.opponents.language import text_agent
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.own import find_object
from diamant_env.opponents.registry import names_object, policy_file
from diamant_env.opponents.search import PREFIX, parse
from train.algorithms.counting import (
    CountedBatch,
    CountedEnv,
    CountedParallelEnv,
    CountedVecEnv,
    CountedVectorEnv,
    Meter,
)
from train.benchmarking.benchmark_run import Algorithm, BenchmarkRun
from train.benchmarking.suite import Task
from train.runs.config import GameConfig

CALL = "task, budget, seed, folder"


@dataclass(frozen=True)
class EntryTask:
    """Task of the benchmark, whose environments count the decisions of learning seats, forked processes included.

    Attributes:
        name: Such as ``"full-4-win"``.
        players: At the table.
        edition: With the task's number of expeditions.
        reward: ``"win"``, ``"score"`` (gems) or ``"margin"`` (gems): what the agent is judged by.
        blank: Whether observations hide the chests and all about the rivals, here and when the agent is judged.
        budget: Decisions of learning seats that may be spent.
    """

    name: str
    players: int
    edition: Edition
    reward: str
    blank: bool
    budget: int
    _game: GameConfig = field(repr=False)
    _meter: Meter = field(repr=False)
    _keep: Callable[[Any], object] = field(repr=False)

    @classmethod
    def of(cls, task: Task, budget: int, meter: Meter, keep: Callable[[Any], object] = make) -> EntryTask:
        """Return a task of the suite with a budget that a meter counts; `keep` gets its checkpoints."""
        game = task.game
        return cls(task.name, task.players, game.played(), game.reward, game.blank, budget, game, meter, keep)

    @property
    def left(self) -> int:
        """Decisions of the budget that are not spent yet; below 0, the run is marked."""
        return self.budget - self._meter.spent()

    def checkpoint(self, agent: Any) -> None:
        """Measure an agent, as the function could return it now, for the run's learning curve.

        Raises:
            ValueError: If it is none.
        """
        self._keep(agent)

    def batch(self, num_games: int, **settings: Any) -> CountedBatch:
        """Return a `diamant_env.Batch` with other `settings` of its own; every seat inside counts."""
        game = {"num_players": self.players, "edition": self.edition, "reward": self.reward}
        return CountedBatch(self._meter, num_games, **game, blank_rivals=self.blank, **settings)

    def vec_env(self, num_games: int, opponents: Any = (), seating: ArrayLike | None = None) -> CountedVecEnv:
        """Return a `diamant_env.sb3.DiamantVecEnv`; its rows inside count, opponents do not."""
        return CountedVecEnv.of(self._meter, self._game, num_games, opponents, seating)

    def parallel_env(self) -> CountedParallelEnv:
        """Return a `diamant_env.diamant_v0.parallel_env`; every agent inside counts."""
        hidden = True if self.blank else None
        env = parallel_env(self.players, self.edition, self.reward, hidden_chests=hidden)
        return CountedParallelEnv(env, self._meter, self.blank)

    def gym_env(self, opponents: Any = "random", **settings: Any) -> CountedEnv:
        """Return a `diamant_env.gym_env.DiamantEnv`; each step is a decision."""
        return CountedEnv(DiamantEnv(**self._one_learner(opponents), **settings), self._meter, self.blank)

    def gym_vec(self, num_envs: int, opponents: Any = "random", **settings: Any) -> CountedVectorEnv:
        """Return a `diamant_env.gym_vector.DiamantVectorEnv`; each game that a step plays on is a decision."""
        envs = DiamantVectorEnv(num_envs, **self._one_learner(opponents), **settings)
        return CountedVectorEnv(envs, self._meter, self.blank)

    def _one_learner(self, opponents: Any) -> dict[str, Any]:
        game = {"num_players": self.players, "edition": self.edition, "reward": self.reward, "opponents": opponents}
        return {**game, "hidden_chests": True if self.blank else None}


def from_function(text: str) -> Algorithm:
    """Return the algorithm that ``module:function`` names; the function gets `CALL`.

    Raises:
        ValueError: If there is no such function, or it takes something else.
    """
    function = find_object(text, f"algorithm {text!r}")
    if not callable(function):
        raise ValueError(f"algorithm {text!r} is of type {type(function).__name__}; a function of ({CALL}) is needed")
    try:
        inspect.signature(function).bind(*CALL.split(", "))
    except TypeError:
        taken = inspect.signature(function)
        raise ValueError(f"algorithm {text!r} takes {taken}; a function of ({CALL}) is needed") from None

    def learn(run: BenchmarkRun) -> Player:
        folder, config = run.training, run.config
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.iterdir()):  # there is no checkpoint to resume from
            run.clear()
        task = EntryTask.of(run.task, config.decisions, run.meter, lambda agent: run.checkpoint(_agent_of(text, agent)))
        return _agent_of(text, function(task, config.decisions, run.experiment().seed, folder))

    return Algorithm(text, "learned", "an entry", learn, version=_version(text))


def _agent_of(text: str, returned: Any) -> Player:
    """Return what a function returned, a policy file as its network; ValueError if it is no agent."""
    try:
        agent = make(returned)
        return agent if isinstance(agent, NetworkAgent) else returned
    except ValueError as error:
        raise ValueError(
            f"{text} returned an object of type {type(returned).__name__}, which is no agent: {error}"
        ) from None


def from_agent(text: str) -> Algorithm:
    """Return the algorithm that a finished agent is, named by a text that `make` takes.

    Raises:
        ValueError: If it names no agent, or a language model: a run would ask it a million times.
    """
    if _without_search(text).startswith(text_agent.PREFIX):
        command = "diamant evaluate --per-decision score"
        raise ValueError(f"{text} answers in words, and a run would ask it a million times; judge it by {command}")
    make(text)
    return Algorithm(text, "agent", "an agent as it is", lambda _run: text, version=_version(text))


def _without_search(text: str) -> str:
    return parse(text)[1] if text.startswith(PREFIX) else text


def _version(text: str) -> str:
    """Return a digest of the file that a text names, a policy or an imported module; else an empty text."""
    base = _without_search(text)
    path: str | Path | None = policy_file(base)
    if names_object(base):
        path = getattr(sys.modules[base.split(":")[-2]], "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path is not None else ""
