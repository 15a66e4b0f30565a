"""Evaluation of agents: win share and mean score per line-up, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import Edition
from diamant_env.judging.games import (
    Played,
    Player,
    checked_names,
    name_of,
    number_of_tables,
    play,
    progress_bar,
    seeds_for,
)
from diamant_env.judging.intervals import Estimate, mean_of_tables, p_value_of_share, share_of_tables
from diamant_env.judging.lineups import LineUp, seat_line_up


@dataclass(frozen=True)
class Result:
    """Result of one agent in one line-up.

    Attributes:
        agent: The judged agent.
        line_up: The name of the line-up.
        how: Kind of the line-up, see `LineUp.how`.
        measured: The player measured: the agent, or the intruder among its copies.
        against: The opponents of `measured`.
        rivals: The names of the line-up's agents.
        players: Players at each table.
        games: Games played.
        tables: Number of tables; the games of a table have the same players.
        fair: 1 / players, the win share at equal strength.
        win_share: Mean win share, 1/k in a tie of k.
        score: Mean final score.
        rivals_score: Mean final score of the opponents.
        p_value: Two-sided p-value of the null hypothesis `win_share` = `fair`, uncorrected (see `intervals.holm`).
        left_out: Members of the pool that were excluded because they need open chests.
    """

    agent: str
    line_up: str
    how: str
    measured: str
    against: str
    rivals: tuple[str, ...]
    players: int
    games: int
    tables: int
    fair: float
    win_share: Estimate
    score: Estimate
    rivals_score: float
    p_value: float
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """Paired difference of `agent` and `other` in the same seats of the same games, against the same opponents.

    Opponents with random numbers of their own, such as ``mixture`` and ``search:``, may draw others.
    Intruder line-ups compare the means of each agent's copies, so larger is better for `agent` in every line-up.
    """

    agent: str
    other: str
    line_up: str
    games: int
    win_share: Estimate
    score: Estimate


def judge(agent: Player, line_ups: Sequence[LineUp], games: int, **settings: Any) -> list[Result]:
    """Judge one agent; settings and errors as in `compare`."""
    return compare([agent], line_ups, games, **settings)[0]


def compare(
    agents: Sequence[Player],
    line_ups: Sequence[LineUp],
    games: int,
    *,
    seed: int = 0,
    players: int = 4,
    edition: str | Edition = "iello-2016",
    progress: bool = False,
    purpose: str = "judge",
) -> tuple[list[Result], list[Difference]]:
    """Judge agents on common random numbers: in each line-up all play the same games from the same seats.

    The games of a line-up depend on `seed`, `purpose`, its name, `games` and `players` alone.

    Args:
        agents: Agents, or texts that `opponents.make` takes, identified by ``str(agent)``.
        line_ups: See `diamant_env.judging.lineups`.
        games: Games of each agent in each line-up.
        seed: Seed of all random numbers.
        players: Players at each table, 2 to 8.
        edition: The edition to play.
        progress: Show a progress bar.
        purpose: Name of an independent stream of random numbers.

    Returns:
        The results by line-up and agent, and the differences between the first agent and each other one.

    Raises:
        ValueError: If an argument is out of range or a line-up can't be seated; raised before any game.
    """
    names = checked_names(agents, games, players)
    judged = dict(zip(names, agents, strict=True))
    all_rivals = [line_up.rivals_of(judged, players) for line_up in line_ups]
    results: list[Result] = []
    differences: list[Difference] = []
    total = games * len(line_ups) * len(agents)
    with progress_bar(progress, total=total) as bar:
        for line_up, rivals in zip(line_ups, all_rivals, strict=True):
            bar.set_description(line_up.name, refresh=False)
            table_seeds, game_seeds = seeds_for(seed, purpose, line_up.name, players).spawn(2)
            tables = number_of_tables(games, players)
            seating = seat_line_up(line_up, len(rivals), tables, players, table_seeds)
            runs = []
            for agent in agents:
                seated = [*rivals, agent] if line_up.how == "intruder" else [agent, *rivals]
                runs.append(play(seated, seating, games, game_seeds, edition, bar))
            known = [name_of(rival) for rival in rivals]
            results += [_result(name, line_up, known, run) for name, run in zip(names, runs, strict=True)]
            differences += [
                _difference(names[0], name, line_up, runs[0], run)
                for name, run in zip(names[1:], runs[1:], strict=True)
            ]
    return results, differences


def of_agent_0(values: NDArray) -> NDArray[np.float64]:
    """Return agent 0's values, float64 (games,), from those of all seats, (games, seats)."""
    games = np.arange(len(values))
    return values[games, games % values.shape[1]].astype(float)


def of_others(values: NDArray) -> NDArray[np.float64]:
    """Return the mean value of the other seats, float64 (games,)."""
    return (values.sum(axis=1, dtype=float) - of_agent_0(values)) / (values.shape[1] - 1)


def _result(name: str, line_up: LineUp, rivals: Sequence[str], run: Played) -> Result:
    seats = run.seating.shape[1]
    shares, scores, quotas = run.totals(of_agent_0(run.shares)), run.totals(of_agent_0(run.scores)), run.quotas
    if line_up.how == "distinct":
        some = f"{seats - 1} of the {len(rivals)} in " if len(rivals) >= seats else ""
        measured, against = name, f"{some}{line_up.name}"
    else:
        measured, against = (rivals[0], name) if line_up.how == "intruder" else (name, rivals[0])
        against = f"{seats - 1} × {against}"
    return Result(
        agent=name,
        line_up=line_up.name,
        how=line_up.how,
        measured=measured,
        against=against,
        rivals=tuple(rivals),
        players=seats,
        games=len(run.keys),
        tables=len(quotas),
        fair=1 / seats,
        win_share=share_of_tables(shares, quotas),
        score=mean_of_tables(scores, quotas),
        rivals_score=float((run.scores.sum() - scores.sum()) / (len(run.keys) * (seats - 1))),
        p_value=p_value_of_share(shares, quotas, 1 / seats),
        left_out=line_up.left_out,
    )


def _difference(name: str, other: str, line_up: LineUp, run: Played, other_run: Played) -> Difference:
    judged = of_others if line_up.how == "intruder" else of_agent_0
    shares = judged(run.shares) - judged(other_run.shares)
    scores = judged(run.scores) - judged(other_run.scores)
    return Difference(
        agent=name,
        other=other,
        line_up=line_up.name,
        games=len(run.keys),
        win_share=mean_of_tables(run.totals(shares), run.quotas),
        score=mean_of_tables(run.totals(scores), run.quotas),
    )
