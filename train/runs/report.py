"""What a training run says about its agent: the learning curve, the table at the end, the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")

from matplotlib import pyplot as plt

from diamant_env.opponents import make
from diamant_env.opponents.pools import POOLS, load_pool
from diamant_env import Edition, Observations
from diamant_env.opponents.network import NetworkAgent
from diamant_env.judging.games import name_of
from diamant_env.judging.blank import new_batch
from train.runs.config import Config
from train.runs.results import save_figure
from diamant_env.judging.evaluation import Difference, compare, judge
from diamant_env.judging.lineups import LineUp, clone_line_ups, intruder_line_ups
from train.runs.pictures import draw_win_shares
from train.runs.tables import estimate_text, result_tables, save_results
from train.runs.screen import say

CURVE = ("win_share", "low", "high", "score")
"""The figures of a point of the learning curve."""


def able_members(pool: str, players: int, edition: str | Edition) -> tuple[str, ...]:
    """Return the members of a pool that can play this edition: some need chests that it may hide."""
    return tuple(name_of(text) for text in load_pool(pool) if able(text, players, edition))


def able(text: str, players: int, edition: str | Edition) -> bool:
    """Return whether an agent can play at such tables."""
    seen = new_batch(1, players, edition, "score").reset(0)[0]
    agent = make(text)
    try:
        agent.act(Observations(seen), np.ones(len(seen), bool))
    except ValueError:
        return False
    return True


def check_line_ups(config: Config) -> None:
    """Check, before anything is trained, that the agent can be judged.

    Raises:
        ValueError: If a pool has too few members for these tables, or a pool of opponents is not there.
    """
    for pool in POOLS:
        LineUp(pool, able_members(pool, config.judge.num_players, config.game.played())).rivals_of(
            [], config.judge.num_players
        )
    if config.opponents.scripted:
        load_pool(config.opponents.pool)


def curve_point(network: NetworkAgent, config: Config) -> dict[str, float]:
    """Return win share and mean score at tables of the pool, with intervals; always the same games."""
    (result,) = judge(
        network,
        [LineUp("pool", able_members("pool", config.judge.num_players, config.game.played()))],
        config.judge.curve_games,
        config.seed,
        config.judge.num_players,
        config.game.played(),
        purpose="curve",
    )
    share = result.win_share
    figures = (share.mean, share.low, share.high, result.score.mean)
    return {name: float(figure) for name, figure in zip(CURVE, figures, strict=True)}


def judge_run(network: NetworkAgent, config: Config, folder: Path) -> None:
    """Judge the trained agent, leave results and a picture in the run's folder, and print one table."""
    players, edition, seed = config.judge.num_players, config.game.played(), config.seed
    members, held_out = (able_members(pool, players, edition) for pool in POOLS)
    pools = [LineUp("pool", members), LineUp("held_out", held_out)]
    results = judge(network, pools, config.judge.games, seed, players, edition, progress=True)
    results += judge(
        network,
        [*clone_line_ups(members), *intruder_line_ups([*members, *held_out])],
        config.judge.clone_games,
        seed,
        players,
        edition,
        progress=True,
    )
    differences = same_seat_differences(network, members, config)
    save_results(results, differences, folder / "results.json", config=config.model_dump(mode="json"))
    draw_win_shares(results, folder / "win_share.png")
    closest = min(differences, key=lambda difference: difference.win_share.mean)
    say(
        *result_tables(results),
        f"Closest in the pool: {closest.other}. In the same seat of the same {closest.games:,} games, against the "
        f"other members, {network} wins {estimate_text(closest.win_share, 3, '+')} more.",
    )


def same_seat_differences(network: NetworkAgent, members: Sequence[str], config: Config) -> list[Difference]:
    """Compare the agent with each member of the pool in the same seat of the same games, against the other members."""
    line_up = LineUp("pool", tuple(members))
    differences = []
    for member in members:
        differences += compare(
            [network, member],
            [line_up],
            config.judge.clone_games,
            config.seed,
            config.judge.num_players,
            config.game.played(),
            progress=True,
        )[1]
    return differences


def draw_curve(curve: Sequence[dict[str, float]], config: Config, path: Path) -> None:
    """Draw the learning curve as a picture; nothing if it has no point."""
    if not curve:
        return
    millions = [point["decisions"] / 1e6 for point in curve]
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(millions, [point["win_share"] for point in curve], marker="o", color="tab:blue", label="win share")
    axes.fill_between(
        millions, [point["low"] for point in curve], [point["high"] for point in curve], alpha=0.2, color="tab:blue"
    )
    fair = 1 / config.judge.num_players
    axes.axhline(fair, color="grey", linestyle="--", linewidth=1)
    axes.annotate("fair share", (millions[0], fair), xytext=(0, 4), textcoords="offset points", color="grey")
    axes.set(
        xlabel="decisions of the learner (millions)",
        ylabel="win share",
        title=f"{config.name}, seed {config.seed}: at {config.judge.num_players}-seat tables of distinct pool agents",
        ylim=(0, max([1.2 * fair, *(1.1 * point["high"] for point in curve)])),
    )
    save_figure(figure, path)
    plt.close(figure)
