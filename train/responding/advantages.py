"""Deviation gains among copies of an agent as sums of advantages.

The difference of two policies' returns is the sum of the advantages of the decisions in which they differ, on the path
of one of them (Kakade and Langford: Approximately optimal approximate reinforcement learning, ICML 2002). Here each is
(the player's P(LEAVE) - the agent's) × (Q(LEAVE) - Q(CONTINUE)), with Q under the agent's policy in every seat,
estimated by pairs of roll-outs that are independent of the player's decision. The sum has far less variance than the
payoff of a game, so an estimate needs a fraction of the games.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, answer_of
from diamant_env.batch import Batch
from diamant_env.editions import Edition, find_edition
from diamant_env.judging.deviation import DeviationGain, DeviationGame
from diamant_env.judging.evaluation import of_agent_0
from diamant_env.judging.games import Progress, children, name_of
from diamant_env.judging.intervals import Estimate, mean_of_tables
from diamant_env.judging.lineups import seat_with
from diamant_env.observation import Observations
from diamant_env.opponents.custom import Player
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.registry import make
from diamant_env.opponents.search import Budget, SearchAgent
from diamant_env.opponents.table import Table
from diamant_env.opponents.values import Values
from diamant_env.state import CONTINUE, LEAVE

_TOGETHER = 1024  # games played side by side


@dataclass(frozen=True)
class SummedGain:
    """Deviation gain of one player among copies of an agent, by advantages and by payoffs.

    Attributes:
        summed: Gain by advantages.
        played: Gain by payoffs: the player's payoff less a copy's, in the same seats of the same games.
        by_expedition: Parts of `summed` by the expedition of the decision.
        by_inside: Parts of `summed` by the number of players inside at the decision, from 1.
        full: Gain by advantages from full roll-outs in the first `full_games` games, or None.
        cut: Gain by advantages from truncated roll-outs in the same games, or None.
    """

    summed: DeviationGain
    played: DeviationGain
    by_expedition: list[Estimate]
    by_inside: list[Estimate]
    full: DeviationGain | None = None
    cut: DeviationGain | None = None

    @property
    def bias(self) -> Estimate | None:
        """Gain by truncated roll-outs less that by full ones, in the same decisions."""
        return None if self.cut is None or self.full is None else self.cut.more_than(self.full)


class AdvantageSum:
    """Running sum of advantages per game.

    Args:
        searcher: Plays the roll-outs.
        pairs: Number of pairs of roll-outs per decision.
        games: Number of games to sum; later games are ignored.
        edition: Edition of these games.
        players: Table size.

    Attributes:
        totals: float64 (games, expeditions, players inside).
    """

    def __init__(self, searcher: SearchAgent, pairs: int, games: int, edition: str | Edition, players: int) -> None:
        self.searcher, self.pairs, self.edition = searcher, pairs, edition
        self.totals = np.zeros((games, find_edition(edition).expeditions, players))

    def judge(self, flat: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return Q(LEAVE) - Q(CONTINUE), float64 (rows,)."""
        earned = self.searcher.outcomes(flat, self.edition, self.pairs).reshape(2, len(flat), self.pairs)
        return (earned[LEAVE] - earned[CONTINUE]).mean(axis=1)


class AdvantageRecorder:
    """Player whose advantages over another agent's policy are summed.

    Args:
        player: Makes the decisions; each row is one game.
        agent: Policy of every seat in the roll-outs.
        sums: Sums to add to.
    """

    def __init__(self, player: Agent, agent: Agent, sums: list[AdvantageSum]) -> None:
        self.player, self.agent, self.sums = player, agent, sums

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        usual = answer_of(self.agent, obs, first)
        leave = answer_of(self.player, obs, first)
        differ = np.flatnonzero((obs["must_decide"] > 0) & (leave != usual))
        for each in self.sums:
            rows = differ[differ < len(each.totals)]
            if len(rows):
                expedition, inside = (obs[name][rows].astype(int) - 1 for name in ("expedition", "num_inside"))
                gain = (leave - usual)[rows] * each.judge(obs.flat[rows])
                each.totals[rows, expedition, inside] += gain
        return leave


def summed_gain(
    player: Player,
    game: DeviationGame,
    games: int,
    seeds: np.random.SeedSequence,
    pairs: int = 64,
    values: Values | None = None,
    full_games: int = 0,
    progress: Progress | None = None,
) -> SummedGain:
    """Estimate the deviation gain of a player by advantages.

    Args:
        player: The deviating player.
        game: Copies and table.
        games: Number of games.
        seeds: Seeds of the games and of the roll-outs.
        pairs: Pairs of roll-outs per decision in which player and agent differ.
        values: Value networks that truncate roll-outs for wins; None: full roll-outs. Not the networks of a searching
            player, which exploits their errors (maximisation bias).
        full_games: Number of first games with both full and truncated roll-outs.
        progress: Updated as games end.

    Raises:
        ValueError: If a player does not support the table, or chests are hidden.
    """
    parts = []
    for place, part in enumerate(children(seeds, -(-games // _TOGETHER))):
        first = place * _TOGETHER
        number = min(_TOGETHER, games - first)
        checked = min(number, max(0, full_games - first)) if values is not None else 0
        parts.append(_summed(player, game, number, part, pairs, values, checked))
        if progress is not None:
            progress.update(number)
    payoffs, played, sums, full = (np.concatenate(each) for each in zip(*parts, strict=True))
    ones = np.ones(games, np.int64)

    def found(gains: NDArray[np.float64]) -> DeviationGain:
        return DeviationGain(name_of(player), len(gains), float(payoffs.mean()), gains, ones[: len(gains)])

    summed = sums.sum(axis=(1, 2))
    by_expedition, by_inside = ([mean_of_tables(part, ones) for part in sums.sum(axis=other).T] for other in (2, 1))
    checks = (found(full), found(summed[: len(full)])) if len(full) else (None, None)
    return SummedGain(found(summed), found(played), by_expedition, by_inside, *checks)


def with_values(agent: Agent, values: Values | None) -> Agent:
    """Return a copy of an agent with these value networks, or without any."""
    found = copy.copy(agent) if isinstance(agent, NetworkAgent) else make(agent, fresh=True)
    if isinstance(found, NetworkAgent):
        found.values = values
    return found


def _summed(
    player: Player,
    game: DeviationGame,
    games: int,
    seeds: np.random.SeedSequence,
    pairs: int,
    values: Values | None,
    full_games: int,
) -> tuple[NDArray[np.float64], ...]:
    """Play a batch of games; return payoffs, gains by payoffs, sums of advantages and those of full roll-outs."""
    states = seeds.generate_state(4 + games, np.uint64)
    keys, (own_seed, agent_seed, cut_seed, full_seed) = states[4:], states[:4].tolist()
    agent = make(game.agent, agent_seed, fresh=True)
    budget = Budget(objective=game.reward)  # type: ignore[arg-type]
    table = game.edition, game.players
    sums = [AdvantageSum(SearchAgent(with_values(agent, values), budget, cut_seed), pairs, games, *table)]
    if full_games:
        sums.append(AdvantageSum(SearchAgent(with_values(agent, None), budget, full_seed), pairs, full_games, *table))
    recorder = AdvantageRecorder(make(player, own_seed, fresh=True), make(agent, fresh=True), sums)
    seating = seat_with(np.ones((games, game.players - 1), np.int64))
    earned = []
    for one in (recorder, make(agent, fresh=True)):
        batch = Batch(games, game.players, game.edition, game.reward)
        batch.reset(keys)
        earned.append(of_agent_0(Table(batch, [one, make(agent, fresh=True)], seating).play_out()))
    full = sums[1].totals.sum(axis=(1, 2)) if len(sums) > 1 else np.zeros(0)
    return earned[0], earned[0] - earned[1], sums[0].totals, full
