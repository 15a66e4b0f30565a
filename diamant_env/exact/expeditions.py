"""Later expeditions of a game in score, by deck.

In score an expedition depends on earlier ones through its deck only: a bust removes a trap, and relics are taken or
lost. Expeditions are therefore solved one by one, the last ones first. Decks that differ only in interchangeable traps
are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, NO_CARD, Edition
from diamant_env.engine.edition_params import edition_params
from diamant_env.exact.cards import CardSets, card_sets
from diamant_env.exact.moves import after_bust, after_leaving, fatal_kinds
from diamant_env.exact.tree import Ends, relic_digit_of
from diamant_env.rules import reveal
from diamant_env.state import DECIDE, GAME, REVEAL, GameState


class ExpeditionStart(NamedTuple):
    """State at the start of an expedition that determines its value in score.

    Attributes:
        expedition: Number of the expedition, 1 for the first.
        traps: Copies of each kind of trap, ascending if kinds are interchangeable.
        relics: Copies of each relic card.
        relics_taken: Relics taken by all players, and lost ones if they count.
    """

    expedition: int
    traps: tuple[int, ...]
    relics: tuple[int, ...]
    relics_taken: int


def deck_of(game: GameState, edition: Edition, merge_traps: bool = True) -> ExpeditionStart:
    """Return the deck at the start of an expedition."""
    traps = game["deck"][FIRST_TRAP : FIRST_TRAP + len(edition.traps)].tolist()
    relics = tuple(game["deck"][FIRST_RELIC:].tolist())
    return ExpeditionStart(
        int(game["expedition"]), tuple(sorted(traps) if merge_traps else traps), relics, int(game["relics_taken"])
    )


def expeditions_after(start: GameState, edition: Edition, merge_traps: bool = True) -> dict[ExpeditionStart, GameState]:
    """Return the starts of all later expeditions; each one comes after those that can follow it."""
    starts: dict[ExpeditionStart, GameState] = {}

    def add_followers(game: GameState) -> None:
        for outcome in _outcomes(game, edition, card_sets(game, edition, merge_traps)):
            for follower in outcome.followers:
                deck = deck_of(follower, edition, merge_traps)
                if deck not in starts:
                    follower["deck"][FIRST_TRAP : FIRST_TRAP + len(edition.traps)] = deck.traps
                    follower["chest"] = follower["relics"] = 0
                    add_followers(follower)
                    starts[deck] = follower

    add_followers(start)
    return starts


def values_of_ends(
    start: GameState, edition: Edition, sets: CardSets, value_of: Callable[[GameState], tuple[float, ...]]
) -> list[Ends]:
    """Return an `Ends` for each value that `value_of` returns for the next start; [] for the last expedition."""
    outcomes = [
        (outcome, np.average([value_of(game) for game in outcome.followers], axis=0, weights=outcome.weights))
        for outcome in _outcomes(start, edition, sets)
    ]
    if not outcomes:
        return []
    k, relics = len(outcomes[0][1]), outcomes[-1][0].relics + 1
    left, bust = np.zeros((k, relics, relics)), np.zeros((k, len(sets.radix) + 1, relics, relics))
    for outcome, values in outcomes:
        if outcome.digit is None:
            left[:, outcome.relics, outcome.taken] = values
        else:
            bust[:, outcome.digit, outcome.relics, outcome.taken] = values
    return [Ends(*arrays) for arrays in zip(left, bust, strict=True)]


class _Outcome(NamedTuple):
    """An end of an expedition."""

    relics: int  # relics drawn
    taken: int  # relics taken
    digit: int | None  # digit of the fatal trap, None if all have left
    followers: list[GameState]  # possible starts of the next expedition
    weights: list[int]  # of the followers


def _outcomes(start: GameState, edition: Edition, sets: CardSets) -> Iterator[_Outcome]:
    """Yield the ends of an expedition by relics drawn, ascending; none for the last expedition."""
    if start["expedition"] == edition.expeditions:
        return
    digit, before = relic_digit_of(sets, edition), int(start["path_relics"])
    card = int(sets.card[digit]) if digit >= 0 else -1
    copies = int(start["deck"][card]) if digit >= 0 else 0
    for drawn in range(copies + 1):
        for taken in range(before + drawn + 1):
            game = start.copy()
            for _ in range(drawn):
                reveal(game, edition_params(edition), card)
            game["relics_taken"] += taken
            game["path_relics"] -= taken
            yield _Outcome(before + drawn, taken, None, [after_leaving(game, edition)], [1])
            for traps, row in fatal_kinds(game, sets):
                weights = game["deck"][[FIRST_TRAP + trap for trap in traps]].tolist()
                followers = [after_bust(game, edition, trap) for trap in traps]
                yield _Outcome(before + drawn, taken, row, followers, weights)


def current_expedition(games: NDArray, edition: Edition) -> NDArray:
    """Return the starts of the expeditions that games are in.

    A state does not record in which expedition its relics were taken, and its value does not depend on it: they count
    for this expedition if a player has left, else for earlier ones. Relics with different printed values stay on the
    path.

    Args:
        games: Records of type `GAME` (games,).
        edition: The edition.

    Returns:
        Records of type `GAME` (games,).
    """
    starts, players = np.full(len(games), 0, GAME), games["num_players"].astype(int)
    for name in ("num_players", "expedition", "relics_taken", "path_relics", "path_relic_value"):
        starts[name] = games[name]
    starts["deck"][:, :FIRST_TRAP] = edition_params(edition)["cards"][:FIRST_TRAP]
    starts["deck"][:, FIRST_TRAP:FIRST_RELIC] = games["deck"][:, FIRST_TRAP:FIRST_RELIC] + games["on_path"]
    if edition.relics:
        starts["deck"][:, FIRST_RELIC:] = games["deck"][:, FIRST_RELIC:]
    if edition.relics and (edition.relic_values != "printed" or len(edition.relics) == 1):
        taken_now = np.where(games["num_inside"] < players, games["relics_taken"], 0)
        starts["deck"][:, FIRST_RELIC] += games["path_relics"] + taken_now
        starts["relics_taken"] -= taken_now
        starts["path_relics"] = starts["path_relic_value"] = 0
    starts["deck_size"] = starts["deck"].sum(axis=1)
    starts["num_inside"], starts["phase"] = players, np.where(starts["path_relics"] > 0, DECIDE, REVEAL)
    starts["inside"] = np.arange(MAX_PLAYERS) < players[:, None]
    starts["last_card"] = starts["bust_card"] = NO_CARD
    return starts


def sort_traps(games: np.ndarray, kinds: int) -> None:
    """Sort the kinds of trap by number of cards: games equal up to a permutation of kinds are solved once."""
    decks, on_path = games["deck"][:, FIRST_TRAP : FIRST_TRAP + kinds], games["on_path"][:, :kinds]
    order = np.argsort(decks + on_path, axis=1, kind="stable")
    decks[:] = np.take_along_axis(decks, order, axis=1)
    on_path[:] = np.take_along_axis(on_path, order, axis=1)
