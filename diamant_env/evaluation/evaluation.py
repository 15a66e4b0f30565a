"""Evaluation of agents: win share and mean score in a matchup, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.evaluation.games import MAX_GAMES, Played, number_of_tables, play, progress_bar, seeds_for
from diamant_env.evaluation.intervals import Estimate, holm, mean_of_tables, p_value_of_share, share_of_tables
from diamant_env.evaluation.report import TextReport, plus_minus
from diamant_env.opponents.custom import AgentSpec
from diamant_env.opponents.matchup import Matchup, Opponents, read_matchup, seat_around
from diamant_env.opponents.registry import make_agent
from diamant_env.storage.results import save_json, versions


@dataclass(frozen=True)
class Result:
    """Result of one agent in one matchup.

    Attributes:
        agent: The evaluated agent.
        against: Its opponents.
        players: Players at each table.
        games: Games played.
        tables: Number of tables; the games of a table have the same players.
        fair: 1 / players, the win share at equal strength.
        win_share: Mean win share, 1/k in a tie of k.
        score: Mean final score.
        rivals_score: Mean final score of the opponents.
        margin: Mean of the final score less the opponents' mean.
        p_value: Two-sided p-value of the null hypothesis `win_share` = `fair`, uncorrected (see `intervals.holm`).
        excluded: Members of the pool that can't play the edition.
    """

    agent: str
    against: str
    players: int
    games: int
    tables: int
    fair: float
    win_share: Estimate
    score: Estimate
    rivals_score: float
    margin: Estimate
    p_value: float
    excluded: tuple[str, ...] = ()

    @property
    def gain(self) -> Estimate:
        """The win share less the fair one: among copies of an agent, the gain of deviating from it."""
        share = self.win_share
        return Estimate(share.mean - self.fair, share.low - self.fair, share.high - self.fair)


@dataclass(frozen=True)
class Difference:
    """Paired difference of `agent` and `other` in the same seats of the same games, against the same opponents.

    Opponents with random numbers of their own, such as ``mixture`` and ``search:``, may draw others.
    """

    agent: str
    other: str
    against: str
    games: int
    win_share: Estimate
    score: Estimate


@dataclass(frozen=True)
class Evaluation:
    """Results of an evaluation; ``str`` gives a report.

    Attributes:
        results: One per agent.
        differences: Between the first agent and each other one, in the same games.
        edition: The edition that was played.
        seed: Seed of all random numbers.
    """

    results: list[Result]
    differences: list[Difference]
    edition: Edition
    seed: int

    def __str__(self) -> str:
        reports = [_results_report(self.results)] + [_differences_report(self.differences)] * bool(self.differences)
        return "\n\n".join(map(str, reports))

    __repr__ = __str__  # at the prompt

    def save(self, path: str | Path, **more: object) -> None:
        """Write all figures as JSON, with package versions and the further keys `more`."""
        save_json({**more, "versions": versions(), **vars(self)}, path)


def evaluate(  # noqa: PLR0913 - every setting has a name
    agent: AgentSpec,
    against: Opponents = "pool",
    games: int = 20_000,
    *,
    compare: Sequence[AgentSpec] = (),
    players: int = 4,
    edition: str | Edition = "iello-2016",
    seed: int = 0,
    progress: bool = False,
    purpose: str = "judge",
    simultaneous: bool = False,
) -> Evaluation:
    """Measure the win share and mean score of an agent among opponents, with 95 % intervals.

    All agents play the same games from the same seats (common random numbers). The games depend on `seed`, `purpose`,
    the names of the opponents, `games` and `players` alone.

    Args:
        agent: An agent, a function of observations, or a spec of `diamant_env.opponents.make_agent`.
        against: An agent, whose copies take all other seats; a pool (``"pool"``, ``"held-out"`` or a path to a .toml),
            from which distinct members are drawn for each table, all equally often; or a list of agents: one per rival,
            in seat order after the evaluated agent, or more, from which distinct ones are drawn. Members of a pool that
            are evaluated or can't play the edition are excluded.
        games: Games of each agent; its seat rotates evenly.
        compare: Other agents that take the same seats in the same games.
        players: Players at each table, 2 to 8.
        edition: The edition to play.
        seed: Seed of all random numbers; the same seed gives the same figures.
        progress: Show a progress bar.
        purpose: Name of an independent stream of random numbers.
        simultaneous: Whether the intervals of all agents hold jointly at 95 % (Bonferroni's correction).

    Returns:
        The results of all agents in order, and the differences between the first one and each other.

    Raises:
        ValueError: If an argument is out of range, an agent is invalid, or there are too few opponents.
    """
    checked_int("games", games, 1, MAX_GAMES)
    checked_int("players", players, 2, MAX_PLAYERS)
    edition = find_edition(edition)
    agents = [agent, *compare]
    names = [str(make_agent(one)) for one in agents]
    matchup = read_matchup(against, players - 1, [edition], names)
    members = [str(make_agent(member)) for member in matchup.members]
    copies = f"copies of {members[0]}" if len(members) == 1 else ",".join(members)
    table_seeds, game_seeds = seeds_for(seed, purpose, matchup.pool or copies, players).spawn(2)
    tables = number_of_tables(games, players)
    opponents = 1 + matchup.deal(tables, np.random.default_rng(table_seeds))
    seating = seat_around(np.arange(tables) % players, opponents, agent=0)
    with progress_bar(progress, total=games * len(agents)) as bar:
        runs = [play([one, *matchup.members], seating, games, game_seeds, edition, bar) for one in agents]
    opponents_text = _against(matchup, members)
    intervals = len(agents) if simultaneous else 1
    results = [
        _result(name, opponents_text, run, matchup.excluded, intervals) for name, run in zip(names, runs, strict=True)
    ]
    differences = [
        _difference((names[0], name, opponents_text), runs[0], run, max(1, intervals - 1))
        for name, run in zip(names[1:], runs[1:], strict=True)
    ]
    return Evaluation(results, differences, edition, int(seed))


def of_agent_0(values: NDArray) -> NDArray[np.float64]:
    """Return agent 0's values, float64 (games,), from those of all seats, (games, seats)."""
    games = np.arange(len(values))
    return values[games, games % values.shape[1]].astype(float)


def _against(matchup: Matchup, members: Sequence[str]) -> str:
    if matchup.seats is None:
        return f"{matchup.rivals} of the {len(members)} in {matchup.pool or ', '.join(members)}"
    if len(members) == 1:
        return f"{matchup.rivals} × {members[0]}"
    return ", ".join(members[member] for member in matchup.seats)


def _result(name: str, against: str, run: Played, excluded: tuple[str, ...], among: int) -> Result:
    seats, quotas = run.seating.shape[1], run.quotas
    shares, scores = run.totals(of_agent_0(run.shares)), run.totals(of_agent_0(run.scores))
    rivals = (run.totals(run.scores.sum(axis=1)) - scores) / (seats - 1)
    return Result(
        agent=name,
        against=against,
        players=seats,
        games=len(run.keys),
        tables=len(quotas),
        fair=1 / seats,
        win_share=share_of_tables(shares, quotas, among),
        score=mean_of_tables(scores, quotas, among),
        rivals_score=float(rivals.sum() / len(run.keys)),
        margin=mean_of_tables(scores - rivals, quotas, among),
        p_value=p_value_of_share(shares, quotas, 1 / seats),
        excluded=excluded,
    )


def _difference(names: tuple[str, str, str], run: Played, other: Played, among: int) -> Difference:
    shares, scores = (
        run.totals(of_agent_0(values) - of_agent_0(others))
        for values, others in ((run.shares, other.shares), (run.scores, other.scores))
    )
    estimates = (mean_of_tables(totals, run.quotas, among) for totals in (shares, scores))
    return Difference(*names, len(run.keys), *estimates)


def _results_report(results: Sequence[Result]) -> TextReport:
    """Return a report of results; significant deviations from the fair share are marked."""
    games = " or ".join(f"{games:,}" for games in sorted({result.games for result in results}))
    title = f"Tables of {results[0].players}; fair: {results[0].fair:.3f}; games per row: {games}"
    report = TextReport(title, ("who", "against"), ("win share", "", "mean score"))
    for result, p_value in zip(results, holm([result.p_value for result in results]), strict=True):
        above = "above" if result.win_share.mean > result.fair else "below"
        share, score = plus_minus(result.win_share, 3), plus_minus(result.score, 2)
        report.add_row(result.agent, result.against, share, above * bool(p_value < 0.05), score)
    rows = "1 row" if len(results) == 1 else f"{len(results)} rows"
    excluded = ", ".join(dict.fromkeys(name for result in results for name in result.excluded))
    lines = ["A tie of k players counts 1/k; ±: the longer side of the 95 % interval."]
    lines.append(f"above, below the fair share: significant at 5 % with Holm's correction for {rows}.")
    lines += [f"Excluded, since they can't play this edition: {excluded}."] * bool(excluded)
    report.notes = "\n".join(lines)
    return report


def _differences_report(differences: Sequence[Difference]) -> TextReport:
    title = "Compared on common random numbers: the same seats of the same games"
    report = TextReport(title, ("agent", "less", "against"), ("win share", "mean score"))
    for row in differences:
        shares, scores = plus_minus(row.win_share, 3, "+"), plus_minus(row.score, 2, "+")
        report.add_row(row.agent, row.other, row.against, shares, scores)
    return report
