"""Finished runs at tables of agents that a seed draws, beside what they won at those of the held-out pool."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from diamant_env.commands.terminal import say
from diamant_env.judging.games import Player
from diamant_env.judging.intervals import Estimate
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.scripted.drawn import commitment, drawn_pool
from diamant_env.storage.files import write_whole
from diamant_env.storage.markdown import markdown_table
from diamant_env.storage.results import save_json, to_json
from train.benchmarking.algorithms import ALGORITHMS, find_algorithms
from train.benchmarking.benchmark_run import HELD_OUT, RESULT, Algorithm, BenchmarkRun, read_result
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.page import estimate_of, over_seeds
from train.benchmarking.suite import find_tasks
from train.runs.run_folder import POLICY

PUBLISHED: tuple[str, ...] = ("bcd5f841aa30a964675b0a67dd525847c4ad05bc6174934bbc8aece7b79a4b33",)
"""The commitments published before their seeds, the newest last: `diamant_env.opponents.scripted.drawn.commitment`."""
FILE, PAGE = "line-ups.json", "line-ups.md"
_KINDS = ("drawn", HELD_OUT)


def play_line_ups(runs: Sequence[BenchmarkRun], seed: str, folder: Path) -> list[dict[str, Any]]:
    """Measure finished runs at tables that a seed draws, and write what is found into the folder.

    Raises:
        ValueError: If the seed is empty, or no run is finished whose agent is still there.
    """
    drawn = drawn_pool(seed)
    finished = [run for run in runs if run.task.players > 1 and run.result() is not None]
    there = [(run, agent) for run in finished if (agent := kept_agent(run)) is not None]
    if not there:
        raise ValueError(f"{folder} has no finished run whose agent is there; play some without --line-ups")
    if len(there) < len(finished):
        say(f"{len(finished) - len(there)} of {len(finished)} finished runs have no policy here and are left out")
    rows = list(_measured(there, drawn))
    published = "published before" if commitment(seed) in PUBLISHED else "not published before"
    content = {"seed": seed, "commitment": commitment(seed), "published": published, "agents": drawn, "runs": rows}
    save_json(content, folder / FILE)
    write_whole(folder / PAGE, _page(to_json(content)))
    say(f"The page is {folder / PAGE}, the figures are in {folder / FILE}.")
    return rows


def finished_runs(config: BenchmarkConfig, folder: Path) -> list[BenchmarkRun]:
    """Return every finished run of a part's tasks and seeds that lies in a folder, also those of one's own entries."""
    tasks = {task.name: task for task in find_tasks(config.tasks)}
    found = [(path.parent, read_result(path)) for path in sorted((folder / "runs").rglob(RESULT))]
    runs = []
    for place, row in found:
        if row is None or row["task"] not in tasks or row["seed"] >= config.seeds:
            continue
        try:
            runs.append(BenchmarkRun(tasks[row["task"]], _algorithm(row), row["seed"], place, config))
        except ValueError as error:
            say(f"{place} is left out: {error}")
    return runs


def _algorithm(row: dict[str, Any]) -> Algorithm:
    """Return the algorithm of a finished run. Its policy is all that is needed of a training function of one's own.

    Raises:
        ValueError: If it is an agent that can't be made any more, such as one whose module is not here.
    """
    name, kind = row["algorithm"], row["kind"]
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    if kind == "agent":
        return find_algorithms((), (name,))[0]
    return Algorithm(name, kind, name, lambda _run: name, version=row.get("version", ""))


def kept_agent(run: BenchmarkRun) -> Player | None:
    """Return the agent of a finished run: its policy, or what learns nothing; None if it is not kept."""
    if run.algorithm.kind != "learned":
        return run.algorithm.agent(run)
    path = run.folder / POLICY
    return NetworkAgent.load(path) if path.is_file() else None


def _measured(runs: Sequence[tuple[BenchmarkRun, Player]], drawn: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, (run, agent) in enumerate(runs, 1):
        say(f"[{number}/{len(runs)}] {run} …")
        reward = run.task.game.reward
        found = run.among(agent, "drawn", drawn)[reward]
        before = run.result()["measures"][HELD_OUT][reward]  # type: ignore[index]
        names = {"task": run.task.name, "algorithm": run.algorithm.name, "seed": run.seed}
        yield {**names, **dict(zip(_KINDS, (to_json(found), before), strict=True))}


def _page(content: dict[str, Any]) -> str:
    """Return the figures as Markdown: for each task the algorithms with their ranks, and each seed of several."""
    parts = [
        "# Line-ups drawn by a seed",
        f"Seed `{content['seed']}`, SHA-256 `{content['commitment']}`, {content['published']}. Agents: "
        + ", ".join(f"`{text}`" for text in content["agents"])
        + ". Figures in the task's reward, with 95 % intervals, over seeds (Student's t) and games.",
    ]
    for task in dict.fromkeys(row["task"] for row in content["runs"]):
        rows = [row for row in content["runs"] if row["task"] == task]
        parts.append(f"## {task}\n\n{_by_algorithm(rows)}")
        if any(row["seed"] for row in rows):
            lines = [
                [f"`{row['algorithm']}`", row["seed"], *(_text(estimate_of(row[kind])) for kind in _KINDS)]
                for row in rows
            ]
            parts.append(markdown_table(["algorithm", "seed", "drawn", "held-out"], lines))
    return "\n\n".join(parts) + "\n"


def _by_algorithm(rows: Sequence[dict[str, Any]]) -> str:
    """Return how many algorithms of a task have another rank among drawn agents, and a table of all."""
    names = dict.fromkeys(row["algorithm"] for row in rows)
    figures = [
        {name: over_seeds([estimate_of(row[kind]) for row in rows if row["algorithm"] == name]) for name in names}
        for kind in _KINDS
    ]
    ranks = [{name: 1 + sum(each.mean > of[name].mean for each in of.values()) for name in names} for of in figures]
    drawn, held_out = ranks
    moved = sum(drawn[name] != held_out[name] for name in names)
    lines = [
        [f"`{name}`"]
        + [cell for of, rank in zip(figures, ranks, strict=True) for cell in (_text(of[name]), str(rank[name]))]
        for name in sorted(names, key=lambda name: drawn[name])
    ]
    table = markdown_table(["algorithm", "drawn", "rank", "held-out", "rank"], lines)
    return f"Another rank than in the held-out pool: {moved} of {len(names)}.\n\n{table}"


def _text(found: Estimate) -> str:
    interval = "" if math.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]"  # one table has none
    return f"{found.mean:.3f}{interval}"
