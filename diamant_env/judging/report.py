"""Evaluation of an agent in one call, with a printable report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from diamant_env.editions import Edition, find_edition
from diamant_env.judging.evaluation import Difference, Result, compare
from diamant_env.judging.games import Player, listed
from diamant_env.judging.lineups import LineUp, line_ups_of
from diamant_env.judging.text_reports import differences_report, results_report
from diamant_env.storage.results import save_json, versions


@dataclass(frozen=True)
class Evaluation:
    """Results of an evaluation; ``str`` gives a report.

    Attributes:
        results: One per line-up and agent.
        differences: Between the first agent and each other one, in the same games.
        edition: The edition that was played, with its `hidden_chests`.
        seed: Seed of all random numbers.
    """

    results: list[Result]
    differences: list[Difference]
    edition: Edition
    seed: int

    def __str__(self) -> str:
        reports = [results_report(self.results)] + [differences_report(self.differences)] * bool(self.differences)
        return "\n\n".join(map(str, reports))

    __repr__ = __str__  # at the prompt

    def save(self, path: str | Path, **more: object) -> None:
        """Write all figures as JSON, with package versions and the further keys `more`."""
        save_json({**more, "versions": versions(), **vars(self)}, path)


def evaluate(
    agent: Player,
    against: Player | LineUp | Sequence[Player | LineUp] = "pool",
    games: int = 20_000,
    *,
    compare_with: Sequence[Player] = (),
    players: int = 4,
    edition: str | Edition = "iello-2016",
    hidden_chests: bool | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Evaluation:
    """Judge an agent: its win share and mean score in each line-up, with 95 % intervals.

    Args:
        agent: An agent, a function of observations, or a text that `diamant_env.opponents.make` takes.
        against: A line-up or a list of line-ups: ``"pool"``, ``"held-out"``, a path to a .toml, comma-separated agents
            (see `diamant_env.judging.lineups.parse_line_ups`), ``"self"`` for copies of the agent, a `LineUp`, or an
            agent as a text or an object, whose copies fill the table. Where chests are hidden, members of a pool that
            need open ones are excluded.
        games: Games of each agent in each line-up; the agent's seat rotates evenly.
        compare_with: Other agents that take the same seats in the same games (common random numbers); pools exclude
            them all.
        players: Players at each table, 2 to 8.
        edition: The edition to play.
        hidden_chests: See `diamant_env.Batch`.
        seed: Seed of all random numbers; the same seed gives the same figures.
        progress: Show a progress bar.

    Raises:
        ValueError: If an argument is out of range, an agent is invalid, or a line-up can't be seated.
    """
    edition = find_edition(edition, hidden_chests)
    agents = [agent, *listed("compare_with", compare_with)]
    line_ups = line_ups_of(against, agents, players, edition)
    found = compare(agents, line_ups, games, seed=seed, players=players, edition=edition, progress=progress)
    return Evaluation(*found, edition, int(seed))
