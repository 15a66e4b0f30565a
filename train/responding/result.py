"""Results of a best-response search: gains on fresh games and their table."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

from diamant_env.editions import find_edition
from diamant_env.evaluation import Estimate
from diamant_env.evaluation.games import AgentSpec
from diamant_env.evaluation.report import TextReport, estimate_text
from diamant_env.opponents.pools import pool_members
from train.responding.config import SearchConfig
from train.responding.gains import Gain, ResponseGame, gains_of
from train.responding.search import ResponseRun
from train.responding.value_iteration import no_values, value_response

UNITS = {"win": "win share", "score": "gems", "margin": "gems more than the others' mean"}


@dataclass(frozen=True)
class ResponseResult:
    """Gains against copies of an agent on the same fresh games, with simultaneous intervals."""

    agent: str
    players: int
    edition: str
    reward: str
    games: int
    searched: list[Gain]
    members: list[Gain]
    value_iteration: list[Gain]
    no_values: str = ""

    @property
    def best(self) -> Gain:
        """The gain with the highest lower bound, since the highest mean favours noisy candidates."""
        return max([*self.searched, *self.members, *self.value_iteration], key=lambda gain: gain.gain.low)

    @property
    def nash_conv(self) -> Estimate:
        """Sum of the deviation gains of all seats, equal by symmetry."""
        return Estimate(*(self.players * value for value in astuple(self.best.gain)))

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        best = {"can_be_gained_by": self.best.agent, "can_be_gained": self.best.gain, "nash_conv": self.nash_conv}
        return {**vars(self), **best}


def report(runs: list[ResponseRun], game: ResponseGame, config: SearchConfig, progress: bool = False) -> ResponseResult:
    """Measure the policies of finished runs and all members of the pools on the same fresh games."""
    members = dict.fromkeys(name for pool in config.pools for name in pool_members(pool, game.players, game.edition)[0])
    why = no_values(game, config.values)
    iterated = [] if why else [value_response(game, config, number) for number in range(config.seeds)]
    responses: list[AgentSpec] = [*(run.policy() for run in runs), *members, *iterated]
    gains = gains_of(responses, game, config.test_games, config.seed, "report", progress)
    ends = len(runs), len(runs) + len(members)
    searched, rest, values = gains[: ends[0]], gains[ends[0] : ends[1]], gains[ends[1] :]
    edition = find_edition(game.edition).name
    return ResponseResult(
        str(game.agent), game.players, edition, game.reward, config.test_games, searched, rest, values, why
    )


def result_table(result: ResponseResult) -> TextReport:
    """Return the figures as a table: value iteration, PPO, then the members of the pools in descending order."""
    digits = 4 if result.reward == "win" else 2
    title = f"Against {result.players - 1} × {result.agent} at tables of {result.players}, {result.edition}"
    title = f"{title}: gain in {UNITS[result.reward]}, {result.games:,} games each"
    table = TextReport(title, ("", "who"), ("payoff", "gain (simultaneous 95 %)"))
    members = sorted(result.members, key=lambda gain: gain.gain.mean, reverse=True)
    for kind, rows in (("values", result.value_iteration), ("PPO", result.searched), ("pools", members)):
        for row in rows:
            table.add_row(kind, row.agent, f"{row.payoff:.{digits}f}", estimate_text(row.gain, digits, "+"))
    bound, sum_of_seats = (estimate_text(one, digits, "+") for one in (result.best.gain, result.nash_conv))
    lines = [
        f"Deviation gain: at least {bound}, by {result.best.agent}.",
        f"NashConv, the sum over the seats: at least {sum_of_seats}.",
    ]
    if not result.value_iteration:
        lines.append(f"No value iteration: {result.no_values}.")
    table.notes = "\n".join(lines)
    return table
