"""Finished runs at tables of agents that a seed draws, beside what they won at those of the held-out pool."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diamant_env.commands.terminal import say, warn
from diamant_env.judging.games import Player
from diamant_env.judging.intervals import Estimate
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.registry import names_object
from diamant_env.opponents.scripted.drawn import commitment, drawn_pool
from diamant_env.storage.files import write_whole
from diamant_env.storage.markdown import code, markdown_table
from diamant_env.storage.results import save_json, to_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import HELD_OUT, Algorithm, BenchmarkRun
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.entry import from_agent
from train.benchmarking.folder import finished, in_order
from train.benchmarking.reporting.columns import estimate_of, over_seeds
from train.benchmarking.suite import Task
from train.runs.run_folder import POLICY, read_json

PUBLISHED: tuple[str, ...] = ("bcd5f841aa30a964675b0a67dd525847c4ad05bc6174934bbc8aece7b79a4b33",)
"""The commitments published before their seeds, the newest last: `diamant_env.opponents.scripted.drawn.commitment`."""
FILE, PAGE = "line-ups.json", "line-ups.md"
_NAMES, _KINDS = ("task", "algorithm", "seed"), ("drawn", HELD_OUT)
_Rows = dict[tuple[str, str, int], dict[str, Any]]  # by `_NAMES`


def play_line_ups(runs: Sequence[BenchmarkRun], seed: str, folder: Path) -> list[dict[str, Any]]:
    """Measure finished runs at tables that a seed draws, and write what is found into the folder.

    What the folder has of the same seed is kept, also of runs whose agent is not here.

    Raises:
        ValueError: If the seed is empty, or no run is finished whose agent is still there.
    """
    drawn = drawn_pool(seed)
    rows = _kept_rows(folder / FILE, seed)
    there = [(run, agent) for run in runs if (agent := _agent_of(run, rows)) is not None]
    if not (there or rows):
        raise ValueError(
            f"{folder} has no finished run whose agent is there; play some without --line-ups, or name their folder "
            "by --out, or --quick"
        )
    published = "published before" if commitment(seed) in PUBLISHED else "not published before"
    head = {"seed": seed, "commitment": commitment(seed), "published": published, "agents": drawn}
    for number, (run, agent) in enumerate(there, 1):
        say(f"[{number}/{len(there)}] {run} …")
        drawn_figure = run.among(agent, "drawn", drawn)[run.task.game.reward]
        figures = to_json(drawn_figure), _held_out(run)
        rows[_key(run)] = dict(zip((*_NAMES, *_KINDS), (*_key(run), *figures), strict=True))
        _write({**head, "runs": in_order(rows.values())}, folder)
    found = in_order(rows.values())
    _write({**head, "runs": found}, folder)
    say(f"The page is {folder / PAGE}, the figures are in {folder / FILE}.")
    return found


def _write(content: dict[str, Any], folder: Path) -> None:
    save_json(content, folder / FILE)
    write_whole(folder / PAGE, f"# Line-ups drawn by a seed\n\n{line_ups_text(to_json(content), '## ')}\n")


def finished_runs(
    config: BenchmarkConfig, folder: Path, tasks: Sequence[Task], seeds: int | None = None
) -> list[BenchmarkRun]:
    """Return every finished run of these tasks and seeds that lies in a folder, also those of one's own entries."""
    named, runs = {task.name: task for task in tasks}, []
    for place, row in finished(folder)[0]:
        if row["task"] not in named or (seeds is not None and row["seed"] >= seeds):
            continue
        try:
            runs.append(BenchmarkRun(named[row["task"]], _algorithm(row), row["seed"], place, config))
        except ValueError as error:
            warn(f"{place} is left out: {error}")
    return runs


def _algorithm(row: dict[str, Any]) -> Algorithm:
    """Return the algorithm of a finished run. Its policy is all that is needed of a training function of one's own.

    Raises:
        ValueError: If it is an agent that can't be made any more, such as one whose module is not here.
    """
    name, kind = row["algorithm"], row["kind"]
    if name in ALGORITHMS and kind == ALGORITHMS[name].kind:
        return ALGORITHMS[name]
    if kind == "agent":
        return from_agent(name)
    return Algorithm(name, kind, name, lambda _run: name, version=row.get("version", ""))


def kept_agent(run: BenchmarkRun) -> Player | None:
    """Return the agent of a finished run: its policy, or what learns nothing; None if it is not kept."""
    if run.algorithm.kind != "learned":
        return run.algorithm.agent(run)
    text = (run.result() or {}).get("agent", "")
    if text and not names_object(text):  # a file runs nothing
        return text
    path = run.folder / POLICY
    return NetworkAgent.load(path) if path.is_file() else None


def _agent_of(run: BenchmarkRun, rows: _Rows) -> Player | None:
    """Return the agent of a finished run that is not among these rows; None, and a line, if it can't be measured."""
    try:
        if run.task.players == 1:
            return None
        if run.result() is None:
            warn(f"{run} is left out: it is not finished")
            return None
        known = rows.get(_key(run))
        if known and math.isclose(known[HELD_OUT]["mean"], _held_out(run)["mean"], rel_tol=1e-6):
            return None
        if (agent := kept_agent(run)) is None:
            warn(f"{run} is left out: its policy is not kept; a function that trains can return a policy file")
        return agent
    except ValueError as error:
        warn(f"{run} is left out: {error}")
        return None


def _held_out(run: BenchmarkRun) -> dict[str, Any]:
    """Return what a finished run won at tables of the published pool."""
    return run.result()["measures"][HELD_OUT][run.task.game.reward]  # type: ignore[index]


def _key(run: BenchmarkRun) -> tuple[str, str, int]:
    return run.task.name, run.algorithm.name, run.seed


def _kept_rows(path: Path, seed: str) -> _Rows:
    """Return what was measured before at the tables of a seed, by `_key`."""
    try:
        content: dict[str, Any] = read_json(path) if path.is_file() else {"seed": seed, "runs": []}
        rows, other = content["runs"], content["seed"]
        if other != seed:
            raise ValueError(f"{path} has the line-ups of the seed {other!r}: move it away, or give another --out")
        return {(row["task"], row["algorithm"], row["seed"]): row for row in rows if {*_KINDS} <= row.keys()}
    except (KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is damaged: remove it, and the line-ups are played anew") from None


def line_ups_text(content: dict[str, Any], heading: str) -> str:
    """Return the figures as Markdown: for each task the algorithms with their ranks.

    Args:
        content: As `play_line_ups` saves it.
        heading: What a heading of a task begins with, such as "## ".
    """
    parts = [
        f"Seed {code(content['seed'])}, SHA-256 `{content['commitment']}`, {content['published']}. Agents: "
        + ", ".join(map(code, content["agents"]))
        + ". Figures in the task's reward, with 95 % intervals, over seeds (Student's t) and games.",
    ]
    for task in dict.fromkeys(row["task"] for row in content["runs"]):
        rows = [row for row in content["runs"] if row["task"] == task]
        parts.append(f"{heading}{task}\n\n{_by_algorithm(rows)}")
    return "\n\n".join(parts)


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
        [code(name)]
        + [cell for of, rank in zip(figures, ranks, strict=True) for cell in (_text(of[name]), str(rank[name]))]
        for name in sorted(names, key=lambda name: drawn[name])
    ]
    table = markdown_table(["algorithm", "drawn", "rank", "held-out", "rank"], lines)
    return f"Another rank than in the held-out pool: {moved} of {len(names)}.\n\n{table}"


def _text(found: Estimate) -> str:
    interval = "" if math.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]"  # one table has none
    return f"{found.mean:.3f}{interval}"
