"""How the time of a step grows with the batch and the players, with a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from benchmarks.contenders.engine import action_ring, engine_play
from benchmarks.measure import Effort, alternate
from train.runs.results import save_figure

PLAYERS = (1, 2, 4, 8)
BATCHES = tuple(4**power for power in range(9))  # 1 to 65,536
_COLOURS = ("#56b4e9", "#0072b2", "#009e73", "#d55e00")  # Okabe and Ito: safe for colour-blind readers


def measure_growth(effort: Effort, batches: Sequence[int] = BATCHES) -> NDArray[np.float64]:
    """Return nanoseconds per turn of one game, float64 (batches, players), LEAVE with probability 0.1."""
    found = np.zeros((len(batches), len(PLAYERS)))
    for row, num_games in enumerate(batches):
        contenders = {
            str(players): engine_play(num_games, players, action_ring(num_games, players)) for players in PLAYERS
        }
        speeds = alternate(contenders, effort)
        found[row] = [1e9 / (speeds[str(players)].median * num_games) for players in PLAYERS]
    return found


def draw_growth(nanoseconds: ArrayLike, path: Path, batches: Sequence[int] = BATCHES) -> None:
    """Draw the time of a turn by batch, a line for each number of players, as a PNG."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for players, times, colour in zip(PLAYERS, np.transpose(nanoseconds), _COLOURS, strict=True):
        label = f"{players} player{'s' if players > 1 else ''}"
        axes.plot(batches, times, "o-", markersize=4, color=colour, label=f"{label}: {min(times):,.0f} ns at best")
    axes.set_xscale("log", base=4)
    axes.set_yscale("log")
    axes.set_xticks(batches, [f"{batch:,}" for batch in batches])
    axes.set_yticks([30, 100, 300, 1000, 3000], ["30", "100", "300", "1,000", "3,000"])
    axes.minorticks_off()
    axes.set(xlabel="games in the batch", ylabel="nanoseconds per turn of one game")
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)
