"""Custom entries of the benchmark: training functions with their task interface, and finished agents."""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from diamant_env.agent import Agent
from diamant_env.batch import Batch
from diamant_env.benchmark import BenchmarkTask
from diamant_env.diamant_v0 import parallel_env
from diamant_env.editions import Edition, find_edition
from diamant_env.evaluation.games import AgentSpec
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.opponents import make_agent
from diamant_env.opponents.custom import find_object
from diamant_env.opponents.models.files import is_model_file
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import check_able
from diamant_env.opponents.registry import may_run_code, policy_file
from diamant_env.opponents.search import PREFIX, parse_search_spec
from diamant_env.sb3 import DiamantVecEnv
from train.benchmarking.benchmark_run import Algorithm, BenchmarkRun, Trained, game_of
from train.league import vec_env_of
from train.runs.config import GameConfig

CALL = "task, budget, seed, folder"


@dataclass(frozen=True)
class EntryTask:
    """Task of the benchmark for a training function.

    Attributes:
        name: Name of the task, such as ``"full-4-win"``.
        players: Players at the table.
        edition: The edition, which says what observations hide.
        reward: Objective of evaluation: ``"win"``, ``"score"`` (gems) or ``"margin"`` (gems).
    """

    name: str
    players: int
    edition: Edition
    reward: str
    _game: GameConfig = field(repr=False)
    _keep: Callable[[Any, int], object] = field(repr=False)

    @classmethod
    def of(cls, task: BenchmarkTask, keep: Callable[[Any, int], object]) -> EntryTask:
        """Return a task of the suite; `keep` receives its checkpoints."""
        game = game_of(task)
        return cls(task.name, task.players, game.evaluation_edition(), game.reward, game, keep)

    def checkpoint(self, agent: Any, decisions: int) -> None:
        """Measure an agent after this number of decisions, for the run's learning curve."""
        self._keep(agent, decisions)

    def batch(self, num_games: int, **settings: Any) -> Batch:
        """Return a `diamant_env.Batch` with further `settings`."""
        return Batch(num_games, **self._game_settings(), **settings)

    def vec_env(self, num_games: int, opponents: Any = None, seating: ArrayLike | None = None) -> DiamantVecEnv:
        """Return a `diamant_env.sb3.DiamantVecEnv`, whose `decisions` are those of its rows."""
        return vec_env_of(self._game, num_games, opponents, seating)

    def parallel_env(self) -> parallel_env:
        """Return a `diamant_env.diamant_v0.parallel_env`."""
        return parallel_env(**self._game_settings())

    def gym_env(self, opponents: Any = "random", **settings: Any) -> DiamantEnv:
        """Return a `diamant_env.gym_env.DiamantEnv`; each step is a decision."""
        return DiamantEnv(opponents=opponents, **self._game_settings(), **settings)

    def gym_vec(self, num_envs: int, opponents: Any = "random", **settings: Any) -> DiamantVectorEnv:
        """Return a `diamant_env.gym_vector.DiamantVectorEnv`; each game that a step advances is a decision."""
        return DiamantVectorEnv(num_envs=num_envs, opponents=opponents, **self._game_settings(), **settings)

    def _game_settings(self) -> dict[str, Any]:
        return {"num_players": self.players, "edition": self.edition, "reward": self.reward}


def from_function(spec: str) -> Algorithm:
    """Return the algorithm of ``module:function``, a function of `CALL`."""
    function = find_object(spec, f"algorithm {spec!r}")
    if not callable(function):
        raise ValueError(f"algorithm {spec!r} is of type {type(function).__name__}; a function of ({CALL}) is needed")
    try:
        inspect.signature(function).bind(*CALL.split(", "))
    except TypeError:
        parameters = inspect.signature(function)
        raise ValueError(f"algorithm {spec!r} takes {parameters}; a function of ({CALL}) is needed") from None

    def learn(run: BenchmarkRun) -> Trained:
        folder = run.training
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.iterdir()):  # no checkpoint to resume from
            run.clear()
        task = EntryTask.of(run.task, lambda agent, spent: run.checkpoint(_agent_of(spec, agent), spent))
        returned = function(task, run.config.decisions, run.experiment().seed, folder)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise ValueError(
                f"{spec} returned an object of type {type(returned).__name__}; (agent, decisions) is needed"
            )
        agent, decisions = returned
        return _agent_of(spec, agent), int(decisions)

    return Algorithm(spec, "learned", "an entry", learn, version=_version(spec))


def _agent_of(spec: str, returned: Any) -> AgentSpec:
    """Return the agent of a function's result, such as a policy file."""
    try:
        agent = make_agent(returned)
        return agent if isinstance(agent, NetworkAgent) else returned
    except ValueError as error:
        raise ValueError(
            f"{spec} returned an object of type {type(returned).__name__}, which is not an agent: {error}"
        ) from None


def from_agent(spec: str) -> Algorithm:
    """Return the algorithm of a finished agent."""
    plays = functools.cache(functools.partial(_able, make_agent(spec)))  # asked of each task twice
    return Algorithm(spec, "agent", "a finished agent", lambda _run: (spec, 0), plays, _version(spec))


def _able(agent: Agent, task: BenchmarkTask) -> bool:
    """Return whether an agent supports a task's tables; a defect of a custom agent is reported by its run."""
    try:
        check_able(agent, task.players, find_edition(task.edition))
    except Exception as error:
        return not isinstance(error, ValueError)
    return True


def _version(spec: str) -> str:
    """Return a digest of the policy file or imported module of a spec, else ""."""
    base = parse_search_spec(spec)[1] if spec.startswith(PREFIX) else spec
    path: str | Path | None = base if is_model_file(base) else policy_file(base)
    if path is None and may_run_code(base):
        path = getattr(sys.modules[base.split(":")[-2]], "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path is not None else ""
