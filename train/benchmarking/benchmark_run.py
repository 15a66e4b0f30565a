"""One cell of the benchmark: an algorithm with a seed gives an agent for a task, and the agent is measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.evaluation import judge
from diamant_env.judging.games import Played, Player, number_of_tables, play, seeds_for
from diamant_env.judging.intervals import Estimate, mean_of_tables
from diamant_env.judging.lineups import LineUp
from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS
from diamant_env.storage.reading import parse_json
from train.benchmarking.algorithms import Algorithm
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.suite import Task
from train.exact import respond
from train.responding.result import report
from train.responding.search import courses, run_course
from train.runs.report import able_members
from train.runs.results import save_json, slug, to_json
from train.runs.run_folder import POLICY, save_policy

RESULT = "cell.json"
_KEYS = {"task", "family", "meaning", "algorithm", "kind", "seed", "decisions", "points", "measures"}


@dataclass(frozen=True)
class Cell:
    """One place of the benchmark's table: once `RESULT` is in its folder, it is finished."""

    task: Task
    algorithm: Algorithm
    seed: int
    folder: Path

    def result(self) -> dict[str, Any] | None:
        """Return the figures of a finished cell; None of one that is not, or whose file is damaged."""
        found = read_result(self.folder / RESULT)
        me = {"task": self.task.name, "algorithm": self.algorithm.name, "seed": self.seed}
        return found if found is not None and found | me == found else None


def read_result(path: Path) -> dict[str, Any] | None:
    """Return the figures in a cell's file, None if it is not there or damaged."""
    try:
        found = parse_json(path.read_text(encoding="utf-8"))
        return found if set(found) >= _KEYS and found["measures"] and math.isfinite(found["points"]) else None
    except (OSError, ValueError, TypeError):
        return None


def cells(tasks: list[Task], algorithms: list[Algorithm], seeds: int, folder: Path) -> list[Cell]:
    """Return the cells of a part of the suite: several seeds where something is learned, else one."""
    return [
        Cell(task, algorithm, seed, folder / task.name / slug(algorithm.name) / str(seed))
        for task in tasks
        for algorithm in algorithms
        if algorithm.plays(task)
        for seed in range(seeds if algorithm.kind == "learned" else 1)
    ]


def play_cell(cell: Cell, config: BenchmarkConfig) -> dict[str, Any]:
    """Train and measure, unless that is done; leave the figures and the policy in the cell's folder."""
    done = cell.result()
    if done is not None:
        return done
    learned = cell.algorithm.kind == "learned"
    seed = int(seeds_for(config.seed, "cell", cell.task.name, cell.algorithm.name, cell.seed).generate_state(1)[0])
    start = perf_counter()
    agent = cell.algorithm.agent(cell.task, config, seed, cell.folder)
    trained = perf_counter()
    if isinstance(agent, NetworkAgent):
        agent.name = cell.algorithm.name
        save_policy(cell.folder / POLICY, agent, config, config.decisions)
    measures = measure(agent, cell, config)
    result = {
        "task": cell.task.name,
        "family": cell.task.family,
        "meaning": cell.task.meaning,
        "algorithm": cell.algorithm.name,
        "kind": cell.algorithm.kind,
        "seed": cell.seed,
        "decisions": config.decisions if learned else 0,
        "train_seconds": trained - start if learned else 0.0,
        "measure_seconds": perf_counter() - trained,
        "points": points(cell.task, measures),
        "measures": measures,
    }
    save_json(result, cell.folder / RESULT)
    return to_json(result)  # as it is read back


def measure(agent: Player, cell: Cell, config: BenchmarkConfig) -> dict[str, Any]:
    """Return all figures of an agent that its task has."""
    task = cell.task
    measures: dict[str, Any] = {"self_play_score": self_play_score(agent, task, config)}
    if task.players == 1:
        return measures
    edition, blank = task.game.played(), task.game.blank
    for pool in POOLS:
        line_up = LineUp(pool, able_members(pool, task.players, edition, blank))
        (found,) = judge(
            agent, [line_up], config.games, config.seed, task.players, edition, purpose="benchmark", blank_rivals=blank
        )
        margin = found.score.mean - found.rivals_score
        measures[pool] = {"win": found.win_share, "score": found.score, "margin": margin}
    measures["gain"] = gain(agent, cell, config)
    if task.family == "expedition" and task.players <= config.exact_players:
        measures["exact"] = exploitability(agent, task)
    return measures


def points(task: Task, measures: dict[str, Any]) -> float:
    """Return the one figure that is aggregated: at held-out tables, or alone, in the task's reward."""
    if task.players == 1:
        return float(measures["self_play_score"].mean)
    figure = measures["held_out"][task.game.reward]
    return float(figure.mean if isinstance(figure, Estimate) else figure)


def self_play_score(agent: Player, task: Task, config: BenchmarkConfig) -> Estimate:
    """Return what the agent scores among copies of itself, or alone."""
    tables = number_of_tables(config.games, task.players)
    seeds = seeds_for(config.seed, "benchmark", "self-play", task.players)
    seating = np.zeros((tables, task.players), np.int64)
    played: Played = play([agent], seating, config.games, seeds, task.game.played(), None, task.game.blank)
    return mean_of_tables(played.totals(played.scores.mean(axis=1)), played.quotas)


def gain(agent: Player, cell: Cell, config: BenchmarkConfig) -> dict[str, Any]:
    """Return what can be gained against copies, at the least: by PPO, if asked for, or by a member of the pools."""
    task = cell.task
    match = DeviationGame(agent, task.players, task.game.played(), task.game.reward, task.game.blank)
    made = make(agent) if isinstance(agent, str) else agent
    runs = courses(made, config.response, cell.folder / "response") if config.respond else []
    for run in runs:
        run_course(run, match, config.response)
    found = report(runs, match, config.response)
    return {"by": found.best.player, "at_least": found.best_bound, "weak": found.weak, "searched": len(runs)}


def exploitability(agent: Player, task: Task) -> dict[str, float | str]:
    """Return exactly what one deviator gains in the expedition, and what all score, in gems; or why it is not known."""
    try:
        found, _ = respond(make(agent) if isinstance(agent, str) else agent, task.players, task.game.played())
    except ValueError as error:  # an agent with a memory is no policy of what it sees
        return {"refused": str(error)}
    return {"exploitability": found.exploitability, "nash_conv": found.nash_conv, "value": found.profile_value}
