"""Losses per decision relative to the better action: narrow intervals from few games.

By the performance difference lemma, the difference of two policies' mean returns is the sum of the advantages along the
path of one of them (Kakade and Langford: Approximately optimal approximate reinforcement learning, ICML 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env import exact
from diamant_env.advice.hint import champion, why_no_search
from diamant_env.agent import Agent
from diamant_env.batch import Batch
from diamant_env.editions import Edition, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.engine.records import rebuilt
from diamant_env.envs.settings import with_expeditions
from diamant_env.judging.games import Player, checked_names, listed, progress_bar, seeds_for
from diamant_env.judging.intervals import Estimate, mean_of_tables
from diamant_env.judging.lineups import LineUp, clone_line_ups, line_ups_of, seat_line_up
from diamant_env.judging.text_reports import TextReport, estimate_text
from diamant_env.opponents.registry import make
from diamant_env.opponents.search import SearchAgent
from diamant_env.opponents.table import Table
from diamant_env.state import CONTINUE, LEAVE
from diamant_env.storage.results import save_json, versions

OBJECTIVES = {
    "score": ("gems", "One expedition among equilibrium players; exact action values."),
    "win": ("win share", "Action values by roll-outs of the champion for all seats."),
}
"""Unit and method of the losses by objective."""
_MOST_GAMES = 100_000  # all decisions are held in memory
_PAIRS = 128  # roll-outs of each action
_ROWS = 256  # decisions searched in one batch


@dataclass(frozen=True)
class DecisionLoss:
    """Loss of an agent's decisions.

    Attributes:
        agent: The judged agent.
        against: Name of the line-up of opponents.
        objective: A key of `OBJECTIVES`.
        players: Players at each table.
        games: Games played, with ``"score"`` one expedition each.
        decisions: Number of the agent's decisions.
        loss: Mean loss of a decision: value of the better action less the expected value under the agent's
            probabilities. In mean gems with ``"score"``, else in win share.
        per_game: Mean sum of the losses of a game.
        retries: Number of decisions for which a `diamant_env.opponents.TextAgent` was asked twice, None for others.
        illegal: Number of its decisions with two illegal answers, None for others.
    """

    agent: str
    against: str
    objective: str
    players: int
    games: int
    decisions: int
    loss: Estimate
    per_game: Estimate
    retries: int | None
    illegal: int | None


@dataclass(frozen=True)
class DecisionLosses:
    """Losses of the decisions of several agents; ``str`` gives a report.

    Attributes:
        losses: One per line-up and agent.
        edition: The edition that was played, with its `hidden_chests`.
        seed: Seed of all random numbers.
    """

    losses: list[DecisionLoss]
    edition: Edition
    seed: int

    def __str__(self) -> str:
        one = self.losses[0]
        unit, how = OBJECTIVES[one.objective]
        asked = any(row.retries is not None for row in self.losses)
        title = f"Losses in {unit} at tables of {one.players}; games per row: {one.games:,}"
        figures = ("decisions", "loss per decision", "per game", *("retries", "illegal") * asked)
        table = TextReport(title, ("agent", "against"), figures)
        for row in self.losses:
            counts = ["" if count is None else str(count) for count in (row.retries, row.illegal)] * asked
            losses = estimate_text(row.loss, 4), estimate_text(row.per_game, 3)
            table.add_row(row.agent, row.against, f"{row.decisions:,}", *losses, *counts)
        table.notes = f"{how}\nIn brackets: 95 % intervals."
        return str(table)

    def save(self, path: str | Path, **more: object) -> None:
        """Write all figures as JSON, with package versions and the further keys `more`."""
        save_json({**more, "versions": versions(), **vars(self)}, path)


def judge_decisions(  # noqa: PLR0913 - every setting has a name
    agent: Player,
    objective: str = "score",
    games: int = 200,
    *,
    against: Player | LineUp | Sequence[Player | LineUp] | None = None,
    compare_with: Sequence[Player] = (),
    players: int = 4,
    edition: str | Edition | None = None,
    hidden_chests: bool | None = None,
    seed: int = 0,
    progress: bool = False,
) -> DecisionLosses:
    """Estimate the loss of each decision of an agent; the same seed gives the same figures.

    With ``"score"`` the agent plays one expedition among players of the symmetric equilibrium, and the values of both
    actions are exact (`diamant_env.exact`): an equilibrium player loses nothing. With ``"win"`` it plays whole games,
    and both actions are estimated by roll-outs of the champion. Cross-fitting avoids maximisation bias: one half of the
    roll-outs selects the better action, the other half measures its advantage, and vice versa. Advantages that only a
    deeper search finds are not included.

    Args:
        agent: An agent, a function of observations, or a text that `diamant_env.opponents.make` takes. The objective
            of a `TextAgent` is set separately, in its text.
        objective: ``"score"`` or ``"win"``.
        games: Games of each agent in each line-up; its seat rotates.
        against: With ``"win"``, line-ups as in `diamant_env.judging.evaluate`, but no intruders.
        compare_with: Other agents evaluated in the same games (common random numbers).
        players: Players at each table, 2 to 8.
        edition: The edition to play; by default iello-2016-fr with ``"score"``, where a table of 4 is solved in
            seconds, and iello-2016 with ``"win"``.
        hidden_chests: See `diamant_env.Batch`; with ``"score"`` chests are open.
        seed: Seed of all random numbers.
        progress: Show a progress bar.

    Raises:
        ValueError: If an argument is out of range, an agent is invalid, a line-up can't be seated, the expedition is
            too large to be solved, or chests are hidden, which the search does not support.
    """
    agents = [agent, *listed("compare_with", compare_with)]
    names = checked_names(agents, checked_int("games", games, 1, _MOST_GAMES), players)
    if objective not in OBJECTIVES:
        raise ValueError(f"objective={objective!r}; {' and '.join(OBJECTIVES)} are allowed")
    gains: Callable[[NDArray[np.float32]], NDArray[np.float64]]
    if objective == "score":
        if against is not None:
            raise ValueError(f"against={against!r}; with 'score' the opponents play the equilibrium")
        if hidden_chests:
            raise ValueError(f"hidden_chests={hidden_chests!r}; with 'score' chests are open")
        played = find_edition(edition or "iello-2016-fr", hidden_chests=False)
        copies = clone_line_ups([f"equilibrium:{played.name}"])[0]
        tables: list[tuple[LineUp, list[Player]]] = [(copies, ["equilibrium"])]
        played = with_expeditions(played, 1)
        gains = partial(_exact_gains, players, played)
    else:
        played = find_edition(edition or "iello-2016", hidden_chests)
        gains = partial(_searched_gains, played, seed)
        tables = _line_ups("pool" if against is None else against, agents, names, players, played)
    losses = []
    for line_up, rivals in tables:
        for_tables, for_games, for_agents = seeds_for(seed, "decisions", line_up.name, players).spawn(3)
        seating = seat_line_up(line_up, len(rivals), games, players, for_tables)
        states = for_agents.generate_state(len(rivals) + 1).tolist()
        for name, player in zip(names, agents, strict=True):
            seated = [make(one, state, fresh=True) for one, state in zip([player, *rivals], states, strict=True)]
            flat, leave, game = _decisions(seated, seating, played, for_games, progress)
            asked = getattr(seated[0], "retries", None), getattr(seated[0], "illegal", None)
            totals, made = np.bincount(game, lost(gains(flat), leave), games), np.bincount(game, minlength=games)
            means = mean_of_tables(totals, made), mean_of_tables(totals, np.ones(games))
            losses.append(DecisionLoss(name, line_up.name, objective, players, games, len(flat), *means, *asked))
    return DecisionLosses(losses, played, int(seed))


def _line_ups(
    against: Player | LineUp | Sequence[Player | LineUp],
    agents: Sequence[Player],
    names: Sequence[str],
    players: int,
    edition: Edition,
) -> list[tuple[LineUp, list[Player]]]:
    """Return the line-ups of the argument `against`, each with its rivals."""
    if why_not := why_no_search(edition, players):
        raise ValueError(f"no loss in win share in {edition.name}: {why_not[0].lower()}{why_not[1:]}")
    line_ups = line_ups_of(against, agents, players, edition)
    if any(line_up.how == "intruder" for line_up in line_ups):
        raise ValueError("intruder line-ups are not allowed here; take other line-ups")
    judged = dict(zip(names, agents, strict=True))
    return [(line_up, list(line_up.rivals_of(judged, players))) for line_up in line_ups]


def lost(gains: NDArray[np.float64], leave: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the losses of decisions by cross-fitting, float64 (rows,).

    Args:
        gains: float64 (rows, 2), two independent estimates of the advantage of LEAVE over CONTINUE. Each one selects
            the better action and the other measures the loss; the result is the mean of both.
        leave: float32 (rows,), the probabilities of LEAVE.
    """
    missed = np.where(gains > 0, 1 - leave[:, None], -leave[:, None])
    return (missed * gains[:, ::-1]).mean(axis=1)


def _decisions(
    agents: Sequence[Agent],
    seating: NDArray[np.int64],
    edition: Edition,
    seeds: np.random.SeedSequence,
    progress: bool,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Play one game at each table; return the observations, probabilities and game indices of agent 0's decisions."""
    games, seats = seating.shape
    batch = Batch(games, seats, edition)
    batch.reset(seeds.generate_state(games, np.uint64))
    made = []
    with progress_bar(progress, unit=" decisions", desc=str(agents[0])) as bar:
        for turn in Table(batch, agents, seating).turns():
            game, seat = np.nonzero((turn.observations[:, :, 0] > 0) & (seating == 0))
            made.append((turn.observations[game, seat], turn.leave[game, seat], game))
            bar.update(len(game))
    flat, chances, game = (np.concatenate(part) for part in zip(*made, strict=True))
    return flat, chances, game


def _exact_gains(players: int, edition: Edition, flat: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the exact advantage of LEAVE over CONTINUE in gems, float64 (rows, 2), equal columns."""
    games = rebuilt(flat, np.zeros(len(flat), np.uint64))
    values = exact.solve_equilibrium(players, edition).action_values(games)
    return np.repeat((values[:, LEAVE] - values[:, CONTINUE])[:, None], 2, axis=1)


def _searched_gains(edition: Edition, seed: int, flat: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the advantage of LEAVE over CONTINUE in win share, float64 (rows, 2), by each half of the roll-outs."""
    search = SearchAgent(champion(), seed=seed)
    found = []
    for rows in np.split(flat, range(_ROWS, len(flat), _ROWS)):
        earned = search.outcomes(rows, edition, _PAIRS)
        found.append((earned[LEAVE] - earned[CONTINUE]).reshape(len(rows), 2, _PAIRS // 2).mean(axis=2))
    return np.concatenate(found)
