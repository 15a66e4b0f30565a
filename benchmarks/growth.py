"""How the time of a step grows with players and batch: a table and a plot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.table import Table

from benchmarks.engine import action_ring, engine_play
from benchmarks.measure import Effort, alternate
from diamant_env import NUM_FEATURES
from train.runs.results import save_figure
from train.runs.tables import new_table

PLAYERS = tuple(range(1, 9))
BATCHES = tuple(4**power for power in range(9))  # 1 to 65,536


def measure_growth(effort: Effort, batches: tuple[int, ...] = BATCHES) -> NDArray[np.float64]:
    """Return nanoseconds of a turn of one game, float64 (batches, players), LEAVE with probability 0.1."""
    found = np.zeros((len(batches), len(PLAYERS)))
    for row, num_games in enumerate(batches):
        contenders = {
            str(players): engine_play(num_games, players, action_ring(num_games, players, 0.1)) for players in PLAYERS
        }
        speeds = alternate(contenders, effort)
        found[row] = [1e9 / (speeds[str(players)].median * num_games) for players in PLAYERS]
    return found


def growth_table(nanoseconds: NDArray[np.float64], batches: tuple[int, ...] = BATCHES) -> Table:
    """Return the times as a table, with the size of the observations at 8 players."""
    table = new_table("time of a turn of one game, in ns, by players (columns) and batch (rows)")
    for name in ("batch", *map(str, PLAYERS), "rows at 8"):
        table.add_column(name, justify="right")
    for num_games, times in zip(batches, nanoseconds, strict=True):
        mebibytes = num_games * PLAYERS[-1] * NUM_FEATURES * 4 / 2**20
        table.add_row(f"{num_games:,}", *(f"{time:,.0f}" for time in times), f"{mebibytes:,.2f} MiB")
    return table


def draw_growth(nanoseconds: NDArray[np.float64], path: Path, batches: tuple[int, ...] = BATCHES) -> None:
    """Draw time by batch and time by players; dashed: the straight line through the first and the last table size."""
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    by_batch, by_players = figure.subplots(1, 2)
    for column, players in enumerate(PLAYERS):
        by_batch.plot(batches, nanoseconds[:, column], "o-", markersize=3, label=f"{players}")
    by_batch.set(xscale="log", yscale="log", xlabel="batch", ylabel="ns per turn of one game")
    by_batch.legend(title="players", ncols=2, frameon=False)
    for row, num_games in enumerate(batches):
        if num_games >= 256 or num_games == batches[-1]:
            (line,) = by_players.plot(PLAYERS, nanoseconds[row], "o-", markersize=3, label=f"{num_games:,}")
            ends = nanoseconds[row, [0, -1]]
            by_players.plot([PLAYERS[0], PLAYERS[-1]], ends, "--", linewidth=0.8, color=line.get_color())
    by_players.set(xlabel="players", ylabel="ns per turn of one game", ylim=(0, None))
    by_players.legend(title="batch", frameon=False)
    for axes in (by_batch, by_players):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)
