"""A benchmark run: an algorithm gives an agent for a task, and the agent is measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from diamant_env import exact
from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.evaluation import judge
from diamant_env.judging.games import Player, number_of_tables, play, seeds_for
from diamant_env.judging.intervals import Estimate, mean_of_tables
from diamant_env.judging.lineups import LineUp
from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.own import as_agent
from diamant_env.opponents.pools import POOLS
from diamant_env.opponents.scripted.family import Scripted
from diamant_env.storage.reading import parse_json
from diamant_env.storage.results import save_json, to_json
from train.algorithms.counting import Meter
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.suite import Task
from train.responding.result import report
from train.responding.search import response_runs
from train.runs.config import Config, JudgeConfig, OpponentsConfig, reward_scale
from train.runs.report import able_members
from train.runs.run_folder import POLICY, save_policy

RESULT = "result.json"
_KINDS = {
    **dict.fromkeys(("task", "family", "meaning", "algorithm", "kind"), str),
    **dict.fromkeys(("seed", "decisions"), int),
    **dict.fromkeys(("points", "train_seconds", "measure_seconds"), (int, float)),
    "measures": dict,
}
"""What a run's file must have, beside what other versions may have added."""


class Algorithm(NamedTuple):
    """One way to get an agent for a task.

    Attributes:
        name: What the command calls it.
        kind: ``"learned"``, which has several seeds and a budget, ``"scripted"``, ``"exact"`` or ``"agent"``.
        meaning: What it is, in a few words.
        agent: Called with the run; returns an agent or a text.
        plays: Whether it can play a task.
        version: A digest of what it is, where a file of somebody's own says that.
    """

    name: str
    kind: str
    meaning: str
    agent: Callable[[BenchmarkRun], Player]
    plays: Callable[[Task], bool] = lambda _task: True
    version: str = ""


@dataclass(frozen=True)
class BenchmarkRun:
    """One task, algorithm and seed, with a folder of its own: once `RESULT` is there, the run is finished."""

    task: Task
    algorithm: Algorithm
    seed: int
    folder: Path
    config: BenchmarkConfig

    def __str__(self) -> str:
        return f"{self.task.name} {self.algorithm.name} {self.seed}"

    @property
    def meter(self) -> Meter:
        """Where the decisions of the learning seats are counted."""
        return Meter(self.folder / "spent")

    def experiment(self, reward: str = "", opponents: OpponentsConfig | None = None) -> Config:
        """Return the task and the budget as one experiment, whose seed no other run has.

        Args:
            reward: What is learned for, if not the task's reward.
            opponents: Who sits in the other seats, by default the learner itself.
        """
        config, game = self.config, self.task.game
        if reward:
            game = game.model_copy(update={"reward": reward})
        # "cell" is what a run was called when the figures of docs/benchmark.md were measured.
        seeds = seeds_for(config.seed, "cell", self.task.name, self.algorithm.name, self.seed)
        scale = config.ppo.reward_scale * reward_scale(game.reward)
        return Config(
            name="benchmark",
            seed=int(seeds.generate_state(1)[0]),
            threads=config.threads,
            game=game,
            opponents=opponents or OpponentsConfig(),
            ppo=config.ppo.model_copy(update={"decisions": config.decisions, "reward_scale": scale}),
            network=config.network,
            judge=JudgeConfig(curve_points=0),
        )

    def result(self) -> dict[str, Any] | None:
        """Return the figures of a finished run; None of one that is not, or whose file is damaged.

        Raises:
            ValueError: If another version of the algorithm has played it.
        """
        found = read_result(self.folder / RESULT)
        me = {"task": self.task.name, "algorithm": self.algorithm.name, "seed": self.seed}
        if found is None or found | me != found:
            return None
        if found.get("version", "") != self.algorithm.version:
            raise ValueError(
                f"{self.folder} was played by another version of {self.algorithm.name}; remove that folder or give "
                "another one by --out"
            )
        return found

    def play(self) -> dict[str, Any]:
        """Train and measure, unless that is done; leave the figures and the policy in the folder."""
        if (done := self.result()) is not None:
            return done
        task, algorithm, config = self.task, self.algorithm, self.config
        learned = algorithm.kind == "learned"
        start = perf_counter()
        agent = algorithm.agent(self)
        trained = perf_counter()
        if isinstance(agent, NetworkAgent):
            agent.name = algorithm.name
            save_policy(self.folder / POLICY, agent, config, config.decisions)
        measures = self.measure(agent)
        result = {
            "task": task.name,
            "family": task.family,
            "meaning": task.meaning,
            "algorithm": algorithm.name,
            "kind": algorithm.kind,
            "seed": self.seed,
            "version": algorithm.version,
            "budget": config.decisions if learned else 0,
            "decisions": self.meter.spent() if learned else 0,
            "train_seconds": trained - start if learned else 0.0,
            "measure_seconds": perf_counter() - trained,
            "points": points(task, measures),
            "measures": measures,
        }
        save_json(result, self.folder / RESULT)
        return to_json(result)  # as it is read back

    def measure(self, agent: Player) -> dict[str, Any]:
        """Return all figures of an agent that the task has."""
        task, config, game = self.task, self.config, self.task.game
        edition, blank = game.played(), game.blank
        tables = number_of_tables(config.games, task.players)
        seeds = seeds_for(config.seed, "benchmark", "self-play", task.players)
        seating = np.zeros((tables, task.players), np.int64)
        played = play([agent], seating, config.games, seeds, edition, blank_rivals=blank)
        score = mean_of_tables(played.totals(played.scores.mean(axis=1)), played.quotas)
        measures: dict[str, Any] = {"self_play_score": score}
        if task.players == 1:
            return measures
        for pool in POOLS:
            line_up = LineUp(pool, able_members(pool, task.players, edition, blank))
            (found,) = judge(
                agent, [line_up], config.games, config.seed, task.players, edition, False, "benchmark", blank
            )
            margin = found.score.mean - found.rivals_score
            measures[pool] = {"win": found.win_share, "score": found.score, "margin": margin}
        measures["gain"] = self.gain(agent)
        if task.family == "expedition" and task.players <= config.exact_players:
            measures["exact"] = exploitability(agent, task)
        return measures

    def gain(self, agent: Player) -> dict[str, Any]:
        """Return the most that PPO, if asked for, or a member of the pools gains against copies of an agent."""
        game, search = self.task.game, self.config.response
        table = DeviationGame(agent, self.task.players, game.played(), game.reward, game.blank)
        runs = response_runs(table, search, self.folder / "response") if self.config.respond else []
        for run in runs:
            run.finish()
        found = report(runs, table, search)
        return {"by": found.best.player, "at_least": found.best_bound, "weak": found.weak, "searched": len(runs)}


def read_result(path: Path) -> dict[str, Any] | None:
    """Return the figures in a run's file, None if it is not there or damaged."""
    try:
        found = parse_json(path.read_text(encoding="utf-8"))
        sound = all(isinstance(found[key], kind) for key, kind in _KINDS.items()) and math.isfinite(found["points"])
        measured = found["measures"] and all(isinstance(measure, dict) for measure in found["measures"].values())
        return found if sound and measured else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def points(task: Task, measures: dict[str, Any]) -> float:
    """Return the one figure that is aggregated: at held-out tables, or alone, in the task's reward."""
    figure = measures["held_out"][task.game.reward] if task.players > 1 else measures["self_play_score"]
    return float(figure.mean if isinstance(figure, Estimate) else figure)


def exploitability(player: Player, task: Task) -> dict[str, float | str]:
    """Return exactly what one deviator gains in the expedition, and what all score, in gems; or why it is not known."""
    agent, edition = make(player) if isinstance(player, str) else as_agent(player), task.game.played()
    start = exact.start_of_expedition(edition, task.players)
    try:
        # Scripted agents count traps; any other may tell one kind from another.
        tree = exact.build_tree(start, edition, merge_traps=isinstance(agent, Scripted))
        found = exact.best_response(exact.policy_of(agent, tree), tree)
    except ValueError as error:  # an agent with a memory is no policy of what it sees
        return {"refused": str(error)}
    return {"exploitability": found.exploitability, "nash_conv": found.nash_conv, "value": found.profile_value}
