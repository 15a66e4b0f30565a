"""Generated parts that show what was measured: tables of docs/measured/*.json and of model cards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import task_pages
from findings import findings

from benchmarks.results import figure_text
from diamant_env import list_tasks
from diamant_env.storage.markdown import markdown_table
from examples.run_all import RECIPES, RESULTS
from train.benchmarking.drawn_line_ups import line_ups_text
from train.benchmarking.page import summary, task_tables

MEASURED = Path(__file__).with_name("measured")
POLICIES = Path(__file__).parents[1] / "agents" / "policies"
SHIPPED = ("champion", "hunter")
Row = dict[str, Any]


def load(name: str) -> Row:
    """Return the content of docs/measured/NAME.json."""
    return json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))


def interval(figures: float | dict[str, float], digits: int = 3) -> str:
    """Return a mean with its interval, if it has one."""
    if not isinstance(figures, dict):
        return f"{figures:.{digits}f} (–)"
    mean, low, high = (f"{figures[name]:.{digits}f}" for name in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def engine() -> str:
    """The step beside plain C and with two threads, and the seconds until the first step."""
    results = load("throughput")
    found = {(row["section"], row["what"], row.get("rival")): row for row in results["rows"]}
    rows = []
    for what in dict.fromkeys(row["what"] for row in results["rows"] if row["section"] == "rules"):
        step = found["step with observations", what, "plain C"]
        changes = found["step with observations", what, "plain C, only what changed"]
        rules, threads = found["rules", what, "plain C"], found["two threads", what, "one thread"]
        games, players = what.removeprefix("batch ").removesuffix(" players").rsplit(", ", 1)
        figures = (
            figure_text(step["ours"]),
            figure_text(step["ratio"]),
            figure_text(changes["ratio"]),
            figure_text(rules["ours"]),
            figure_text(rules["ratio"]),
        )
        rows.append([games, players, *figures, figure_text(threads["ratio"])])
    head = ["games", "players", "step, M/s", "÷ plain C", "÷ C, only what changed"]
    head += ["rules alone, M/s", "÷ plain C", "two threads ÷ one"]
    costs = (f"{row['what']} {figure_text(row['ours'])} s" for row in results["rows"] if row["section"] == "costs")
    return f"{_source(results)}\n\n{markdown_table(head, rows)}\n\nBefore it runs: {'; '.join(costs)}."


def peers() -> str:
    """The engine beside other environments, a row for each of them."""
    results = load("peers")
    rows: dict[str, list[str]] = {}
    for row in results["rows"]:
        rows.setdefault(row["rival"], [row["rival"], f"{figure_text(row['theirs'])} {row['unit']}"]).append(
            figure_text(row["ratio"])
        )
    table = markdown_table(["beside", "theirs", "4 players", "8 players"], ([*row, ""][:4] for row in rows.values()))
    return "\n\n".join([_source(results), table, f"O{results['notes'][0][1:]}."])


def libraries(lines: dict[str, Row] | None = None) -> str:
    """What `make examples` saw of each recipe, by default what is in docs/libraries.json."""
    seen = json.loads(RESULTS.read_text(encoding="utf-8")) if lines is None else lines
    rows, beside = [], {}
    for recipe in RECIPES:
        line = seen.get(recipe.name, {"version": "", "verdict": "not run", "output": ""})
        figures = [line.get(name, "") for name in ("decisions", "seconds", "rate", "share")]
        if line["verdict"] != "runs":
            figures[-1] = f"**{line['verdict']}** {line['output']}".strip()
        rows.append([recipe.name, line["version"], *figures, recipe.mask, recipe.idle, recipe.mind])
        beside |= dict(text.split(" ", 1) for text in line.get("beside", "").split(", ") if text)
    rows += [[f"`{name}`, scripted", "", "", "", "", share, "", "", "for comparison"] for name, share in beside.items()]
    head = ["library", "version", "decisions", "seconds", "decisions/s", "win share", "mask", "idle seats"]
    return markdown_table([*head, "what it can't do, what to mind"], rows)


def _source(results: Row) -> str:
    shown = ("date", "processor", "cores", "load", "python", "numpy", "numba", "torch", "commit", "C")
    machine = (f"{name} {results['machine'][name]}" for name in shown if name in results["machine"])
    return f"`{results['command']}`: {', '.join(machine)}."


def exact() -> str:
    """The values of one expedition, and how far agents are from them."""
    rows = load("exact")["rows"]
    values = [
        [f"`{row['edition']}`", row["players"], _gems(row["all play it"]), f"{row['nodes']:,}", f"{row['seconds']:.1f}"]
        for row in rows
        if row["agent"] == "equilibrium"
    ]
    agents: dict[str, list[object]] = {}
    for row in (row for row in rows if "best response" in row):
        figures = [_gems(row[name]) for name in ("all play it", "best response", "exploitability")]
        agents.setdefault(row["agent"], [f"`{row['agent']}`"]).extend(figures)
    head = [f"{players} {what}" for players in (2, 3) for what in ("play it", "best response", "exploitability")]
    return "\n\n".join(
        [
            "The equilibrium of one fresh expedition in score:",
            markdown_table(["edition", "players", "gems each", "nodes", "seconds"], values),
            "Scripted agents in one of `iello-2016-fr`, at tables of 2 and of 3:",
            markdown_table(["agent", *head], agents.values()),
        ]
    )


def exact_lone() -> str:
    """The values of a whole game alone."""
    rows = [row for row in load("exact")["rows"] if "busts" in row]
    found = [[f"`{row['edition']}`", _gems(row["all play it"]), _gems(row["busts"])] for row in rows]
    return markdown_table(["edition", "gems", "busts"], found)


def _gems(figure: float) -> str:
    return f"{figure:.6f}"


def strangers() -> str:
    """What the shipped policies and one that trained on them win from held-out agents, at each table size."""
    judged = [*(_card(name)["tables"] for name in SHIPPED), load("ceiling")["tables"]]
    here = [[row for row in each if row["edition"] == "iello-2016"] for each in judged]
    rows = []
    for *own, ceiling in zip(*here, strict=True):
        players = ceiling["players"]
        parts = [(row["held_out"]["mean"] - 1 / players) / (ceiling["held_out"]["mean"] - 1 / players) for row in own]
        shares = [interval(row["held_out"]) for row in (*own, ceiling)]
        rows.append([players, f"{1 / players:.3f}", *shares, *(f"{part:.2f}" for part in parts)])
    head = [*(f"`{name}`" for name in SHIPPED), "trained on them", *(f"`{name}`, part" for name in SHIPPED)]
    return markdown_table(["players", "fair share", *head], rows)


def _card(name: str) -> Row:
    return json.loads((POLICIES / f"{name}.json").read_text(encoding="utf-8"))


def thinking() -> str:
    """What so many pairs of roll-outs cost and tell: cut, and to the end of the game."""
    found = load("thinking")
    kinds: dict[tuple[int, int], list[Row]] = {}
    for row in found["rows"]:
        kinds.setdefault((row["players"], row["pairs"]), []).append(row)
    lines = []
    for (players, pairs), (cut, full) in kinds.items():
        times = [figure_text(each[name]) for name in ("batch", "alone") for each in (cut, full)]
        lines.append([players, f"{pairs:,}", f"{cut['error']:.4f}", f"{full['error']:.4f}", *times])
    head = ["players", "pairs", "error, cut", "error, full", "ms in a batch, cut", "full", "ms alone, cut", "full"]
    machine = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
    return f"`{found['command']}`: {machine}.\n\n{markdown_table(head, lines)}"


def response() -> str:
    """What each kind of responder gains against copies of the champion, at each table size."""
    rows = []
    for found in (results["found"] for results in load("response")):
        starts = [[row["gain"] for row in found["searched"] if start in row["player"]] for start in ("scratch", "warm")]
        gains = [found["lookahead"]["gain"], *(max(each, key=lambda gain: gain["mean"]) for each in starts)]
        bound, players = found["can_be_gained"], found["players"]
        part = f"{bound['mean'] * players:.1%}"
        rows.append([players, f"{1 / players:.3f}", *map(interval, gains), interval(bound), part])
    kinds = ["search", "PPO from scratch", "PPO from the champion"]
    return markdown_table(["players", "fair share", *kinds, "gained at least", "of the fair share"], rows)


def validation() -> str:
    """What each kind of responder gains where the gain of a best response is known."""
    rows = load("validation")["rows"]
    kinds = list(max((row["found"] for row in rows), key=len))
    lines = [
        [row["players"], _agent_text(row["agent"]), f"{row['exact']:.3f}"]
        + [interval(row["found"][kind], 2) if kind in row["found"] else "" for kind in kinds]
        for row in rows
    ]
    parts = [
        f"{kind} {np.median([row['found'][kind]['mean'] / row['exact'] for row in rows if kind in row['found']]):.2f}"
        for kind in kinds
    ]
    table = markdown_table(["players", "agent", "best response", *kinds], lines)
    return f"{table}\n\nThe median part that each finds of what a best response gains: {', '.join(parts)}."


def _agent_text(name: str) -> str:
    return name if " " in name else f"`{name}`"


def benchmark() -> str:
    """What has been played of the benchmark, as the page of its folder shows it."""
    return summary(load("benchmark"))


def benchmark_tasks() -> str:
    """All figures of the benchmark, a table for each task."""
    return "\n\n".join(task_tables(load("benchmark")["runs"], "## "))


def sentences() -> str:
    """What the benchmark found, in words."""
    return findings(load("benchmark")["runs"])


def line_ups() -> str:
    """What the benchmark's agents win at tables that a seed draws."""
    return line_ups_text(load("line-ups"), "### ")


def faults() -> str:
    """The table of `make faults`; the same fault of several commands or files is one row."""
    found = load("faults")
    groups: dict[str, list[tuple[str, Row]]] = {}
    for row in found["rows"]:
        match = re.search(r"(?<=of python -m )\S+|^[\w ]+(?=: random damage|: files made)", row["fault"])
        name = match[0] if match else ""
        groups.setdefault(row["fault"].replace(name, "{}") if name else row["fault"], []).append((name, row))
    lines = []
    for fault, members in groups.items():
        row, several = members[0][1], len(members) > 1
        rate = f"{row['bound']:.1g}" if row["bound"] < 0.01 else f"{min(1, row['bound']):.2f}"
        cells = [fault.format(", ".join(name for name, _ in members))]
        cells += [f"{len(members)} × {row['trials']:,}" if several else f"{row['trials']:,}"]
        cells += [f"{sum(each['failures'] for _, each in members):,}", rate + " each" * several]
        cells += ["–" if several else row.get("worst", "–").replace("|", "/")]
        caught = "caught" if all(each["caught"] for _, each in members) else "**missed**"
        lines.append([*cells, f"{row['control']}: {caught}"])
    machine = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
    minutes, seconds = divmod(found["seconds"], 60)
    head = ["fault", "trials", "failures", "rate below", "worst", "control"]
    return f"`{found['command']}`, {minutes} min {seconds} s; {machine}.\n\n{markdown_table(head, lines)}"


def tasks() -> str:
    """The registered tasks, each with its length, its busts and three baselines."""
    found, agents, rows, notes = load("tasks"), ("champion", "ev:0.75", "random:0.2"), [], {}
    for task in list_tasks():
        row = found[task_pages.short(task)]
        measure = "score" if {"reward": "score", "num_players": 1}.items() & task.settings.items() else "win"
        shares = [task_pages.interval(row["agents"][agent][measure]) for agent in agents]
        rows.append([f"`{task.id}`", task.meaning, f"{row['turns']:.1f}", f"{100 * row['busts']:.0f} %", *shares])
        if sat := task_pages.who_sat(*task_pages.played(task)):
            notes.setdefault(sat, []).append(f"`{task.id}`")
    table = markdown_table(["id", "game", "turns", "busts", *(f"`{agent}`" for agent in agents)], rows)
    hidden = [
        f"Chests are hidden in {', '.join(ids)}: there the tables are of held-out agents{sat}."
        for sat, ids in notes.items()
    ]
    return "\n\n".join([table, *hidden])


PARTS = {
    "engine": engine,
    "peers": peers,
    "libraries": libraries,
    "exact": exact,
    "exact-lone": exact_lone,
    "strangers": strangers,
    "champion-response": response,
    "thinking": thinking,
    "validation": validation,
    "benchmark": benchmark,
    "benchmark-tasks": benchmark_tasks,
    "findings": sentences,
    "line-ups": line_ups,
    "faults": faults,
    "tasks": tasks,
}
