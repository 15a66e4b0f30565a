"""Strength of the search agent against its budget: ``python -m benchmarks.strength``.

For each table size and number of pairs of roll-outs: gain among copies of the agent, win share against the pool of
search and agent in the same seats, and milliseconds per decision on one core.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Annotated, Any

import numpy as np
import tyro
from matplotlib.figure import Figure
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tyro.conf import Positional

from benchmarks.results import machine
from diamant_env import Batch
from diamant_env.agent import Agent
from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.evaluation import compare
from diamant_env.judging.games import children, seeds_for
from diamant_env.judging.lineups import pool_line_up
from diamant_env.opponents import make
from diamant_env.opponents.search import CERTAIN, Budget, SearchAgent
from diamant_env.opponents.table import Table
from diamant_env.opponents.values import Values
from diamant_env.storage.results import save_json, to_json
from train.responding.config import LookaheadConfig
from train.responding.lookahead import fit_values, gain_of_search
from train.runs.run_folder import save_figure

COMMAND = "python -m benchmarks.strength"
EDITION = "iello-2016"
_FULL_GAMES = 100
_TOGETHER = 8192  # pairs per timed batch
_REPEATS = 5  # timed batches, and timed single decisions
_SLOW = 1024  # minimum number of pairs for fewer games, and none against the pool


@dataclass(frozen=True)
class Arguments:
    """Measure gain, win share and cost of search with an agent; rows already in results.json are not repeated.

    Gains are those of `train.best_response`, with value networks fitted to the edition.
    """

    agent: Annotated[str, Positional] = "champion"
    """A network: an agent's name, a policy file or a run folder."""
    players: tuple[int, ...] = (3, 4, 6, 8)
    """Table sizes."""
    pairs: tuple[int, ...] = (16, 64, 256, 1024)
    """Pairs of roll-outs for each decision."""
    games: int = 1_500
    """Games among copies; 600 from 1,024 pairs on, 200 from 4,096."""
    pool_games: int = 1_000
    """Games among the pool; none from 1,024 pairs on."""
    out: Path = Path("runs/benchmarks/strength")
    """Folder for results.json and strength.png, created if missing."""


@threadpool_limits.wrap(limits=1, user_api="blas")
def measure(arguments: Arguments) -> None:
    """Measure the missing rows, saving after each.

    Raises:
        ValueError: If the folder has rows of another agent.
    """
    file, rows = arguments.out / "results.json", []
    if file.is_file():
        saved = json.loads(file.read_text(encoding="utf-8"))
        if saved["agent"] != arguments.agent:
            raise ValueError(f"{arguments.out} has rows of {saved['agent']}; give another folder by --out")
        rows = saved["rows"]
    done = {(row["players"], row["pairs"]) for row in rows}
    for players in arguments.players:
        missing = [pairs for pairs in arguments.pairs if (players, pairs) not in done]
        if not missing:
            continue
        game = DeviationGame(arguments.agent, players, EDITION, "win")
        *fitting, playing = children(seeds_for(0, "strength", players), 3)
        networks = fit_values(game, LookaheadConfig().fit_games, *fitting)
        for pairs in missing:
            row = one_row(arguments, game, networks, pairs, playing)
            rows.append({"players": players, "pairs": pairs, **to_json(row)})
            rows.sort(key=lambda row: (row["players"], row["pairs"]))
            content = {"command": COMMAND, "agent": arguments.agent, "machine": machine(), "rows": rows}
            save_json(content, file)
    draw(rows, arguments.out / "strength.png")
    for row in rows:
        say(f"{row['players']} players, {row['pairs']:,} pairs: gain {row['gain']['mean']:.4f}, {row['batch']:.3g} ms")


def one_row(
    arguments: Arguments,
    game: DeviationGame,
    networks: tuple[Agent, Values | None],
    pairs: int,
    seeds: np.random.SeedSequence,
) -> dict[str, Any]:
    """Return the figures of one budget at one table size, with the results of `fit_values`."""
    slow, players = pairs >= _SLOW, game.players
    games = arguments.games if not slow else min(arguments.games, 600 if pairs < 4 * _SLOW else 200)
    config = LookaheadConfig(games=games, full_games=min(games, _FULL_GAMES), pairs=pairs)
    found = gain_of_search(game, config, *networks, seeds)
    names = "by_expedition", "by_inside"
    row = {"games": found.summed.games, "gain": found.summed.gain, **{name: getattr(found, name) for name in names}}
    row |= {"full": found.full.gain if found.full else None, **costs(arguments.agent, players, pairs)}
    if not slow:
        agents = [f"search:{pairs}:{arguments.agent}", arguments.agent]
        results, _ = compare(agents, [pool_line_up("pool", players)], arguments.pool_games, players=players)
        row |= {"pool_games": arguments.pool_games, "pool": results[0].win_share, "agent_pool": results[1].win_share}
    return row


def costs(name: str, players: int, pairs: int) -> dict[str, float]:
    """Return CPU milliseconds per decision in a large batch (`batch`) and one at a time (`alone`): medians."""
    agent = SearchAgent(make(name), Budget(pairs))
    seen = doubtful_decisions(name, players, max(1, _TOGETHER // pairs))
    return {
        "batch": median(milliseconds(agent, seen, pairs) for _ in range(_REPEATS)) / len(seen),
        "alone": median(milliseconds(agent, row[None], pairs) for row in np.resize(seen, (_REPEATS, seen.shape[1]))),
    }


def doubtful_decisions(name: str, players: int, rows: int) -> NDArray[np.float32]:
    """Return observations, float32 (rows, NUM_FEATURES), of decisions with P(LEAVE) near neither 0 nor 1."""
    games = max(rows, 64)
    batch = Batch(games, players, EDITION, "win")
    table = Table(batch, [make(name)], np.zeros((games, players), int))
    observations, actions, found = batch.reset(0), np.zeros((games, players), np.int8), []
    while not batch.over.all():
        leave = table.leave_probabilities(observations)
        found.append(observations[batch.must_decide & (np.minimum(leave, 1 - leave) > CERTAIN)])
        batch.draw_decisions(leave, actions)
        batch.step(actions, observations)
    return np.random.default_rng(0).permutation(np.concatenate(found))[:rows]


def milliseconds(agent: SearchAgent, seen: NDArray[np.float32], pairs: int) -> float:
    """Return the CPU milliseconds of `pairs` pairs of roll-outs for all observations."""
    start = process_time()
    agent.outcomes(seen, EDITION, pairs)
    return 1e3 * (process_time() - start)


def draw(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the gain against the number of pairs, a line for each table size with several rows."""
    figure = Figure(figsize=(6, 3.6), dpi=130, layout="constrained")
    axes = figure.subplots()
    for players in sorted({row["players"] for row in rows}):
        chosen = [row for row in rows if row["players"] == players]
        if len(chosen) == 1:
            continue
        gains = [row["gain"] for row in chosen]
        errors = [gain["mean"] - gain["low"] for gain in gains]
        axes.errorbar(
            [row["pairs"] for row in chosen], [gain["mean"] for gain in gains], errors, marker="o", markersize=4,
            capsize=2, label=f"{players} players",
        )  # fmt: skip
    budgets = sorted({row["pairs"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(budgets, [f"{pairs:,}" for pairs in budgets])
    axes.set(xlabel="pairs of roll-outs a decision", ylabel="gain among copies, win share")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    if axes.has_data():
        axes.legend(frameon=False, fontsize=9)
    save_figure(path, figure)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: measure(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
