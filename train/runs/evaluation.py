"""Evaluation of a training run: learning curve, final report and checks before training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from diamant_env.commands.terminal import print_line
from diamant_env.evaluation import Evaluation, evaluate
from diamant_env.opponents.matchup import read_matchup
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS, pool_members
from diamant_env.storage.results import save_json
from train.runs.config import Config
from train.runs.run_folder import save_figure

MEMBER_GAMES = 5_000
"""Games of each member of the pools among copies of the agent."""
CURVE_GAMES = 4_000
"""Games for each point of the learning curve."""


def curve_point(network: NetworkAgent, config: Config) -> dict[str, float]:
    """Return win share with its interval and mean score at tables of the pool, always in the same games."""
    result = evaluate(network, POOLS[0], CURVE_GAMES, purpose="curve", **_settings(config)).results[0]
    share = result.win_share
    point = {"win_share": share.mean, "low": share.low, "high": share.high, "score": result.score.mean}
    return {name: float(each) for name, each in point.items()}


def save_curve(curve: list[dict[str, float]], config: Config, folder: Path) -> None:
    """Write the learning curve, ``curve.json`` and ``curve.png``, into the run's folder."""
    save_json(curve, folder / "curve.json")
    figure = Figure(figsize=(6, 3.6), dpi=130, layout="constrained")
    axes, players = figure.subplots(), config.evaluation_players
    decisions, share, low, high = zip(*(list(point.values())[:4] for point in curve), strict=True)
    axes.fill_between(decisions, low, high, alpha=0.2, linewidth=0, label="95 % interval of the games")
    axes.plot(decisions, share, marker="o", markersize=4, label=config.name)
    axes.axhline(1 / players, color="grey", linestyle="--", linewidth=1, label="fair share")
    axes.set(xlabel="decisions", ylabel="win share", title=f"{config.name} at tables of {players} against {POOLS[0]}")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=9)
    save_figure(folder / "curve.png", figure)


def _settings(config: Config) -> dict[str, Any]:
    return {"seed": config.seed, "players": config.evaluation_players, "edition": config.game.evaluation_edition()}


def report_run(network: NetworkAgent, config: Config, folder: Path) -> None:
    """Evaluate the agent against both pools, and their members against it; save the results and print one table."""
    settings = {**_settings(config), "progress": True}
    results = [evaluate(network, pool, config.evaluation.games, **settings).results[0] for pool in POOLS]
    members = [name for pool in POOLS for name in pool_members(pool, settings["players"], settings["edition"])[0]]
    results += evaluate(members[0], network, MEMBER_GAMES, compare=members[1:], **settings).results
    evaluation = Evaluation(results, [], settings["edition"], config.seed)
    evaluation.save(folder / "results.json", config=config.model_dump(mode="json"))
    print_line(evaluation)


def check_run(config: Config) -> None:
    """Raise a ValueError if the run can't be evaluated."""
    for pool in POOLS:
        try:
            read_matchup(pool, config.evaluation_players - 1, [config.game.evaluation_edition()])
        except ValueError as error:
            raise ValueError(
                f"the run can't be evaluated: {error}; or set evaluation.num_players to another table size"
            ) from None


def check_settings(config: Config) -> None:
    """Raise a ValueError for a run that can't be evaluated, or has a setting of `train.cluster`."""
    if config.runners > 1:
        raise ValueError(f"runners = {config.runners}; python -m train.cluster trains with more than one")
    check_run(config)
