"""Pictures of what was judged, each as a PNG or in the format that the file's suffix says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from diamant_env.judging.evaluation import Result
from diamant_env.judging.intervals import Estimate
from train.runs.config import Config
from train.runs.results import save_figure

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito: safe for colour-blind
_GREY = "#777777"
_TITLES = {
    "distinct": "distinct opponents drawn for each table",
    "clones": "copies of one opponent in all other seats",
    "intruder": "one intruder among copies of the agent: the intruder's win share (low is good)",
}


def draw_win_shares(results: Sequence[Result], path: str | Path) -> None:
    """Draw win share and mean score of each line-up with their 95 % intervals."""
    agents = list(dict.fromkeys(result.agent for result in results))
    rows: dict[tuple[str, str], int] = {}  # of each line-up and, by an empty name, of each kind's heading
    for how in _TITLES:
        labels = dict.fromkeys(_label(result) for result in results if result.how == how)
        for label in ("", *labels) if labels else ():
            rows[how, label] = len(rows)
    figure = Figure(figsize=(11, 1.9 + 0.27 * len(rows)), layout="constrained")
    shares, scores = figure.subplots(1, 2, sharey=True, width_ratios=(1.2, 1))
    for result in results:
        position = agents.index(result.agent)
        row = rows[result.how, _label(result)] + 0.5 * ((position + 0.5) / len(agents) - 0.5)
        style = _COLOURS[position % len(_COLOURS)], "s" if result.how == "intruder" else "o"
        _interval(shares, row, result.win_share, *style)
        _interval(scores, row, result.score, *style)
        scores.plot(result.rivals_score, row, "|", color=_GREY, markersize=9, zorder=2)
    for fair in sorted({result.fair for result in results}):
        shares.axvline(fair, color=_GREY, linestyle="--", linewidth=1, zorder=1)
    highest = max(np.nanmax((result.win_share.mean, result.win_share.high)) for result in results)
    shares.set_xlim(0, min(1, 1.05 * max(2 * results[0].fair, highest)))
    scores.set_xlim(0, 1.05 * max(max(result.score.mean, result.rivals_score) for result in results) + 1)
    shares.set_yticks([row for (_, label), row in rows.items() if label], [label for _, label in rows if label])
    shares.set_ylim(len(rows) - 0.3, -0.6)
    for (how, label), row in rows.items():
        if not label:
            text = shares.text(0, row, f" {_TITLES[how]}", va="center", fontsize=9, fontweight="bold", zorder=5)
            text.set_in_layout(False)
            for axes in (shares, scores):
                axes.axhspan(row - 0.5, row + 0.5, color="#eeeeee", zorder=2.5)
    sizes, games = (sorted({getattr(result, name) for result in results}) for name in ("players", "games"))
    shares.set_xlabel(f"win share, 95 % interval (dashed: fair share, {', '.join(f'1/{size}' for size in sizes)})")
    scores.set_xlabel("mean score in gems, 95 % interval\n(grey bar: mean of the others at the table)")
    _style(shares, scores, grid="x")
    count = " to ".join(f"{number:,}" for number in dict.fromkeys((games[0], games[-1])))
    figure.suptitle(f"{', '.join(agents)} at tables of {results[0].players}, {count} games each", x=0.01, ha="left")
    if len(agents) > 1:
        for position, name in enumerate(agents):
            shares.plot([], [], "o", color=_COLOURS[position % len(_COLOURS)], label=name)
        figure.legend(loc="outside lower left", ncols=min(4, len(agents)), frameon=False)
    save_figure(figure, path)


def _label(result: Result) -> str:
    return result.measured if result.how == "intruder" else result.against


def _interval(axes: Axes, row: float, estimate: Estimate, colour: str, marker: str) -> None:
    axes.plot([estimate.low, estimate.high], [row, row], color=colour, linewidth=2, zorder=3, clip_on=False)
    axes.plot(estimate.mean, row, marker, color=colour, markersize=5, zorder=4, clip_on=False)


def _style(*several: Axes, grid: Literal["both", "x"] = "both") -> None:
    for axes in several:
        axes.grid(axis=grid, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="y", length=0)


def draw_curve(curve: Sequence[dict[str, float]], config: Config, path: Path) -> None:
    """Draw a learning curve."""
    millions, share, low, high = ([point[key] for point in curve] for key in ("decisions", "win_share", "low", "high"))
    millions = [decisions / 1e6 for decisions in millions]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(millions, share, marker="o", color=_COLOURS[0])
    axes.fill_between(millions, low, high, alpha=0.2, color=_COLOURS[0])
    fair = 1 / config.judge.num_players
    axes.axhline(fair, color=_GREY, linestyle="--", linewidth=1)
    axes.annotate("fair share", (millions[0], fair), xytext=(0, 4), textcoords="offset points", color=_GREY)
    axes.set(
        xlabel="decisions of the learner (millions)",
        ylabel="win share",
        title=f"{config.name}, seed {config.seed}: at {config.judge.num_players}-seat tables of distinct pool agents",
        ylim=(0, max(1.2 * fair, 1.1 * max(high))),
    )
    save_figure(figure, path)


def draw_tables(judged: Sequence[tuple[str, Result]], path: str | Path) -> None:
    """Draw the win share at tables of each size, with its 95 % interval."""
    here = [result for edition, result in judged if edition == judged[0][0]]
    sizes = sorted({result.players for result in here})
    strongest = [
        max((r for r in here if r.how == "intruder" and r.players == players), key=lambda r: r.win_share.mean)
        for players in sizes
    ]
    lines = {
        "among opponents of the pool": [r for r in here if r.line_up == "pool"],
        "among opponents of the held-out pool": [r for r in here if r.line_up == "held_out"],
        "strongest opponent alone among copies (low is good)": strongest,
    }
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.subplots()
    for (label, results), colour, marker in zip(lines.items(), _COLOURS, "oos", strict=False):
        places, shares = [result.players for result in results], [result.win_share for result in results]
        axes.vlines(places, [share.low for share in shares], [share.high for share in shares], colour, linewidth=2)
        axes.plot(places, [share.mean for share in shares], color=colour, marker=marker, markersize=5, label=label)
    axes.plot(sizes, [1 / players for players in sizes], "--", color=_GREY, label="fair share")
    title = f"{here[0].agent}: one policy at tables of every size"
    axes.set(xticks=sizes, xlabel="players at the table", ylabel="win share, 95 % interval")
    axes.set_title(title, loc="left")
    axes.set_ylim(bottom=0)
    _style(axes)
    figure.legend(loc="outside lower left", ncols=2, frameon=False)
    save_figure(figure, path)
