"""Symmetric equilibrium of one expedition in score.

In score each player maximises expected gems. A node can have several symmetric equilibria; the one with the lowest
probability of leaving is selected, and all values are those of the selected equilibria.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import cache_folder
from diamant_env.editions import MAX_PLAYERS, Edition, find_edition, is_published
from diamant_env.engine.arguments import checked_int
from diamant_env.engine.edition_params import edition_params
from diamant_env.exact.expeditions import ExpeditionStart, deck_of, expeditions_after, values_of_ends
from diamant_env.exact.induction import EQUILIBRIUM, Progress, solve
from diamant_env.exact.moves import start_of_expedition
from diamant_env.exact.solution import Solution, Strategy
from diamant_env.exact.tree import MAX_NODES, Ends, ExpeditionTree, build_tree, values_with
from diamant_env.state import GameState
from diamant_env.storage.files import write_atomic

_MOST_UNSEEN = 1_000_000_000  # nodes of later expeditions, a few minutes


def solve_equilibrium(
    num_players: int = 4,
    edition: str | Edition = "iello-2016-fr",
    game: GameState | None = None,
    progress: Progress | None = None,
    cache: bool = True,
    whole_game: bool = False,
) -> Solution:
    """Solve the symmetric equilibrium in score of one expedition, with the lowest probability of leaving at each node.

    Args:
        num_players: Number of players of a new game; ignored with `game`.
        edition: Name of a published edition or an `Edition`.
        game: The initial state, a record of type `GAME`; by default a new game.
        progress: Called with the fraction done, 0 to 1.
        cache: Whether to cache the values on disk.
        whole_game: Whether later expeditions count: then values are gems until the end of the game.

    Returns:
        The solution: expected gems and probabilities of leaving in all states of the expedition.

    Raises:
        ValueError: If the tree is too large, or its relics have different printed values.
    """
    tree = _tree(num_players, edition, game)
    if not whole_game:
        return _solve(tree, progress, cache)
    _check_whole(tree)
    later = _solve_later(tree.start, tree.edition, progress, cache)
    solution = _solve(tree, progress, cache, _ends(tree, later))
    error = max([solution.error, *(float(result[0]) for result in later.values())])
    return replace(solution, error=error, later={deck: float(result[1]) for deck, result in later.items()})


def _tree(num_players: int, edition: str | Edition, game: GameState | None) -> ExpeditionTree:
    edition = find_edition(edition)
    if game is None:
        game = start_of_expedition(edition, checked_int("num_players", num_players, 1, MAX_PLAYERS))
    return build_tree(game, edition)


def _check_whole(tree: ExpeditionTree) -> None:
    """Raise a ValueError if a tree is too large for a whole game: before the last expedition, camp has values too."""
    most = MAX_NODES // 2
    if tree.start["expedition"] < tree.edition.expeditions and tree.boxes.size > most:
        raise ValueError(
            f"a whole game of {tree.boxes.players} players in {tree.edition.name!r} is too large to be solved: "
            f"{tree.boxes.size:,} nodes in expedition {tree.start['expedition']}, at most {most:,}"
        )


def whole_game_strategy(game: GameState, edition: Edition) -> Strategy:
    """Return the equilibrium of a whole game in score in one of its expeditions, cached on disk.

    Args:
        game: The first state of the expedition, a record of type `GAME`.
        edition: The edition of the game.

    Raises:
        ValueError: If the game is too large, or the values of later expeditions are neither cached nor computed in a
            few minutes.
    """
    tree = build_tree(game, edition)
    file = cache_file(game, edition, "strategy")
    leave = load_numbers(file, "<f4")
    if leave is None:
        _check_whole(tree)
        later = _solve_later(game, edition, None, True, _MOST_UNSEEN // tree.boxes.size)
        leave = _solve(tree, None, False, _ends(tree, later)).strategy().leave
        save_numbers(file, leave)
    return Strategy(tree, leave)


def _solve_later(
    start: GameState, edition: Edition, progress: Progress | None, cache: bool, most: int | None = None
) -> dict[ExpeditionStart, NDArray[np.float64]]:
    """Return error and value, float64 (2,), of each later expedition; ValueError if more than `most` are uncached."""
    solved: dict[ExpeditionStart, NDArray[np.float64]] = {}
    games = expeditions_after(start, edition)
    files = [cache_file(game, edition, "root") if cache else None for game in games.values()]
    if most is not None and sum(load_numbers(file) is None for file in files) > most:
        players = int(start["num_players"])
        command = f"run diamant exact --whole-game --players {players} --edition {edition.name}"
        if not is_published(edition):
            command = f"call diamant_env.exact.solve_equilibrium({players}, edition, whole_game=True)"
        raise ValueError(f"a whole game of {players} players in {edition.name!r} is not solved yet: once, {command}")
    for number, (file, (deck, game)) in enumerate(zip(files, games.items(), strict=True)):
        result = load_numbers(file)
        if result is None:
            tree = build_tree(game, edition)
            _check_whole(tree)
            solution = _solve(tree, None, False, _ends(tree, solved))
            result = np.array([solution.error, solution.value])
            save_numbers(file, result)
        solved[deck] = result
        if progress:
            progress((number + 1) / (len(games) + 1))
    return solved


def _ends(tree: ExpeditionTree, later: dict[ExpeditionStart, NDArray[np.float64]]) -> Ends | None:
    """Return the values of the ends of an expedition; None for the last one."""
    value_of = {deck: (float(result[1]),) for deck, result in later.items()}
    ends = values_of_ends(tree.start, tree.edition, tree.sets, lambda game: value_of[deck_of(game, tree.edition)])
    return ends[0] if ends else None


def _solve(tree: ExpeditionTree, progress: Progress | None, cache: bool, ends: Ends | None = None) -> Solution:
    nodes = tree.boxes.size
    followed = ends is not None
    file = cache_file(tree.start, tree.edition, "followed" if followed else "") if cache else None
    stored = load_numbers(file)
    numbers = np.zeros(1 + nodes * (1 + followed)) if stored is None else stored
    values = values_with(tree, numbers[1 : nodes + 1], numbers[nodes + 1 :], ends)
    if stored is None:
        numbers[0] = solve(tree, EQUILIBRIUM, values, progress)
        save_numbers(file, numbers)
    elif progress is not None:
        progress(1)
    return Solution(tree, values, float(numbers[0]))


def load_numbers(file: Path | None, dtype: str = "<f8") -> NDArray | None:
    """Return an array from the disk cache, None if missing."""
    return None if file is None or not file.is_file() else np.fromfile(file, dtype)


def save_numbers(file: Path | None, numbers: NDArray) -> None:
    """Write an array to the disk cache, little-endian; write errors are ignored."""
    if file is not None:
        with contextlib.suppress(OSError):
            write_atomic(file, numbers.astype(numbers.dtype.newbyteorder("<"), copy=False).data)


def cache_file(start: GameState, edition: Edition, kind: str = "") -> Path | None:
    """Return the cache file of a solution, named by a digest of its inputs; None without a cache folder."""
    folder = cache_folder()
    fields = ["phase", "num_inside", "relics_taken", "path_relics", "path_relic_value", "path_gems", "bag"]
    fields += ["num_players", "expedition"] if kind else []  # irrelevant to values of a single expedition
    numbers = [kind, *(int(start[name]) for name in fields)]
    same = replace(edition.replace(hidden_chests=False), tie_break="shared")  # neither changes values in gems
    state = edition_params(same).tobytes() + start["deck"].tobytes() + start["on_path"].tobytes()
    name = f"{hashlib.sha256(state + repr(numbers).encode()).hexdigest()[:32]}.values"
    return None if folder is None else folder / name
