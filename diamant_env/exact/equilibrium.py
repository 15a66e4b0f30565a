"""Symmetric equilibrium of one expedition in score, and minimax solution of two players' difference in score.

In score each player maximises expected gems. A node can have several symmetric equilibria; the one with the lowest
probability of leaving is selected, and all values are those of the selected equilibria.

Two players who maximise their difference in gems play a zero-sum game. Where both are inside, both leaving or both
continuing is worth 0 by symmetry; a lone leaver gains g, its gems less the expected gems of the other, who continues
alone. The node is the matrix game [[0, g], [-g, 0]] with value 0, in which leaving is optimal if g >= 0 and continuing
if g <= 0. Every expedition then has value 0, so optimal play of a game is optimal play of each expedition.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import cache_folder, jit
from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.records import as_games
from diamant_env.exact.cards import index_of, read_set
from diamant_env.exact.induction import DIFFERENCE, EQUILIBRIUM, choose, compare, mean, solve_sets
from diamant_env.exact.moves import start_of_expedition
from diamant_env.exact.tree import ExpeditionTree, Node, build_tree
from diamant_env.state import GameState
from diamant_env.storage.files import write_whole

_CHUNKS = 200
_DIGEST_SIZE = hashlib.sha256().digest_size

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Solution:
    """A solved tree.

    Attributes:
        tree: The solved tree.
        mode: `EQUILIBRIUM` or `DIFFERENCE`.
        values: float64 (nodes,), expected gems of a player inside from a node on; with `DIFFERENCE` and both inside,
            the gain g of a lone leaver.
        error: Maximum gain of a deviation at a single node, in gems.
    """

    tree: ExpeditionTree
    mode: int
    values: NDArray[np.float64]
    error: float

    @property
    def value(self) -> float:
        """Expected gems of each player in the expedition; 0 with `DIFFERENCE`."""
        return 0.0 if self.mode == DIFFERENCE else root_value(self.tree, self.values)

    def leave_probability(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return each player's probability of leaving at later states of the expedition, float64 (games,).

        Args:
            games: Records of type `GAME` (games,) in phase `DECIDE`.

        Raises:
            ValueError: If a state is not in the solved tree.
        """
        return self.look_up(games)[:, 2]

    def action_values(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return the expected gems of CONTINUE and LEAVE at later states, float64 (games, 2).

        The others play the equilibrium now, and all play it afterwards. Arguments and errors are those of
        `leave_probability`; solutions of `DIFFERENCE` raise ValueError.
        """
        if self.mode != EQUILIBRIUM:
            raise ValueError("a solution of solve_difference has no action values; use solve_equilibrium")
        return self.look_up(games)[:, :2]

    def look_up(self, games: np.ndarray) -> NDArray[np.float64]:
        """Return the values of CONTINUE and LEAVE and the probability of leaving, float64 (games, 3)."""
        result = np.zeros((len(games), 3))
        x = self.tree
        wrong = _look_up(x.layout, x.start, as_games(games), self.mode, self.values, result)
        if wrong >= 0:
            raise ValueError(
                f"game {wrong} is not in the solved tree of {x.boxes.players} players in {x.edition.name!r}: "
                "it can't follow the state that was solved"
            )
        return result


def root_value(tree: ExpeditionTree, values: NDArray[np.float64]) -> float:
    """Return the value at the root of a tree."""
    return float(values[tree.boxes.first[0, tree.boxes.players]])


def solve_equilibrium(
    num_players: int = 4,
    edition: str | Edition = "iello-2016-fr",
    game: GameState | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> Solution:
    """Find the symmetric equilibrium in score of one expedition, with the lowest probability of leaving at each node.

    Args:
        num_players: Players at the table; ignored if `game` is given.
        edition: Name of a published edition or an `Edition`.
        game: The initial state, a record of type `GAME`; by default a new game.
        progress: Called with the fraction done, 0 to 1.
        cache: Whether to cache the values on disk; damaged files are recomputed.

    Raises:
        ValueError: If the tree is too large, or its relics have different printed values.
    """
    return _solve(_tree(num_players, edition, game), EQUILIBRIUM, progress, cache)


def solve_difference(
    edition: str | Edition = "iello-2016-fr",
    game: GameState | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> Solution:
    """Solve the zero-sum game of two players' difference in score, from a state on.

    Args:
        edition: Name of a published edition or an `Edition`.
        game: The initial state, a record of type `GAME` with two players; by default a new game. The solution of its
            expedition is optimal for the whole game too, since later expeditions have value 0.
        progress: Called with the fraction done, 0 to 1.
        cache: Whether to cache the values on disk.

    Raises:
        ValueError: If there are not two players, the tree is too large, or its relics have different printed values.
    """
    tree = _tree(2, edition, game)
    if tree.start["num_players"] != 2:
        raise ValueError(f"a table of {tree.start['num_players']} players; the difference is solved for 2")
    return _solve(tree, DIFFERENCE, progress, cache)


def solve(tree: ExpeditionTree, mode: int, values: NDArray[np.float64], progress: Progress | None = None) -> float:
    """Fill `values`, float64 (nodes,), by backward induction; return the maximum gain of a one-node deviation."""
    ranges = index_ranges(tree, progress)
    return max(float(solve_sets(tree.layout, first, last, mode, values)) for first, last in ranges)


def index_ranges(tree: ExpeditionTree, progress: Progress | None) -> Iterator[tuple[int, int]]:
    """Yield ranges of sets in decreasing order, and report progress after each."""
    edges = np.linspace(0, tree.sets.size, min(_CHUNKS, tree.sets.size) + 1).astype(int)
    for first, last in zip(edges[-2::-1], edges[:0:-1], strict=True):
        yield first, last
        if progress:
            progress(float(1 - first / tree.sets.size))


def _tree(num_players: int, edition: str | Edition, game: GameState | None) -> ExpeditionTree:
    edition = find_edition(edition)
    if game is None:
        if not isinstance(num_players, int | np.integer) or not 1 <= num_players <= MAX_PLAYERS:
            raise ValueError(f"num_players={num_players!r}; 1 to {MAX_PLAYERS} are allowed")
        game = start_of_expedition(edition, num_players)
    return build_tree(game.copy(), edition)


def _solve(tree: ExpeditionTree, mode: int, progress: Progress | None, cache: bool) -> Solution:
    stored = load_values(tree, mode) if cache else None
    if stored is not None:
        return Solution(tree, mode, *stored)
    values = np.zeros(tree.boxes.size)
    error = solve(tree, mode, values, progress)
    if cache:
        save_values(tree, mode, values, error)
    return Solution(tree, mode, values, error)


def load_values(tree: ExpeditionTree, mode: int) -> tuple[NDArray[np.float64], float] | None:
    """Return the values, float64 (nodes,), and the error of a cached solution, None if missing or damaged."""
    file = _file_of(tree, mode)
    if file is None or not file.is_file():
        return None
    content = np.fromfile(file, np.uint8)
    numbers, digest = content[:-_DIGEST_SIZE], content[-_DIGEST_SIZE:]
    if numbers.size != 8 * (tree.boxes.size + 1) or hashlib.sha256(numbers.data).digest() != digest.tobytes():
        return None
    return numbers.view("<f8")[1:], float(numbers.view("<f8")[0])


def save_values(tree: ExpeditionTree, mode: int, values: NDArray[np.float64], error: float) -> None:
    """Write a solution to the disk cache; write errors are ignored."""
    file = _file_of(tree, mode)
    if file is not None:
        numbers = np.concatenate([[error], values]).astype("<f8")
        with contextlib.suppress(OSError):
            write_whole(file, numbers.data, hashlib.sha256(numbers.data).digest())


def _file_of(tree: ExpeditionTree, mode: int) -> Path | None:
    """Return the cache file of a solution, named by a digest of its inputs; None without a cache folder."""
    folder, start = cache_folder(), tree.start
    fields = ("phase", "num_inside", "relics_taken", "path_relics", "path_relic_value", "path_gems", "bag")
    numbers = [mode, *(int(start[name]) for name in fields)]
    state = numbers_of(tree.edition).tobytes() + start["deck"].tobytes() + start["on_path"].tobytes()
    name = f"{hashlib.sha256(state + repr(numbers).encode()).hexdigest()[:32]}.values"
    return None if folder is None else folder / name


@jit(cached=True)
def _look_up(layout, start, games, mode, values, result):
    """Write the result of `Solution.look_up` into `result`; return the first game not in the tree, else -1."""
    sets, boxes, moves, _ = layout
    digits = np.zeros(sets.radix.shape[0], np.int64)
    leave, stay = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS)
    for i in range(games.shape[0]):
        game = games[i]
        index = index_of(sets, start, game)
        inside = np.int64(game.num_inside)
        if index < 0 or inside < 1 or inside > boxes.players:
            return i
        taken = np.int64(game.relics_taken) - start.relics_taken
        bag, path = np.int64(game.bag), np.int64(game.path_gems)
        more = bag - boxes.least_bag[index]
        if inside == boxes.players:
            fits = taken == 0 and more == 0 and path == boxes.full_path[index]
        else:
            fits = 0 <= taken <= boxes.relics[index] and 0 <= more < boxes.bags[index, inside]
            fits = fits and 0 <= path < boxes.paths[index, inside]
        if not fits:
            return i
        drawn, node = read_set(sets, index, digits), Node(inside, taken, bag, path)
        compare(sets, boxes, moves, drawn, node, values, leave, stay)
        q = choose(mode, leave, stay, inside - 1)
        result[i, 0], result[i, 1] = mean(stay, inside - 1, q), mean(leave, inside - 1, q)
        result[i, 2] = q
    return -1
