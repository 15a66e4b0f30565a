"""Pictures of what judging found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from train.runs.results import save_figure
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.evaluation import Result
from diamant_env.judging.tournament import Tournament

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito: safe for colour-blind
_GREY = "#777777"
_TITLES = {
    "distinct": "distinct opponents drawn for each table",
    "clones": "copies of one opponent in all other seats",
    "intruder": "one intruder among copies of the agent: its figures (low is good)",
}


def draw_win_shares(results: Sequence[Result], path: str | Path) -> None:
    """Draw win share and mean score of each line-up with their 95 % intervals, as a PNG or what the suffix says."""
    agents = list(dict.fromkeys(result.agent for result in results))
    places, headings = _rows(results)
    height = 1.9 + 0.27 * (len(places) + len(headings))
    figure = Figure(figsize=(11, height), layout="constrained")
    shares, scores = figure.subplots(1, 2, sharey=True, width_ratios=(1.2, 1))
    for result in results:
        position = agents.index(result.agent)
        row = places[result.how, result.line_up] + 0.5 * ((position + 0.5) / len(agents) - 0.5)
        style = _COLOURS[position % len(_COLOURS)], "s" if result.how == "intruder" else "o"
        _interval(shares, row, result.win_share, *style)
        _interval(scores, row, result.score, *style)
        scores.plot(result.rivals_score, row, "|", color=_GREY, markersize=9, zorder=2)
    for fair in sorted({result.fair for result in results}):
        shares.axvline(fair, color=_GREY, linestyle="--", linewidth=1, zorder=1)
    _name_axes(shares, scores, results, places, headings)
    figure.suptitle(_title(results, agents), x=0.01, ha="left")
    if len(agents) > 1:
        for position, name in enumerate(agents):
            shares.plot([], [], "o", color=_COLOURS[position % len(_COLOURS)], label=name)
        figure.legend(loc="outside lower left", ncols=min(4, len(agents)), frameon=False)
    save_figure(figure, path)


def _name_axes(
    shares: Axes,
    scores: Axes,
    results: Sequence[Result],
    places: dict[tuple[str, str], float],
    headings: dict[str, float],
) -> None:
    """Set the limits and write down what is what."""
    highest = max(np.nanmax((result.win_share.mean, result.win_share.high)) for result in results)
    shares.set_xlim(0, min(1, 1.05 * max(2 * results[0].fair, highest)))
    scores.set_xlim(0, 1.05 * max(max(result.score.mean, result.rivals_score) for result in results) + 1)
    shares.set_yticks(list(places.values()), [_label(results, key) for key in places])
    shares.tick_params(axis="y", length=0)
    scores.tick_params(axis="y", length=0)
    shares.set_ylim(max(places.values()) + 0.7, min(headings.values()) - 0.6)
    for how, row in headings.items():
        text = shares.text(0, row, f" {_TITLES[how]}", va="center", fontsize=9, fontweight="bold", zorder=5)
        text.set_in_layout(False)
        for axes in (shares, scores):
            axes.axhspan(row - 0.5, row + 0.5, color="#eeeeee", zorder=2.5)
    fair = ", ".join(f"1/{players}" for players in sorted({result.players for result in results}))
    shares.set_xlabel(f"win share, 95 % interval (dashed: fair share, {fair})")
    scores.set_xlabel("mean score in gems, 95 % interval\n(grey bar: mean of the others at the table)")
    for axes in (shares, scores):
        axes.grid(axis="x", alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)


def _rows(results: Sequence[Result]) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    """Return the height of each line-up and of the heading of each kind, from the top."""
    places: dict[tuple[str, str], float] = {}
    headings: dict[str, float] = {}
    row = 0.0
    for how in _TITLES:
        keys = dict.fromkeys((result.how, result.line_up) for result in results if result.how == how)
        if keys:
            headings[how], row = row, row + 1
        for key in keys:
            places[key], row = row, row + 1
    return places, headings


def _label(results: Sequence[Result], key: tuple[str, str]) -> str:
    result = next(result for result in results if (result.how, result.line_up) == key)
    return result.measured if result.how == "intruder" else result.against


def _title(results: Sequence[Result], agents: Sequence[str]) -> str:
    games = sorted({result.games for result in results})
    count = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
    return f"{', '.join(agents)} at tables of {results[0].players}, {count} games each"


def _interval(axes: Axes, row: float, estimate: Estimate, colour: str, marker: str) -> None:
    axes.plot([estimate.low, estimate.high], [row, row], color=colour, linewidth=2, zorder=3, clip_on=False)
    axes.plot(estimate.mean, row, marker, color=colour, markersize=5, zorder=4, clip_on=False)


def draw_tables(judged: Sequence[tuple[str, Result]], path: str | Path) -> None:
    """Draw the win share at tables of each size, with its 95 % interval, as a PNG or what the suffix says.

    Args:
        judged: Results, each with its edition; those of the first one's edition are drawn.
        path: Where to.
    """
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
    axes.set_ylim(bottom=0)
    axes.set_xticks(sizes)
    axes.set_xlabel("players at the table")
    axes.set_ylabel("win share, 95 % interval")
    axes.set_title(f"{here[0].agent}: one policy at tables of every size", loc="left")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower left", ncols=2, frameon=False)
    save_figure(figure, path)


def draw_tournament(found: Tournament, path: str | Path) -> None:
    """Draw the win shares, the ratings and the cross-table of a tournament, as a PNG or what the suffix says."""
    agents = len(found.standings)
    rows = np.arange(agents)
    figure = Figure(figsize=(7.5 + 0.45 * agents, 2.2 + 0.36 * agents), layout="constrained")
    shares, ratings, cross = figure.subplots(1, 3, sharey=True, width_ratios=(3, 2, 0.9 + 0.45 * agents))
    for row, standing in enumerate(found.standings):
        spread = 1.96 * standing.rating_sigma
        rating = Estimate(standing.rating, standing.rating - spread, standing.rating + spread)
        _interval(shares, row, standing.win_share, _COLOURS[0], "o")
        _interval(ratings, row, rating, _COLOURS[2], "o")
    shares.axvline(1 / found.players, color=_GREY, linestyle="--", linewidth=1, zorder=1)
    shares.set_xlim(left=0)
    shares.set_xlabel("win share, 95 % interval\n(dashed: fair share)")
    ratings.set_xlabel(f"Plackett-Luce rating,\n95 %, {found.rated_games:,} games")
    _draw_cross_table(cross, found)
    shares.set_yticks(rows, [f"{standing.agent}  {row + 1}" for row, standing in enumerate(found.standings)])
    shares.set_ylim(agents - 0.5, -0.5)
    for axes in (shares, ratings):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in (shares, ratings, cross):
        axes.tick_params(axis="y", length=0)
    figure.suptitle(f"{agents} agents, {found.games:,} games at tables of {found.players}", x=0.01, ha="left")
    save_figure(figure, path)


def _draw_cross_table(axes: Axes, found: Tournament) -> None:
    """Colour and number how often the row scores more than the column: blue for often, red for seldom."""
    agents = len(found.standings)
    axes.imshow(found.beats, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
    for row, column in np.ndindex(found.beats.shape):
        share = found.beats[row, column]
        if not np.isnan(share):
            colour = "white" if abs(share - 0.5) > 0.3 else "black"
            axes.text(column, row, f"{100 * share:.0f}", ha="center", va="center", fontsize=8, color=colour)
    axes.set_xticks(np.arange(agents), [str(place + 1) for place in range(agents)])
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("how often the row scores more than the column, in %\n(at common tables; a tie counts half)")
    axes.spines[:].set_visible(False)
