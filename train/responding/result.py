"""Results of a best-response search: gains on fresh games and their table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from typing import Any

from diamant_env.editions import find_edition
from diamant_env.evaluation import Estimate
from diamant_env.evaluation.games import AgentSpec
from diamant_env.evaluation.report import TextReport, estimate_text
from diamant_env.opponents.pools import pool_members
from train.responding.afterstates import GreedyAgent
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
    """Measure the policies of finished runs, pool members and fits of value iteration on the same fresh games."""
    members, fits = members_of(game, config), fits_of(game, config, config.seeds)
    responses: list[AgentSpec] = [*(run.policy() for run in runs), *members, *fits]
    gains = gains_of(responses, game, config.test_games, config.seed, "report", progress)
    ends = len(runs), len(runs) + len(members)
    searched, rest, values = gains[: ends[0]], gains[ends[0] : ends[1]], gains[ends[1] :]
    edition, why = find_edition(game.edition).name, no_values(game, config.values)
    return ResponseResult(
        str(game.agent), game.players, edition, game.reward, config.test_games, searched, rest, values, why
    )


def members_of(game: ResponseGame, config: SearchConfig) -> list[str]:
    """Return the distinct members of the pools that can play the game."""
    pools = [pool_members(pool, game.players, game.edition)[0] for pool in config.pools]
    return list(dict.fromkeys(chain.from_iterable(pools)))


def fits_of(game: ResponseGame, config: SearchConfig, number: int) -> list[GreedyAgent]:
    """Return fits of value iteration, none if it is not possible."""
    return [] if no_values(game, config.values) else [value_response(game, config, fit) for fit in range(number)]


def select(responses: Sequence[AgentSpec], game: ResponseGame, config: SearchConfig) -> AgentSpec:
    """Return the response with the highest mean gain in games that only select."""
    gains = gains_of(responses, game, config.selection_games, config.seed, "select")
    return responses[max(range(len(gains)), key=lambda place: gains[place].gain.mean)]


def gain_of(response: AgentSpec, game: ResponseGame, config: SearchConfig) -> Gain:
    """Return the gain of one response in fresh games."""
    return gains_of([response], game, config.test_games, config.seed, "report")[0]


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
