"""Solution of an expedition: values and probabilities of leaving by state."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.engine.records import as_games
from diamant_env.exact.cards import index_of, require_decisions, require_same_expedition
from diamant_env.exact.expeditions import ExpeditionStart
from diamant_env.exact.induction import EQUILIBRIUM, lowest_equilibrium, solve
from diamant_env.exact.lookahead import block_at, look_ahead, mean, memory_of, write_payoffs
from diamant_env.exact.tree import ExpeditionTree, NodeValues, position_of, sets_of


@dataclass(frozen=True)
class Solution:
    """Values and probabilities of leaving at all nodes of a solved tree.

    Attributes:
        tree: The solved tree.
        nodes: The values of the nodes.
        error: Maximum gain of a deviation at a single node, in gems.
        later: Expected gems of each player from the start of each later expedition on; empty for one expedition.
    """

    tree: ExpeditionTree
    nodes: NodeValues
    error: float
    later: dict[ExpeditionStart, float] = field(default_factory=dict)

    @property
    def values(self) -> NDArray[np.float64]:
        """Expected gems of a player inside from each node on, float64 (nodes,)."""
        return self.nodes.inside

    @property
    def value(self) -> float:
        """Expected gems of each player in the expedition or, with `whole_game`, from it on."""
        return root_value(self.tree, self.values)

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return each player's probability of leaving at later states of the expedition, float64 (games,).

        Args:
            games: Records of type `GAME` (games,) in phase `DECIDE`.

        Raises:
            ValueError: If a state is not in the solved tree, or has another number of players, expedition or phase.
        """
        return self.look_up(games)[:, 2]

    def action_values(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return the expected gems of CONTINUE and LEAVE at later states, float64 (games, 2).

        The others play the equilibrium now, and all play it afterwards. Arguments and errors are those of
        `leave_probability`.
        """
        return self.look_up(games)[:, :2]

    def look_up(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return the values of CONTINUE and LEAVE and the probability of leaving, float64 (games, 3)."""
        nodes = find_nodes(self.tree, games)
        require_same_expedition(self.tree.start, as_games(games))
        result, sets = np.zeros((len(nodes), 3)), sets_of(self.tree, nodes)
        _evaluate(self.tree.layout, sets, nodes, self.nodes, memory_of(self.tree), result)
        return result

    def policy(self) -> NDArray[np.float64]:
        """Return the probability of leaving at each node, float64 (nodes,), 0 before the first card."""
        policy = np.zeros(self.tree.boxes.size)
        solve(self.tree, EQUILIBRIUM, self.nodes, policy=policy)  # computes the same values again
        return policy

    def strategy(self) -> Strategy:
        """Return the probabilities of leaving at all nodes, without values."""
        return Strategy(self.tree, self.policy().astype(np.float32))


@dataclass(frozen=True)
class Strategy:
    """The probabilities of leaving of a solution, without its values.

    Attributes:
        tree: The solved tree.
        leave: float32 (nodes,).
    """

    tree: ExpeditionTree
    leave: NDArray[np.float32]

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float32]:
        """See `Solution.leave_probability`; states of other expeditions with the same deck are in the tree too."""
        return self.leave[find_nodes(self.tree, games)]


def find_nodes(tree: ExpeditionTree, games: np.ndarray) -> NDArray[np.int64]:
    """Return the nodes of states, int64 (games,), the indices of arrays by node.

    Args:
        tree: A tree from `build_tree`.
        games: Records of type `GAME` (games,) in phase `DECIDE`.

    Raises:
        ValueError: If a state is not in the tree, or has another number of players or phase.
    """
    games, nodes = as_games(games), np.zeros(len(games), np.int64)
    require_decisions(games)
    wrong = _find(tree.layout, tree.start, games, nodes)
    if wrong >= 0:
        raise ValueError(
            f"game {wrong} is not in the solved tree of {tree.boxes.players} players in {tree.edition.name!r}: "
            "it can't follow the state that was solved"
        )
    return nodes


def root_value(tree: ExpeditionTree, values: NDArray[np.float64]) -> float:
    """Return the value at the root of a tree."""
    return float(values[tree.boxes.first[0, tree.boxes.players]])


@jit(cached=True)
def _find(layout, start, games, nodes):
    """Write the node of each game into `nodes`; return the first game not in the tree, else -1."""
    sets, boxes, _, _ = layout
    for i in range(games.shape[0]):
        game = games[i]
        index = index_of(sets, start, game)
        inside = np.int64(game.num_inside)
        if game.num_players != start.num_players or index < 0 or inside < 1 or inside > boxes.players:
            return i
        taken = np.int64(game.relics_taken) - start.relics_taken
        bag, path = np.int64(game.bag), np.int64(game.path_gems)
        more = bag - boxes.least_bag[index]
        if inside == boxes.players:
            fits = taken == 0 and more == 0 and path == boxes.full_path[index]
        else:
            fits = 0 <= taken <= boxes.relics[index] and 0 <= more < boxes.bags[index, inside]
            fits = fits and 0 <= path < boxes.paths[index, inside]
        if not (fits and game.path_relics == boxes.relics[index] - taken):
            return i
        nodes[i] = position_of(boxes, index, inside, taken, bag, path)
    return -1


@jit(cached=True)
def _evaluate(layout, indices, nodes, values, memory, result):
    """Write the result of `Solution.look_up` at nodes of the sets `indices` into `result`."""
    leave, stay, index = memory.leave, memory.stay, -1
    for i in range(nodes.shape[0]):
        if indices[i] != index:
            index = indices[i]
            look_ahead(layout, index, values, memory)
        block = block_at(layout.boxes, index, nodes[i])
        write_payoffs(layout, block, values, memory)
        others = block.inside - 1
        q = lowest_equilibrium(leave, stay, 0, others)
        result[i, 0], result[i, 1], result[i, 2] = mean(stay, 0, others, q), mean(leave, 0, others, q), q
