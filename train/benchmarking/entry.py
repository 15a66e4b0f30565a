"""What enters the benchmark from outside: a training function of one's own, and the task as it is handed to it."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import answer_of
from diamant_env.batch import Batch
from diamant_env.diamant_v0 import parallel_env
from diamant_env.editions import Edition
from diamant_env.exact.response import require_no_memory
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.judging.games import Player
from diamant_env.observation import NUM_FEATURES, Observations
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
TRIAL = 1_000
"""Decisions of the trial before a run."""


@dataclass(frozen=True)
class EntryTask:
    """A task of the benchmark. What its environments let decide counts, here and in processes that were forked.

    Attributes:
        name: Such as ``"full-4-win"``.
        players: At the table.
        edition: What is played, with the task's number of expeditions.
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
        """Return a `diamant_env.Batch` of so many games; every seat inside counts. `settings` are its other ones."""
        game = {"num_players": self.players, "edition": self.edition, "reward": self.reward}
        return CountedBatch(self._meter, num_games, **game, blank_rivals=self.blank, **settings)

    def vec_env(self, num_games: int, opponents: Any = (), seating: ArrayLike | None = None) -> CountedVecEnv:
        """Return a `diamant_env.sb3.DiamantVecEnv`; its rows inside count, opponents do not."""
        return CountedVecEnv(self._meter, self._game, num_games, opponents, seating)

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
    """Return the algorithm that a function of one's own is, named by ``module:function``; it gets `CALL`.

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
    meaning = (inspect.getdoc(function) or text).splitlines()[0]
    version = _version(text)

    def learn(run: BenchmarkRun) -> Player:
        return _agent_of(text, _call(text, function, run, lambda agent: run.checkpoint(_agent_of(text, agent))))

    return Algorithm(text, "learned", meaning, learn, version=version, check=lambda run: _try_out(text, function, run))


def _try_out(text: str, function: Callable[..., Any], run: BenchmarkRun) -> None:
    """Check what a function returns after `TRIAL` decisions in a folder that is deleted, before a run begins.

    If the function fails there, such as for want of decisions, the run shows whether it fails at its budget too.

    Raises:
        ValueError: If it returns no agent, or one that can't be measured.
    """
    if run.training.is_dir() and any(run.training.iterdir()):
        return
    config = run.config.model_copy(update={"decisions": min(TRIAL, run.config.decisions)})
    with TemporaryDirectory() as folder:
        trial = replace(run, folder=Path(folder), config=config)
        try:
            returned = _call(text, function, trial, make)
        except Exception:
            return
        agent = _agent_of(text, returned)
    rows = _first_turns(run.task)
    try:
        player = make(agent, 0, fresh=True)
        answer_of(player, Observations(rows), np.ones(len(rows), np.bool_))
        if run.task.family == "expedition" and run.task.players <= run.config.exact_players:
            require_no_memory(player, rows)
    except ValueError as error:
        raise ValueError(f"{text} returned an agent that can't be measured: {error}") from None


def _first_turns(task: Task) -> NDArray[np.float32]:
    """Return what the seats of a few games see in their first turns, float32 (rows, NUM_FEATURES)."""
    batch = Batch(16, task.players, task.game.played(), blank_rivals=task.game.blank)
    stay = np.zeros((16, task.players), np.int8)
    turns = [batch.reset(0), *(batch.step(stay, auto_reset=True)[0] for _ in range(7))]
    return np.concatenate(turns).reshape(-1, NUM_FEATURES)


def _call(text: str, function: Callable[..., Any], run: BenchmarkRun, keep: Callable[[Any], object]) -> Any:
    """Call a function of one's own and return what it returns; `keep` gets its checkpoints."""
    folder = run.training
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):  # nothing that was learned before can be gone on with
        run.clear()
    budget = run.config.decisions
    try:
        return function(EntryTask.of(run.task, budget, run.meter, keep), budget, run.experiment().seed, folder)
    except SystemExit as end:  # the other runs go on
        raise ValueError(f"{text} ended by {end!r} instead of returning an agent") from end
    except Exception as error:
        if _interrupted(error):
            raise KeyboardInterrupt from error
        raise


def _agent_of(text: str, returned: Any) -> Player:
    """Return the agent that a function returned.

    Raises:
        ValueError: If it is none.
    """
    try:
        agent = make(returned)
        return returned if isinstance(returned, str) and not isinstance(agent, NetworkAgent) else agent
    except ValueError as error:
        raise ValueError(
            f"{text} returned an object of type {type(returned).__name__}, which is no agent: {error}"
        ) from None


def _interrupted(error: BaseException | None) -> bool:
    """Whether an error stands in the place of a Ctrl-C: tensordict fails while it cleans up after one."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def from_agent(text: str) -> Algorithm:
    """Return the algorithm that a finished agent is, named by a text that `make` takes.

    Raises:
        ValueError: If it names no agent, or one that answers in words: a run would ask it a million times.
    """
    if _without_search(text).startswith(text_agent.PREFIX):
        command = "diamant evaluate --per-decision score"
        raise ValueError(f"{text} answers in words, and a run would ask it a million times; judge it by {command}")
    make(text)
    return Algorithm(text, "agent", "an agent as it is", lambda _run: text, version=_version(text))


def _without_search(text: str) -> str:
    return parse(text)[1] if text.startswith(PREFIX) else text


def _version(text: str) -> str:
    """Return a digest of the file that a text names: of a policy, or of a module that was imported; else nothing."""
    base = _without_search(text)
    path: str | Path | None = policy_file(base)
    if names_object(base):
        path = getattr(sys.modules[base.split(":")[-2]], "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path is not None else ""
