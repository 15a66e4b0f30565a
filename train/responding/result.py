"""The result of a search for a best response: gains on fresh games, and their table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.table import Table

from diamant_env.judging.deviation import DeviationGain, DeviationGame, deviation_gains
from diamant_env.judging.games import Progress, seeds_for
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.tables import estimate_text, new_table
from diamant_env.opponents import make
from train.responding.config import SearchConfig
from train.responding.search import ResponseRun
from train.runs.report import able_members

UNITS = {"win": "win share", "score": "gems", "margin": "gems more than the others' mean"}


@dataclass(frozen=True)
class ResponseResult:
    """What can be gained against copies of an agent, all on the same fresh games."""

    agent: str
    players: int
    edition: str
    reward: str
    games: int
    searched: list[DeviationGain]
    members: list[DeviationGain]

    @property
    def best(self) -> DeviationGain:
        """The candidate that gains most: a lower bound on what a best response gains."""
        return max(self.searched + self.members, key=_mean)

    @property
    def best_bound(self) -> Estimate:
        """The largest gain, with an interval that holds for all candidates together."""
        return self.best.among(len(self.searched + self.members))

    @property
    def search_less_members(self) -> Estimate | None:
        """The gain of the best run less that of the best member of the pools; None if there are no runs or members."""
        if not self.members or not self.searched:
            return None
        return max(self.searched, key=_mean).more_than(max(self.members, key=_mean))

    @property
    def weak(self) -> bool:
        """Whether the search found less than a member of the pools, by more than chance: then it is no yardstick."""
        more = self.search_less_members
        return more is not None and more.high < 0

    def to_json(self) -> dict[str, Any]:
        """Return all figures, without the sums per table."""
        return {
            **vars(self),
            "searched": [_row(gain) for gain in self.searched],
            "members": [_row(gain) for gain in self.members],
            "can_be_gained_by": self.best.player,
            "can_be_gained": self.best_bound,
            "weak": self.weak,
            "more": self.search_less_members,
        }


def report(
    runs: list[ResponseRun], game: DeviationGame, config: SearchConfig, progress: Progress | None = None
) -> ResponseResult:
    """Measure the policies of finished runs and every member of the pools on the same fresh games."""
    texts = [
        text for pool in config.pools for text in able_members(pool, game.players, game.edition, game.blank_rivals)
    ]
    members = [make(text) for text in dict.fromkeys(texts)]
    seeds = seeds_for(config.seed, "report")
    found = deviation_gains([*(run.policy() for run in runs), *members], game, config.report_games, seeds, progress)
    edition = game.edition if isinstance(game.edition, str) else game.edition.name
    searched, rest = found[: len(runs)], found[len(runs) :]
    return ResponseResult(str(game.agent), game.players, edition, game.reward, config.report_games, searched, rest)


def result_table(found: ResponseResult) -> Table:
    """Return the figures as a table: the search, then the members of the pools from the best down."""
    digits = 4 if found.reward == "win" else 2
    title = f"Against {found.players - 1} × {found.agent} at tables of {found.players}, {found.edition}"
    table = new_table(f"{title}: gain in {UNITS[found.reward]}, {found.games:,} games each")
    for name in ("", "who", "payoff", "gain (95 %)"):
        table.add_column(name, overflow="fold")
    for kind, rows in (("search", found.searched), ("pools", sorted(found.members, key=_mean, reverse=True))):
        for row in rows:
            table.add_row(kind, row.player, f"{row.payoff:.{digits}f}", estimate_text(row.gain, digits, "+"))
        table.add_section()
    bound = estimate_text(found.best_bound, digits, "+")
    table.caption = f"At least {bound} can be gained, by {found.best.player}: the interval is that of the largest."
    if found.weak:
        table.caption += "\nA member of the pools gains more than the search: the search is weak here."
    return table


def _mean(gain: DeviationGain) -> float:
    return gain.gain.mean


def _row(gain: DeviationGain) -> dict[str, Any]:
    return {"player": gain.player, "payoff": gain.payoff, "gain": gain.gain}
