"""Results of a best-response search: gains on fresh games and their table."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from diamant_env.editions import find_edition
from diamant_env.judging.deviation import DeviationGain, DeviationGame, deviation_gains
from diamant_env.judging.games import Player, seeds_for
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.lineups import pool_line_up
from diamant_env.judging.report import TextReport, estimate_text
from diamant_env.opponents import make
from train.responding.config import SearchConfig
from train.responding.search import ResponseRun
from train.responding.value_iteration import no_values, value_response

UNITS = {"win": "win share", "score": "gems", "margin": "gems more than the others' mean"}


@dataclass(frozen=True)
class ResponseResult:
    """Gains against copies of an agent on the same fresh games."""

    agent: str
    players: int
    edition: str
    reward: str
    games: int
    searched: list[DeviationGain]
    members: list[DeviationGain]
    value_iteration: list[DeviationGain]
    no_values: str = ""

    @property
    def candidates(self) -> list[DeviationGain]:
        """All measured gains."""
        return [*self.searched, *self.members, *self.value_iteration]

    @property
    def best(self) -> DeviationGain:
        """Candidate with the highest lower bound, since the highest mean favours noisy candidates."""
        found = self.candidates
        return max(found, key=lambda gain: np.nan_to_num(gain.among(len(found)).low, nan=-np.inf))

    @property
    def best_bound(self) -> Estimate:
        """Deviation gain δ_i: the largest gain, with a simultaneous interval for all candidates."""
        return self.best.among(len(self.candidates))

    @property
    def nash_conv(self) -> Estimate:
        """Sum of the deviation gains of all seats, equal by symmetry."""
        return Estimate(*(self.players * value for value in astuple(self.best_bound)))

    def to_json(self) -> dict[str, Any]:
        """Return all figures except the sums per table."""
        return {
            **vars(self),
            "searched": [_row(gain) for gain in self.searched],
            "members": [_row(gain) for gain in self.members],
            "value_iteration": [_row(gain) for gain in self.value_iteration],
            "can_be_gained_by": self.best.player,
            "can_be_gained": self.best_bound,
            "nash_conv": self.nash_conv,
        }


def report(
    runs: list[ResponseRun], game: DeviationGame, config: SearchConfig, progress: tqdm | None = None
) -> ResponseResult:
    """Measure the policies of finished runs and all members of the pools on the same fresh games."""
    texts = [text for pool in config.pools for text in pool_line_up(pool, game.players, game.edition).rivals]
    members = [make(text) for text in dict.fromkeys(texts)]
    seeds = seeds_for(config.seed, "report")
    why = no_values(game, config.values)
    iterated = [] if why else [value_response(game, config, number) for number in range(config.seeds)]
    players: list[Player] = [*(run.policy() for run in runs), *members, *iterated]
    found = deviation_gains(players, game, config.report_games, seeds, progress)
    edition = find_edition(game.edition).name
    ends = len(runs), len(runs) + len(members)
    searched, rest, values = found[: ends[0]], found[ends[0] : ends[1]], found[ends[1] :]
    return ResponseResult(
        str(game.agent), game.players, edition, game.reward, config.report_games, searched, rest, values, why
    )


def result_table(found: ResponseResult) -> TextReport:
    """Return the figures as a table: value iteration, PPO, then the members of the pools in descending order."""
    digits = 4 if found.reward == "win" else 2
    title = f"Against {found.players - 1} × {found.agent} at tables of {found.players}, {found.edition}"
    title = f"{title}: gain in {UNITS[found.reward]}, {found.games:,} games each"
    table = TextReport(title, ("", "who"), ("payoff", "gain (95 %)"))
    members = sorted(found.members, key=_mean, reverse=True)
    for kind, rows in (("values", found.value_iteration), ("PPO", found.searched), ("pools", members)):
        for row in rows:
            table.add_row(kind, row.player, f"{row.payoff:.{digits}f}", estimate_text(row.gain, digits, "+"))
    bound, sum_of_seats = (estimate_text(each, digits, "+") for each in (found.best_bound, found.nash_conv))
    lines = [
        f"Deviation gain: at least {bound}, by {found.best.player}, with a simultaneous interval.",
        f"NashConv, the sum over the seats: at least {sum_of_seats}.",
    ]
    if not found.value_iteration:
        lines.append(f"No value iteration: {found.no_values}.")
    table.notes = "\n".join(lines)
    return table


def _mean(gain: DeviationGain) -> float:
    return gain.gain.mean


def _row(gain: DeviationGain) -> dict[str, Any]:
    return {"player": gain.player, "payoff": gain.payoff, "gain": gain.gain}
