"""Hold the responders against the truth: ``python -m train.validate_responses``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated, Any

import tyro

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.judging.deviation import DeviationGain, DeviationGame
from diamant_env.judging.games import Player
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.tables import estimate_text, new_table
from diamant_env.opponents import make
from diamant_env.storage.results import save_json, versions
from train.benchmarking.benchmark_run import exploitability
from train.benchmarking.suite import TASKS
from train.learning.training import train
from train.responding.config import ResponseConfig, SearchConfig
from train.responding.result import ResponseResult, report
from train.responding.search import response_runs
from train.runs.command_line import change_keys, optional
from train.runs.config import Config, JudgeConfig, PPOConfig

COMMAND = "python -m train.validate_responses"
_STANDARD = ResponseConfig(seeds=1, pick_games=10_000, report_games=50_000)
SCRIPTED = ("ev:0.75", "bag:18", "random:0.2")
LEARNED = {"PPO, 100 thousand decisions": 100_000, "PPO, 1 million decisions": 1_000_000}
"""Policies that learned by self-play, early and late, by their decisions."""
_PPO = PPOConfig(
    games=128, turns=32, minibatch=2048, learning_rate=2e-3, entropy=0.01, final_entropy=0.001, reward_scale=1 / 16
)


@dataclass(frozen=True)
class Arguments:
    """Compare what responders gain with what a best response gains, where that is known: one expedition in score.

    They answer copies of scripted agents and of policies that learned by self-play, early and late.
    """

    players: tuple[int, ...] = (2, 3)
    """Table sizes, 2 to 5."""
    set: tuple[str, ...] = ("ppo.decisions=300_000", "search.full_games=1500")
    """Keys of configs/best_response.toml to change."""
    seed: int = 0
    """Of learning and games."""
    out: Annotated[Path | None, optional("FILE.json")] = None
    """Write the figures to this JSON file."""


def compare(arguments: Arguments) -> list[dict]:
    """Measure, print and save."""
    config = change_keys(_STANDARD, arguments.set).model_copy(update={"seed": arguments.seed})
    rows = []
    for players in arguments.players:
        rows += [validate(make(text), text, players, config) for text in SCRIPTED]
        for name, decisions in LEARNED.items():
            rows.append(validate(learned(decisions, players, arguments.seed), name, players, config))
    kinds = list(dict.fromkeys(kind for row in rows for kind in row["found"]))
    table = new_table("One expedition in score: gain in gems, exact and found")
    for column in ("players", "agent", "exact", *kinds):
        table.add_column(column)
    for row in rows:
        found = [estimate_text(row["found"][kind], 2) if kind in row["found"] else "" for kind in kinds]
        table.add_row(str(row["players"]), row["agent"], f"{row['exact']:.3f}", *found)
    say(table)
    if arguments.out is not None:
        save_json({"command": COMMAND, "versions": versions(), "rows": rows}, arguments.out)
    return rows


def learned(decisions: int, players: int, seed: int) -> Player:
    """Return a policy that learned so long by self-play in the expedition."""
    ppo = _PPO.model_copy(update={"decisions": decisions, "average": 0.1})
    game, judge = TASKS[f"expedition-{players}"].game, JudgeConfig(curve_points=0)
    with TemporaryDirectory() as folder:
        config = Config(name="validation", seed=seed, threads=1, game=game, ppo=ppo, judge=judge)
        return train(config, Path(folder))


def validate(agent: Player, name: str, players: int, config: SearchConfig) -> dict[str, Any]:
    """Return what each kind of responder gains against copies of an agent, and what a best response does, in gems."""
    began, task = perf_counter(), TASKS[f"expedition-{players}"]
    true = exploitability(agent, task, isinstance(agent, str))["exploitability"]  # scripted agents count traps
    game = DeviationGame(agent, players, task.game.played(), "score", blank_rivals=True)
    with TemporaryDirectory() as folder:
        runs = response_runs(game, config, Path(folder))
        for run in runs:
            run.finish()
        found = gains_found(report(runs, game, config))
    return {"players": players, "agent": name, "exact": true, "found": found, "seconds": perf_counter() - began}


def gains_found(result: ResponseResult) -> dict[str, Estimate]:
    """Return the gain of the best of each kind of responder, with an interval that holds for all of its kind."""
    kinds: dict[str, list[DeviationGain]] = {
        "scripted": result.members,
        "PPO from scratch": [gain for gain in result.searched if "scratch" in gain.player],
        "PPO from the agent": [gain for gain in result.searched if "warm" in gain.player],
        "search": [] if result.lookahead is None else [result.lookahead.summed],
    }
    return {
        kind: max(gains, key=lambda each: each.gain.mean).among(len(gains)) for kind, gains in kinds.items() if gains
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: compare(tyro.cli(Arguments, prog=COMMAND, args=argv)) and None)


if __name__ == "__main__":
    sys.exit(main())
