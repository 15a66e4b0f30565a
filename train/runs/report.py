"""What a run reports on its agent: the learning curve, the policies on the way, the results at the end."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from diamant_env.commands.terminal import say
from diamant_env.judging.evaluation import judge
from diamant_env.judging.lineups import LineUp, able_members, clone_line_ups, intruder_line_ups, pool_line_up
from diamant_env.judging.tables import result_tables, save_results
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS
from diamant_env.storage.results import save_json
from train.runs.config import Config
from train.runs.run_folder import POLICY, save_policy

CURVE = ("win_share", "low", "high", "score")
"""The keys of a point of the learning curve, beside its decisions."""


def pool_line_ups(config: Config) -> list[LineUp]:
    """Return both pools, as far as their members can play at the tables at which the agent is judged."""
    players, game = config.judge.num_players, config.game
    return [pool_line_up(pool, players, game.played(), game.blank) for pool in POOLS]


def check_line_ups(config: Config) -> None:
    """Raise a ValueError, before anything is trained, if a pool has too few members for its tables."""
    for line_up in pool_line_ups(config):
        line_up.rivals_of([], config.judge.num_players)
    game, pool = config.game, config.opponents.pool
    for edition in game.trained() if config.opponents.scripted else ():
        if not able_members(pool, max(game.num_players), edition, game.blank):
            raise ValueError(f"opponents.pool {pool!r} has no agent that plays where chests are hidden")


def curve_point(network: NetworkAgent, config: Config) -> dict[str, float]:
    """Return win share and mean score at tables of the pool, with intervals; always the same games."""
    line_ups, games = pool_line_ups(config)[:1], config.judge.curve_games
    (result,) = judge(network, line_ups, games, purpose="curve", **_judging(config))
    share = result.win_share
    values = (share.mean, share.low, share.high, result.score.mean)
    return {name: float(value) for name, value in zip(CURVE, values, strict=True)}


def _judging(config: Config) -> dict[str, Any]:
    """Return what all judging of a run has in common, as arguments of `judge`."""
    game, players = config.game, config.judge.num_players
    return {"seed": config.seed, "players": players, "edition": game.played(), "blank_rivals": game.blank}


class RunRecord:
    """What a run leaves in its folder on the way and at its end."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.checkpoints = 0
        self.curve: list[dict[str, float]] = []
        self.judging_seconds = 0.0

    def _due(self, number: int, done: int) -> int:
        """Return how many of `number` evenly spaced events have their time after `done` decisions."""
        return min(done, self.config.ppo.decisions) * number // self.config.ppo.decisions

    def is_judgement_due(self, done: int) -> bool:
        """Return whether the curve lacks a point after `done` decisions."""
        return len(self.curve) < self._due(self.config.judge.curve_points, done)

    def judge(self, network: NetworkAgent, done: int) -> float:
        """Add a point to the curve and return its win share."""
        start = perf_counter()
        self.curve.append({"decisions": done, **curve_point(network, self.config)})
        self.judging_seconds += perf_counter() - start
        return self.curve[-1]["win_share"]

    def is_checkpoint_due(self, done: int) -> bool:
        """Return whether a checkpoint is to be taken after `done` decisions."""
        return self.checkpoints < self._due(self.config.checkpoints, done)

    def save_checkpoint_policy(self, network: NetworkAgent, done: int) -> None:
        """Save the policy that belongs to a checkpoint, which the caller saves next."""
        self.checkpoints = self._due(self.config.checkpoints, done)
        save_policy(self.folder / "checkpoints" / f"{done:010d}.safetensors", network, self.config, done)

    def finish(self, network: NetworkAgent, done: int) -> None:
        """Save the policy and the learning curve."""
        if self.config.judge.curve_points and (not self.curve or self.curve[-1]["decisions"] < done):
            self.judge(network, done)
        save_policy(self.folder / POLICY, network, self.config, done)
        save_json(self.curve, self.folder / "curve.json")

    def save_time(self, seconds: float, decisions: int, how: str, **more: float) -> None:
        """Save the time of the run with `more` about where it went, and print it with `how` it was done."""
        speed, threads = decisions / seconds, self.config.threads
        times = {"seconds": seconds, "decisions": decisions, "decisions_per_second": speed, "threads": threads, **more}
        save_json(times, self.folder / "time.json")
        say(f"{decisions:,} decisions in {seconds:.0f} s: {speed:,.0f} a second with {how}.")


def report_run(network: NetworkAgent, config: Config, folder: Path) -> None:
    """Judge the trained agent, leave the results in the run's folder, and print one table."""
    games, judging = config.judge, {**_judging(config), "progress": True}
    pools = pool_line_ups(config)
    members, held_out = (pool.rivals for pool in pools)
    alone = [*clone_line_ups(members), *intruder_line_ups([*members, *held_out])]
    results = judge(network, pools, games.games, **judging)
    results += judge(network, alone, games.clone_games, **judging)
    save_results(results, [], folder / "results.json", config=config.model_dump(mode="json"))
    say(*result_tables(results))
