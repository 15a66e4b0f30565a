"""Tournaments: tables of distinct agents, win shares and pairwise results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import Edition, find_edition
from diamant_env.judging.games import (
    Played,
    Player,
    checked_names,
    listed,
    number_of_tables,
    play,
    progress_bar,
    seeds_for,
)
from diamant_env.judging.intervals import Estimate, mean_of_tables, share_of_tables
from diamant_env.judging.lineups import deal, entrants, left_out_lines
from diamant_env.judging.text_reports import TextReport, estimate_text


@dataclass(frozen=True)
class Standing:
    """Standing of one agent.

    Attributes:
        agent: Name.
        games: Games played.
        win_share: Mean win share, 1/k in a tie of k.
        score: Mean final score.
    """

    agent: str
    games: int
    win_share: Estimate
    score: Estimate


@dataclass(frozen=True)
class TournamentResult:
    """Result of a tournament, sorted by win share; ``str`` gives two reports.

    Attributes:
        players: Players at each table.
        games: Games played.
        tables: Number of tables.
        standings: One per agent.
        beats: float (agents, agents), in the order of the standings: share of common games in which the row's agent
            scored more than the column's, a tie counting half. NaN for pairs without common games.
        met: int (agents, agents), number of common games.
        edition: The edition that was played, with its `hidden_chests`.
        seed: Seed of all random numbers.
        left_out: Members of the pools that were excluded because they need open chests.
    """

    players: int
    games: int
    tables: int
    standings: list[Standing]
    beats: NDArray[np.float64]
    met: NDArray[np.int64]
    edition: Edition
    seed: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{_standings_report(self)}\n\n{_beats_report(self)}"

    __repr__ = __str__  # at the prompt


def hold_tournament(
    agents: Sequence[Player],
    games: int,
    seed: int = 0,
    players: int = 4,
    edition: str | Edition = "iello-2016",
    progress: bool = False,
    *,
    pools: Sequence[str] = (),
    hidden_chests: bool | None = None,
) -> TournamentResult:
    """Play a tournament: at each table distinct agents in random seats, all seated equally often.

    Args:
        agents: Agents, or texts that `diamant_env.opponents.make` takes.
        games: Total number of games.
        seed: Seed of all random numbers.
        players: Players at each table, 2 to 8.
        edition: The edition to play.
        progress: Show a progress bar.
        pools: Names or paths of pools whose members also play; where chests are hidden, members that need open ones
            are excluded.
        hidden_chests: See `diamant_env.Batch`.

    Raises:
        ValueError: If an argument is out of range, or there are too few agents for a table.
    """
    edition, agents = find_edition(edition, hidden_chests), listed("agents", agents)
    left_out: tuple[str, ...] = ()
    if pools:
        agents, left_out = entrants(agents, listed("pools", pools), players, edition)
    names = checked_names(agents, games, players)
    if len(names) < players:
        raise ValueError(f"a table of {players} needs {players} distinct agents; there are {len(names)}")
    table_seeds, game_seeds = seeds_for(seed, "tournament", players).spawn(2)
    seating = deal(number_of_tables(games, players), players, len(names), np.random.default_rng(table_seeds))
    if seating.size < len(names):
        raise ValueError(f"{games} games seat {seating.size} of {len(names)} agents; play more games")
    with progress_bar(progress, total=games) as bar:
        played = play(agents, seating, games, game_seeds, edition, bar)
    standings = []
    for agent, name in enumerate(names):
        sits = seating == agent
        quotas = played.quotas * sits.any(axis=1)
        at_games = sits[played.tables]
        shares = played.totals((played.shares * at_games).sum(axis=1, dtype=float))
        scores = played.totals((played.scores * at_games).sum(axis=1, dtype=float))
        win_share, score = share_of_tables(shares, quotas), mean_of_tables(scores, quotas)
        standings.append(Standing(name, int(quotas.sum()), win_share, score))
    order = sorted(range(len(names)), key=lambda agent: -standings[agent].win_share.mean)
    beats, met = pairwise_results(played, len(names))
    return TournamentResult(
        players=players,
        games=games,
        tables=len(seating),
        standings=[standings[agent] for agent in order],
        beats=beats[np.ix_(order, order)],
        met=met[np.ix_(order, order)],
        edition=edition,
        seed=int(seed),
        left_out=left_out,
    )


def pairwise_results(played: Played, agents: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return `TournamentResult.beats` and `TournamentResult.met`, indexed as the seating."""
    who = played.seating[played.tables]
    wins = np.zeros(agents * agents)
    met = np.zeros(agents * agents, np.int64)
    for seat, other in permutations(range(who.shape[1]), 2):
        pairs = who[:, seat] * agents + who[:, other]
        shares = 0.5 + 0.5 * np.sign(played.scores[:, seat] - played.scores[:, other])
        wins += np.bincount(pairs, shares, agents * agents)
        met += np.bincount(pairs, minlength=agents * agents)
    beats = np.divide(wins, met, out=np.full(agents * agents, np.nan), where=met > 0)
    return beats.reshape(agents, agents), met.reshape(agents, agents)


def _standings_report(found: TournamentResult) -> TextReport:
    """Return the standings as a report."""
    title = f"{found.games:,} games at {found.tables:,} tables of {found.players}"
    report = TextReport(title, ("", "agent"), ("games", "win share (95 %)", "mean score (95 %)"))
    for place, row in enumerate(found.standings, start=1):
        shares, scores = estimate_text(row.win_share, 3), estimate_text(row.score, 2)
        report.add_row(f"{place:>2}", row.agent, f"{row.games:,}", shares, scores)
    notes = f"The fair win share is {1 / found.players:.3f}; a tie of k players counts 1/k."
    report.notes = "\n".join([notes, *left_out_lines(found.left_out)])
    return report


def _beats_report(found: TournamentResult) -> TextReport:
    """Return how often each agent beats each other one, in percent."""
    title = "How often the row scores more than the column when both sit at a table, in %; a tie is half"
    report = TextReport(title, ("", "agent"), [str(place) for place in range(1, len(found.standings) + 1)])
    for place, (row, standing) in enumerate(zip(found.beats, found.standings, strict=True), start=1):
        shares = ["–" if math.isnan(share) else f"{100 * share:.0f}" for share in row]
        report.add_row(f"{place:>2}", standing.agent, *shares)
    return report
