"""Benchmark runs: training and measurement of one algorithm on one task."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from diamant_env import Batch, __version__, benchmark
from diamant_env.benchmark import EXACT, VIEWED, BenchmarkTask
from diamant_env.editions import find_edition
from diamant_env.evaluation import evaluate
from diamant_env.evaluation.games import AgentSpec, seeds_for
from diamant_env.evaluation.intervals import Estimate
from diamant_env.opponents import make_agent
from diamant_env.opponents.inputs import EXACT_VIEW, ExactView
from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.results import save_json, to_json, versions
from train.benchmarking.config import BenchmarkConfig
from train.responding.config import SearchConfig
from train.responding.gains import ResponseGame
from train.responding.result import fits_of, gain_of, members_of, select
from train.responding.search import response_runs, reward_scale
from train.responding.value_iteration import no_values
from train.runs.config import Config, EvaluationConfig, GameConfig, PPOConfig
from train.runs.run_folder import LAST, POLICY, machine, read_json, save_policy

HELD_OUT = "held_out"
CURVE = "curve.json"
RESULT = "result.json"
"""File of a finished run."""
Trained = tuple[AgentSpec, int]
"""An agent and the decisions of the learning seats in its training."""
FINAL = 0.1
"""Final share of the initial learning rate and entropy."""
POINT_GAMES = 4
"""Divisor of the number of games at a point of a learning curve, and against `MINIMAX`."""
MINIMAX = "minimax"
_GAMES, _TURNS = 16, 80  # size of the digest's games


class Algorithm(NamedTuple):
    """An algorithm or fixed agent of the benchmark."""

    name: str
    kind: str  # "learned", with several seeds and a budget, "scripted", "shipped", "exact" or "agent"
    meaning: str
    agent: Callable[[BenchmarkRun], Trained]
    plays: Callable[[BenchmarkTask], bool] = lambda _task: True  # whether it supports a task
    version: str = ""  # digest of its settings or of the custom file that defines it
    fits: int = 1  # of value iteration in each run of a full task

    def repeated(self, task: BenchmarkTask) -> bool:
        """Whether there are several runs: of trainings, and of searches against the shipped policies."""
        return self.kind == "learned" or (self.kind == "shipped" and task.family == "win")


@dataclass(frozen=True)
class BenchmarkRun:
    """One task, algorithm and seed; finished if `RESULT` exists in its folder."""

    task: BenchmarkTask
    algorithm: Algorithm
    seed: int
    folder: Path
    config: BenchmarkConfig
    _measuring: list[float] = field(default_factory=list, repr=False, compare=False)
    """CPU seconds of `checkpoint`."""

    def __str__(self) -> str:
        return f"{self.task.name} {self.algorithm.name} {self.seed}"

    @property
    def training(self) -> Path:
        """Folder of the training's files."""
        return self.folder / "run"

    def experiment(self, rows: int = 0, **settings: Any) -> Config:
        """Return task and budget as a training configuration with a unique seed; `settings` are those of PPO.

        About `rows` seats learn in parallel, by default as many as in the benchmark's configuration. Learning rate and
        entropy fall linearly to `FINAL` of their start, in all algorithms.
        """
        config, game = self.config, game_of(self.task)
        seeds = seeds_for(config.seed, "benchmark run", self.task.name, self.algorithm.name, self.seed)
        common = {
            "games": max(1, (rows or config.rows) // self.task.players),
            "reward_scale": reward_scale(game.reward),
        }
        ppo = PPOConfig(**{**common, **settings, "decisions": config.decisions})
        ends = {"final_learning_rate": FINAL * ppo.learning_rate, "final_entropy": FINAL * ppo.entropy}
        return Config(
            name="benchmark",
            seed=int(seeds.generate_state(1)[0]),
            threads=config.threads,
            game=game,
            ppo=ppo.model_copy(update=ends),
            network=config.network.model_copy(
                update={"inputs": EXACT_VIEW} if self.task.family == "two-player" else {}
            ),
            checkpoints=min(config.checkpoints, self.task.points),
            evaluation=EvaluationConfig(curve_points=0),
        )

    def result(self) -> dict[str, Any] | None:
        """Return the figures of a finished run, or None; a folder of another run or version is an error."""
        if not (self.folder / RESULT).is_file():
            return None
        result = read_json(self.folder / RESULT)
        identity = {"task": self.task.name, "algorithm": self.algorithm.name, "seed": self.seed}
        if result | identity != result:
            other = " ".join(str(result[name]) for name in identity)
            raise ValueError(f"{self.folder} has another run, {other}; give another folder by --out")
        names = {"version": f"version of {self.algorithm.name}", "task_version": "version of the task"}
        for name, now in self._versions().items():
            if (then := result.get(name, "")) != now:
                raise ValueError(
                    f"{self.folder} was played by another {names.get(name, name)}; remove that folder or give another "
                    f"one by --out: {then!r}, now {now!r}"
                )
        return result

    def _versions(self) -> dict[str, Any]:
        task = self.task
        return {"version": self.algorithm.version, "task_version": task.version, "digest": digest_of_task(task)}

    def play(self) -> dict[str, Any]:
        """Train and measure, unless finished, and save figures and policy in the folder."""
        if (done := self.result()) is not None:
            return done
        task, algorithm, config = self.task, self.algorithm, self.config
        learned = algorithm.kind == "learned"
        start = cpu_seconds()
        agent, decisions = algorithm.agent(self)
        trained = cpu_seconds()
        measuring = sum(self._measuring)
        if isinstance(agent, NetworkAgent):
            agent.name = algorithm.name
            save_policy(self.folder / POLICY, agent, config, config.decisions)
        measures = self.measure(agent)
        result = to_json(
            {
                "task": task.name,
                "family": task.family,
                "algorithm": algorithm.name,
                "kind": algorithm.kind,
                "seed": self.seed,
                **self._versions(),
                "package": __version__,
                "budget": config.decisions if learned else 0,
                "commit": versions().get("commit", ""),
                **machine(config.threads),
                "decisions": decisions,
                "train_cpu_seconds": trained - start - measuring if learned else 0.0,
                "measure_cpu_seconds": cpu_seconds() - trained + measuring,
                "measures": measures,
            }
        )
        save_json(result, self.folder / RESULT)
        return result

    def checkpoints(self) -> list[tuple[int, Path]]:
        """Return decisions and file of the training's checkpoints, in order."""
        paths = (self.training / "checkpoints").glob("*.safetensors")
        return sorted((int(path.stem), path) for path in paths if path.stem.isdecimal())

    def measure(self, agent: AgentSpec) -> dict[str, Any]:
        """Return the task's figures of an agent."""
        measures: dict[str, Any] = {HELD_OUT: self._against(HELD_OUT, agent, self.config.games)}
        if self.task.family == "two-player":
            measures[MINIMAX] = self._against(MINIMAX, agent, self.config.games // POINT_GAMES)
            if self.seed == 0 and self.config.exact_two_player:
                measures["joint"] = self._exact(agent)
        elif self.task.family in EXACT:
            measures["exact"] = self._exact(agent)
            if (last := self.training / LAST).is_file():
                measures["last"] = self._exact(NetworkAgent.load(last))
        else:
            measures["gain"] = self._gain(agent)
        curve = self._curve()
        return {**measures, "curve": curve} if curve else measures

    def checkpoint(self, agent: AgentSpec, spent: int) -> None:
        """Measure an agent after `spent` decisions, for a point of the learning curve."""
        start = cpu_seconds()
        points = [point for point in self._own_points() if point["decisions"] < spent]
        save_json([*points, {"decisions": spent, **self._point(agent)}], self.folder / CURVE)
        self._measuring.append(cpu_seconds() - start)

    def clear(self) -> None:
        (self.folder / CURVE).unlink(missing_ok=True)

    def _own_points(self) -> list[dict[str, Any]]:
        return read_json(self.folder / CURVE) if (self.folder / CURVE).is_file() else []

    def _curve(self) -> list[dict[str, Any]]:
        """Return the points of `checkpoint` and of the training's policies, by decisions."""
        end = self.config.decisions  # the final agent is measured separately
        saved = [
            {"decisions": spent, **self._point(NetworkAgent.load(path))}
            for spent, path in self.checkpoints()
            if spent < end
        ]
        points = [point for point in [*self._own_points(), *saved] if len(point) > 1 and point["decisions"] < end]
        return sorted(points, key=lambda point: point["decisions"])

    def _point(self, agent: AgentSpec) -> dict[str, float]:
        """Return a point of the learning curve, empty for an expedition that is not solved."""
        if self.task.family in ("two-player", "win"):
            return {"win": self._against(HELD_OUT, agent, self.config.games // POINT_GAMES)["win"].mean}
        return {name: float(value) for name, value in self._exact(agent).items() if name == "nash_conv"}

    def _exact(self, agent: AgentSpec) -> dict[str, float | str]:
        if self.task.players > self.config.exact_players:
            return {"refused": f"{self.task.players} players, exact_players is lower"}
        try:
            result = benchmark.evaluate(agent, self.task, progress=True)
        except ValueError as error:  # not a function of its observations
            return {"refused": str(error)}
        return {"exploitability": result.exploitability, "nash_conv": result.nash_conv, "value": result.profile_value}

    def _against(self, opponents: str, agent: AgentSpec, games: int) -> dict[str, Estimate]:
        """Return win share and score among copies of an agent or distinct agents of a pool that support the task."""
        if self.task.family in VIEWED:
            agent = ExactView(make_agent(agent))
        result = evaluate(
            agent,
            opponents,
            games,
            players=self.task.players,
            edition=self.task.edition,
            seed=self.config.seed,
            progress=True,
            purpose="benchmark",
        ).results[0]
        return {"win": result.win_share, "score": result.score}

    def _search(self, agent: AgentSpec) -> tuple[ResponseGame, SearchConfig]:
        """Return game and search; the seed gives all random numbers, the same ones against all algorithms."""
        task, search = self.task, self.config.response
        game = ResponseGame(agent, task.players, find_edition(task.edition), task.reward, "copies")
        return game, search.model_copy(update={"seed": search.seed + self.seed})

    def _gain(self, agent: AgentSpec) -> dict[str, Any]:
        """Return the gain of the strongest response and, for comparisons at equal effort, of the first fit."""
        game, search = self._search(agent)
        rmtree(self.folder / "response", ignore_errors=True)  # responses to an earlier agent
        runs = response_runs(game, search, self.folder / "response")
        for run in runs:
            run.finish()
        fits = fits_of(game, search, self.algorithm.fits)
        best = select([*fits, *(run.policy() for run in runs), *members_of(game, search)], game, search)
        gain = gain_of(best, game, search)
        measures = {"by": gain.agent, "at_least": gain.gain}
        if not fits:  # an agent that itself rules out value iteration has a gain that is easier to keep low
            return measures | {"no_values": no_values(game, search.values)}
        first = gain if best is fits[0] else gain_of(fits[0], game, search)
        return measures | {"first_fit": first.gain.mean}


def game_of(task: BenchmarkTask) -> GameConfig:
    return GameConfig.model_validate({"edition": task.edition, "num_players": (task.players,), "reward": task.reward})


@cache
def digest_of_task(task: BenchmarkTask) -> str:
    """Return a hash of observations and rewards in games of a task, 16 hexadecimal digits.

    It changes with the rules, the observation, the reward and the random numbers.
    """
    batch = Batch(_GAMES, task.players, task.edition, task.reward)
    digest = sha256(batch.reset(seed=0).tobytes())
    game, seat = np.indices((_GAMES, task.players))
    for turn in range(_TURNS):
        leave = (turn + 3 * seat + game) % 7 == 0
        for part in batch.step(leave.astype(np.int8), auto_reset=True):
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and its finished children."""
    return process_time() + sum(os.times()[2:4])
