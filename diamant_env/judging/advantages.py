"""Deviation gains among copies of an agent as sums of advantages.

The difference of two policies' returns is the sum of the advantages of the decisions in which they differ, on the path
of one of them (Kakade and Langford: Approximately optimal approximate reinforcement learning, ICML 2002): here of
(the player's P(LEAVE) - the agent's) × (what LEAVE brings - what CONTINUE brings), where everyone plays as the agent
from then on. Pairs of roll-outs measure that bracket, independent of whatever the player decided by. The sum varies
far less than the payoff of a game, so a gain needs a small part of the games that counting wins does.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, answer_of, observe_history
from diamant_env.batch import Batch
from diamant_env.editions import Edition, find_edition
from diamant_env.judging.deviation import DeviationGain, DeviationGame
from diamant_env.judging.evaluation import own
from diamant_env.judging.games import Progress, children, name_of
from diamant_env.judging.intervals import Estimate, mean_of_tables
from diamant_env.judging.lineups import seat_with
from diamant_env.observation import Observations
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.own import Player
from diamant_env.opponents.registry import make
from diamant_env.opponents.search import Budget, SearchAgent
from diamant_env.opponents.table import Table
from diamant_env.opponents.values import Values
from diamant_env.state import CONTINUE, LEAVE

_TOGETHER = 1024  # games played side by side


@dataclass(frozen=True)
class SummedGain:
    """What one player gains among copies of an agent, by advantages and, beside them, by what it was paid.

    Attributes:
        summed: The gain by advantages.
        played: The gain by payoffs: what the player was paid less what a copy in its seat was in the same games.
        by_expedition: Parts of the gain by the expedition of the decision; they add up to it.
        by_inside: Parts of the gain by the number of players inside at the decision, from 1.
        full: The gain by advantages in the first games, each roll-out played to its end; None if none was.
        cut: In those games the gain by advantages as in `summed`; None likewise.
    """

    summed: DeviationGain
    played: DeviationGain
    by_expedition: list[Estimate]
    by_inside: list[Estimate]
    full: DeviationGain | None = None
    cut: DeviationGain | None = None

    @property
    def bias(self) -> Estimate | None:
        """By how much cut roll-outs find more than full ones in the same decisions."""
        return None if self.cut is None or self.full is None else self.cut.more_than(self.full)


class AdvantageSum:
    """The advantages of some games.

    Args:
        searcher: Plays the pairs of roll-outs.
        pairs: For each decision.
        games: Number of games, the first ones.
        edition: Of these games.
        players: At each table.

    Attributes:
        totals: float64 (games, expeditions, players inside), the sum so far.
    """

    def __init__(self, searcher: SearchAgent, pairs: int, games: int, edition: str | Edition, players: int) -> None:
        self.searcher, self.pairs = searcher, pairs
        self.totals = np.zeros((games, find_edition(edition).expeditions, players))

    def judge(self, flat: NDArray[np.float32], edition: str | Edition) -> NDArray[np.float64]:
        """Return what LEAVE brings more than CONTINUE, float64 (rows,)."""
        earned = self.searcher.outcomes(flat, edition, self.pairs).reshape(2, len(flat), self.pairs)
        return (earned[LEAVE] - earned[CONTINUE]).mean(axis=1)


class Differing:
    """Plays as a player does, and sums up the advantages of what it does differently from an agent.

    Args:
        player: Who plays; each row is one game.
        agent: Whose policy everyone plays from then on.
        edition: What is played.
        sums: What is summed up.
    """

    def __init__(self, player: Agent, agent: Agent, edition: str | Edition, sums: list[AdvantageSum]) -> None:
        self.player, self.agent, self.edition, self.sums = player, agent, edition, sums

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        usual = answer_of(self.agent, obs, first)
        leave = answer_of(self.player, obs, first)
        differ = np.flatnonzero((obs["must_decide"] > 0) & (leave != usual))
        for each in self.sums:
            rows = differ[differ < len(each.totals)]
            if len(rows):
                expedition, inside = (obs[name][rows].astype(int) - 1 for name in ("expedition", "num_inside"))
                gain = (leave - usual)[rows] * each.judge(obs.flat[rows], self.edition)
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
    """Measure what a player gains, by advantages.

    Args:
        player: Who sits among the copies; a search must know the edition.
        game: The copies.
        games: How many.
        seeds: Of the games and of the roll-outs.
        pairs: Of roll-outs for each decision in which both differ.
        values: Of the copies' network: where roll-outs for wins are cut, which takes a tenth of the time. They must not
            be those that the player decides by: it picks where they err in its favour. None: full roll-outs.
        full_games: In so many games, the first ones, full roll-outs are played beside cut ones.
        progress: Told as games end.

    Raises:
        ValueError: If a player can't play there, or chests are hidden.
    """
    parts = []
    for place, part in enumerate(children(seeds, -(-games // _TOGETHER))):
        first = place * _TOGETHER
        number = min(_TOGETHER, games - first)
        gate = min(number, max(0, full_games - first)) if values is not None else 0
        parts.append(_summed(player, game, number, part, pairs, values, gate))
        if progress is not None:
            progress.update(number)
    payoffs, played, sums, full = (np.concatenate(each) for each in zip(*parts, strict=True))
    ones = np.ones(games, np.int64)

    def found(gains: NDArray[np.float64]) -> DeviationGain:
        return DeviationGain(name_of(player), len(gains), float(payoffs.mean()), gains, ones[: len(gains)])

    summed = sums.sum(axis=(1, 2))
    by_expedition, by_inside = ([mean_of_tables(part, ones) for part in sums.sum(axis=other).T] for other in (2, 1))
    gates = (found(full), found(summed[: len(full)])) if len(full) else (None, None)
    return SummedGain(found(summed), found(played), by_expedition, by_inside, *gates)


def with_values(agent: Agent, values: Values | None) -> Agent:
    """Return a copy of an agent that has these values, or none."""
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
    """Play games side by side; return payoffs, gains by payoffs, by advantages and, of some, with full roll-outs."""
    states = seeds.generate_state(4 + games, np.uint64)
    keys, (own_seed, agent_seed, cut_seed, full_seed) = states[4:], states[:4].tolist()
    agent = make(game.agent, agent_seed, fresh=True)
    budget = Budget(objective=game.reward)  # type: ignore[arg-type]
    table = game.edition, game.players
    sums = [AdvantageSum(SearchAgent(with_values(agent, values), budget, cut_seed), pairs, games, *table)]
    if full_games:
        sums.append(AdvantageSum(SearchAgent(with_values(agent, None), budget, full_seed), pairs, full_games, *table))
    differing = Differing(make(player, own_seed, fresh=True), make(agent, fresh=True), game.edition, sums)
    seating = seat_with(np.ones((games, game.players - 1), np.int64))
    earned = []
    for one in (differing, make(agent, fresh=True)):
        batch = Batch(games, game.players, game.edition, game.reward, history=observe_history([differing, agent]))
        batch.reset(keys)
        earned.append(own(Table(batch, [one, make(agent, fresh=True)], seating).play_out()))
    full = sums[1].totals.sum(axis=(1, 2)) if len(sums) > 1 else np.zeros(0)
    return earned[0], earned[0] - earned[1], sums[0].totals, full
