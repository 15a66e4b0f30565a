"""Whether a record can be that of a game: compiled code checks no bound, so a record is checked where it enters.

What is checked holds for every game that is played by the rules, and playing on keeps it: counts fit the box, the gems
and relics in chests, in bags and on the path have come up, a trap that is missing ended an expedition.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import (
    FIRST_RELIC,
    FIRST_TRAP,
    MAX_PLAYERS,
    MAX_RELICS,
    MAX_TRAPS,
    NO_CARD,
    NUM_CARDS,
    Edition,
)
from diamant_env.engine.edition_numbers import edition_table
from diamant_env.native.compiled import jit, jit_apart
from diamant_env.state import DECIDE, GAME, LEAVE, NO_DECISION, OVER, REVEAL

_BEFORE_RESET = ("key", "edition", "num_players")  # what a place has before its first game
# What others are checked against comes first.
_NAMES = [
    *("edition", "num_players", "phase", "expedition", "on_path", "deck", "deck_size"),
    *("path_relics", "relics_taken", "relics", "path_relic_value", "turn", "inside", "num_inside", "left_turn"),
    *("bag", "path_gems", "chest", "decision", "banked", "last_card", "bust_card"),
]
_LIMITS = np.dtype((np.record, [(name, np.int64, GAME[name].shape) for name in _NAMES]))
"""Fields of a game, and what each may be at least or at most, wide enough that no sum overflows."""


def check_games(games: Any, editions: NDArray, rows: NDArray, players: NDArray, may_wait: bool = False) -> NDArray:
    """Return records that compiled code can go on with, as an array of type `GAME`.

    Args:
        games: Records of type `GAME` (N,).
        editions: The table that a game's edition is a row of, records of type `EDITION` (E,).
        rows: int64 (N,), the edition of each game.
        players: int64 (N,), the number of players of each game.
        may_wait: Whether a game may be one that was not started yet.

    Raises:
        ValueError: If it is no such array, or one of the records can't be that of a game; the message names the game,
            the field, its value and what is allowed.
    """
    given = as_games(games)
    if given.shape != rows.shape:
        raise ValueError(f"{len(given)} games; {len(rows)} are expected")
    started = given["expedition"] != 0
    if may_wait and not started.all():
        waiting = np.zeros(len(given), GAME)
        for name in _BEFORE_RESET:
            waiting[name] = given[name]
        started |= given != waiting
    else:
        started[:] = True
    _refuse(given, editions, rows, players, started, DECIDE)
    return given


def as_games(games: Any) -> NDArray:
    """Return a contiguous array (N,) of records of type `GAME`, unchecked but for being one.

    Raises:
        ValueError: If the dtype is another one, or there is another number of axes.
    """
    given = np.asarray(games)
    if given.dtype != GAME or given.ndim != 1:
        raise ValueError(
            f"games of dtype {given.dtype} and shape {given.shape}; records of type GAME (N,) are expected"
        )
    return np.array(given, GAME, order="C", subok=False)  # a copy, which nobody changes once it is checked


def check_game(game: Any, edition: Edition) -> None:
    """Check one record of type `GAME`, in which the first card of an expedition may be due.

    Raises:
        ValueError: If it is no such record, or can't be that of a game of this edition.
    """
    one = as_games(np.asarray(game)[None])
    players = np.clip(one["num_players"], 1, MAX_PLAYERS).astype(np.int64)
    _refuse(one, edition_table([edition]), np.zeros(1, np.int64), players, np.ones(1, np.bool_), REVEAL)


def _refuse(
    games: NDArray, editions: NDArray, rows: NDArray, players: NDArray, started: NDArray[np.bool_], first_phase: int
) -> None:
    """Raise a ValueError if one of the games that were started can't be."""
    limits = np.zeros(2, _LIMITS)  # the least, the most
    wide = np.zeros(len(games), _LIMITS)
    for name in _NAMES:
        wide[name] = games[name]
    bounds, numbers = limits.view(np.int64).reshape(2, -1), wide.view(np.int64).reshape(len(games), -1)
    wrong, place = _first_flaw(wide, editions, rows, players, started, first_phase, limits, bounds, numbers)
    if wrong >= 0:
        value, (least, most) = int(numbers[wrong, place]), bounds[:, place].tolist()
        allowed = f"{least} to {most}" if least < most else f"{most}" if least == most else "nothing"
        raise ValueError(f"game {wrong} can't be: {_name_of(place)} = {value}; {allowed} is allowed")


def _name_of(place: int) -> str:
    """Return the field, and which of its numbers, that lies at a place of a record of limits."""
    for name in _NAMES:
        kind, offset = _LIMITS.fields[name][:2]  # type: ignore[index]
        index = place - offset // 8
        if index < kind.itemsize // 8:
            return f"{name}[{index}]" if kind.shape else name
    raise IndexError(place)


@jit_apart
def _first_flaw(games, editions, rows, players, started, first_phase, limits, bounds, numbers):
    """Return the first game that can't be and the place of the number that is out of range; -1 if there is none."""
    for i in range(games.shape[0]):
        if not started[i] and games[i].edition == rows[i] and games[i].num_players == players[i]:
            continue
        game, edition, low, high = games[i], editions[rows[i]], limits[0], limits[1]
        _limit_stage(game, edition, rows[i], players[i], first_phase, low, high)
        _limit_cards(game, edition, low, high)
        _limit_relics(game, edition, low, high)
        _limit_seats(game, players[i], low, high)
        _limit_gems(game, edition, players[i], low, high)
        _limit_events(game, edition, low, high)
        for place in range(numbers.shape[1]):
            if numbers[i, place] < bounds[0, place] or numbers[i, place] > bounds[1, place]:
                return i, place
    return -1, 0


@jit
def _limit_stage(game, edition, row, players, first_phase, low, high):
    """What is played, and how far it is."""
    low.edition = high.edition = row
    low.num_players = high.num_players = players
    low.phase, high.phase = first_phase, OVER
    low.expedition = edition.num_expeditions if game.phase == OVER else 1
    high.expedition = edition.num_expeditions


@jit
def _limit_cards(game, edition, low, high):
    """Treasures that are missing have come up; traps that are missing ended an expedition."""
    size = 0
    for card in range(NUM_CARDS):
        size += game.deck[card]
    low.deck_size = high.deck_size = size
    for slot in range(FIRST_TRAP):
        low.deck[slot] = 0 if game.phase == DECIDE else edition.cards[slot]
        high.deck[slot] = edition.cards[slot]
    busts = game.expedition if game.phase == OVER else game.expedition - 1
    for trap in range(MAX_TRAPS):
        card, removed = FIRST_TRAP + trap, edition.bust_removes
        low.on_path[trap] = 0
        high.on_path[trap] = game.phase == DECIDE and edition.cards[card] > 0
        copies = edition.cards[card] - game.on_path[trap]
        left, of_kind = max(game.deck[card], 0), 0
        while removed > 0 and of_kind < busts and copies - removed >= left and copies + game.on_path[trap] >= 2:
            copies -= removed  # a bust takes two of a kind, of which some leave the game
            of_kind += 1
        busts -= of_kind
        low.deck[card] = high.deck[card] = copies
    for relic in range(MAX_RELICS):
        low.deck[FIRST_RELIC + relic] = 0
        high.deck[FIRST_RELIC + relic] = _relics_entered(game, edition, relic)


@jit
def _relics_entered(game, edition, relic):
    """Return how many relic cards of a kind have been put into the deck until now."""
    number = np.int64(edition.num_relics)
    if edition.one_relic_per_expedition:
        number = min(game.expedition, number)
    if edition.relics_printed:
        return np.int64(relic < number)
    return number if relic == 0 else 0


@jit
def _limit_relics(game, edition, low, high):
    """Relics that are missing lie on the path, were taken or were lost; the turn counts what has come up."""
    missing = worth = least = 0
    for relic in range(MAX_RELICS):
        absent = _relics_entered(game, edition, relic) - game.deck[FIRST_RELIC + relic]
        missing += absent
        worth += absent * edition.relic_value[relic]
        if game.relics_taken <= relic < game.relics_taken + game.path_relics:
            least += edition.relic_value[relic]
    low.path_relics, high.path_relics = 0, missing if game.phase == DECIDE else 0
    low.path_relic_value = 0 if edition.relics_printed else least
    high.path_relic_value = worth if edition.relics_printed and game.path_relics > 0 else low.path_relic_value
    taken = 0
    for seat in range(MAX_PLAYERS):
        taken += game.relics[seat]
    low.relics_taken, high.relics_taken = taken, min(taken, missing - game.path_relics)
    come_up = 0
    for slot in range(FIRST_TRAP):
        come_up += edition.cards[slot] - game.deck[slot]
    for trap in range(MAX_TRAPS):
        come_up += game.on_path[trap]
    if game.phase == DECIDE:
        low.turn, high.turn = max(1, come_up + game.path_relics), come_up + missing
    else:
        low.turn, high.turn = game.phase == OVER, 127 if game.phase == OVER else 0


@jit
def _limit_seats(game, players, low, high):
    """Who is inside has not left; who is in camp left at an earlier turn; seats that nobody has hold nothing."""
    inside = 0
    for seat in range(MAX_PLAYERS):
        here = seat < players
        inside += game.inside[seat]
        low.inside[seat] = here and game.phase != OVER and game.turn <= 1
        high.inside[seat] = here and game.phase != OVER
        low.left_turn[seat] = here and game.phase != OVER and not game.inside[seat]
        high.left_turn[seat] = 0
        if here and game.phase == OVER:
            high.left_turn[seat] = game.turn
        elif here and not game.inside[seat]:
            high.left_turn[seat] = game.turn - 1
        low.relics[seat], high.relics[seat] = 0, game.relics_taken if here else 0
    low.num_inside = inside if game.phase == OVER else max(inside, 1)
    high.num_inside = inside


@jit
def _limit_gems(game, edition, players, low, high):
    """Gems in bags, on the path and in chests have come up: in this expedition, in those before it, as relics."""
    found = before = 0
    for slot in range(FIRST_TRAP):
        found += (edition.cards[slot] - game.deck[slot]) * edition.treasure_value[slot]
        before += edition.cards[slot] * np.int64(edition.treasure_value[slot])
    at_risk = game.bag * game.num_inside
    low.bag, high.bag = 0, found // max(game.num_inside, 1)
    low.path_gems, high.path_gems = 0, found - at_risk
    rest = before * (game.expedition if game.phase == OVER else game.expedition - 1) + found - at_risk - game.path_gems
    for relic in range(MAX_RELICS):
        if edition.relics_printed:
            absent = _relics_entered(game, edition, relic) - game.deck[FIRST_RELIC + relic]
            rest += absent * edition.relic_value[relic]
        elif relic < game.relics_taken:
            rest += edition.relic_value[relic]
    if edition.relics_printed:
        rest -= game.path_relic_value  # in no chest yet
    for seat in range(MAX_PLAYERS):
        low.chest[seat], high.chest[seat] = 0, rest if seat < players else 0
        rest -= game.chest[seat]


@jit
def _limit_events(game, edition, low, high):
    """What happened last, for those who watch."""
    for seat in range(MAX_PLAYERS):
        low.decision[seat], high.decision[seat] = NO_DECISION, LEAVE
        low.banked[seat], high.banked[seat] = 0, game.chest[seat]
    kinds = edition.num_relics if edition.relics_printed else min(1, edition.num_relics)
    low.last_card = low.bust_card = high.last_card = high.bust_card = NO_CARD
    for card in range(FIRST_RELIC + kinds):
        if game.last_card == card and (card >= FIRST_RELIC or edition.cards[card] > 0):
            high.last_card = card
        if game.bust_card == card and FIRST_TRAP <= card < FIRST_RELIC and edition.cards[card] > 0:
            high.bust_card = card
