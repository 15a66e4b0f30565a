"""Magnetic mirror descent on the tree of one expedition, with exact values: what is possible without sampling.

Sokota et al.: A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum games
(ICLR 2023), for policies in a table. All seats play one policy. In each iteration backward induction gives at every
node what leaving and going on bring, L and S, when all others play it, now and afterwards; then the log-odds of leaving
become

    (log-odds + step (L - S)) / (1 + step temperature).

The temperature falls as 1 / iteration, as towards a Nash equilibrium in the paper. There convergence is proved for two
players and zero sum; here nothing is proved, and the result is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env import exact
from diamant_env.compilation import jit
from diamant_env.editions import MAX_PLAYERS, find_edition
from diamant_env.exact.cards import cards_left, number_of, read_digits
from diamant_env.exact.induction import compare, mean
from diamant_env.exact.tree import coordinates, going_on, node, nodes_of
from diamant_env.opponents.solved import EquilibriumAgent
from diamant_env.state import Game

ITERATIONS = 30
STEP = 0.6
"""Of the log-odds, for each gem, divided by the number of rivals: they all change at once, and larger steps cycle."""
_FIRST_TEMPERATURE = 0.3  # gems


def mirror_descent(tree: exact.ExpeditionTree, iterations: int = ITERATIONS) -> NDArray[np.float64]:
    """Return the probability of leaving at each node, float64 (nodes,), after so many iterations."""
    log_odds, values = np.zeros((2, tree.boxes.size))
    step = STEP / max(tree.boxes.players - 1, 1)
    for iteration in range(iterations):
        temperature = _FIRST_TEMPERATURE / (iteration + 1)
        _improve(tree.sets, tree.boxes, tree.moves, tree.must_reveal, step, temperature, log_odds, values)
    np.negative(log_odds, out=log_odds)
    np.exp(log_odds, out=log_odds)
    return 1 / (1 + log_odds)


@jit(cached=True)
def _improve(sets, boxes, moves, must_reveal, step, temperature, log_odds, values):
    """Do one iteration: change `log_odds`, and fill `values` with what the policy before it is worth."""
    digits = np.zeros(sets.radix.shape[0], np.int64)
    leave, stay = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS)
    for number in range(sets.size - 1, -1, -1):
        read_digits(sets, number, digits)
        cards = cards_left(sets, digits)
        for at in nodes_of(boxes, number):
            inside, gone, bag, path = coordinates(boxes, number, at)
            if must_reveal and number == 0:
                values[at] = going_on(sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path)
                continue
            compare(sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path, leave, stay)
            chance = 1 / (1 + np.exp(-log_odds[at]))
            leaving, staying = mean(leave, inside - 1, chance), mean(stay, inside - 1, chance)
            values[at] = chance * leaving + (1 - chance) * staying
            changed = (log_odds[at] + step * (leaving - staying)) / (1 + step * temperature)
            log_odds[at] = min(max(changed, -700.0), 700.0)  # beyond, exp is infinite


@dataclass
class TabularAgent(EquilibriumAgent):
    """Plays what `mirror_descent` finds, in the first expedition of an edition."""

    family: ClassVar[str] = "tabular"
    iterations: int = ITERATIONS

    def _solve(self, start: Game) -> Any:
        tree = exact.build_tree(start, find_edition(self.edition))
        return _Table(tree, mirror_descent(tree, self.iterations))


@dataclass
class _Table:
    """A policy by node."""

    tree: exact.ExpeditionTree
    policy: NDArray[np.float64]

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return the probability of leaving, float64 (games,), for records of type `GAME`."""
        found = np.zeros(len(games))
        _look_up(self.tree.sets, self.tree.boxes, self.tree.start, games, self.policy, found)
        return found


@jit(cached=True)
def _look_up(sets, boxes, start, games, policy, found):
    """Write the policy at records of type `GAME` (games,) into `found`, float64 (games,)."""
    for i in range(games.shape[0]):
        game = games[i]
        number, gone = number_of(sets, start, game), np.int64(game.relics_taken) - start.relics_taken
        bag, path = np.int64(game.bag), np.int64(game.path_gems)
        found[i] = policy[node(boxes, number, np.int64(game.num_inside), gone, bag, path)]
