"""Validation of game records, and their reconstruction from observations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import (
    FIRST_RELIC,
    FIRST_TRAP,
    MAX_CARDS,
    MAX_PLAYERS,
    MAX_RELICS,
    NO_CARD,
    NUM_CARDS,
    Edition,
    find_edition,
)
from diamant_env.engine.arguments import seeds_per_game
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.loops import observe_games, rebuild_games
from diamant_env.observation import FIELDS, NUM_FEATURES, Observations
from diamant_env.state import CONTINUE, DECIDE, GAME, LEAVE, NO_DECISION, OVER, REVEAL, GameState


def as_bytes(records: NDArray) -> NDArray[np.uint8]:
    """Return a view of records (N,) as bytes for compiled loops, uint8 (N, itemsize)."""
    return records.view(np.ndarray).view(np.uint8).reshape(len(records), records.dtype.itemsize)


def copy_game(game: GameState) -> GameState:
    """Return a writable copy of a record with its padding bytes, which NumPy's own copy leaves undefined."""
    return np.frombuffer(bytearray(game.tobytes()), GAME).view(np.recarray)[0]


def as_games(games: Any) -> NDArray:
    """Return a contiguous copy of records of type `GAME` (N,); raise ValueError for another dtype or shape."""
    records = np.asarray(games)
    if records.dtype != GAME or records.ndim != 1:
        raise ValueError(
            f"games of dtype {records.dtype} and shape {records.shape}; records of type GAME (N,) are expected"
        )
    return np.array(records, GAME, order="C", subok=False)


def check_games(
    games: Any, editions: NDArray, edition_rows: NDArray, num_players: NDArray, phases: tuple[int, ...] = (DECIDE, OVER)
) -> NDArray:
    """Return a copy of records after checking the invariants that keep compiled code within array bounds and ranges.

    Reachability of the states is not checked. `edition_rows`, int64 (N,), are indices into `editions`. A ValueError
    names the game and the field.
    """
    games = as_games(games)
    if games.shape != edition_rows.shape:
        raise ValueError(f"{len(games)} games; {len(edition_rows)} are expected")
    edition, seats = editions[edition_rows], np.arange(MAX_PLAYERS) < num_players[:, None]
    deck, inside = games["deck"].astype(int), games["inside"].sum(axis=1, dtype=int)
    relics = games["relics_taken"].astype(int) + games["path_relics"] + deck[:, FIRST_RELIC:].sum(axis=1)
    most, num_relics, printed = edition["cards"].astype(int), edition["num_relics"], edition["relics_printed"]
    entered = np.where(edition["one_relic_per_expedition"], np.minimum(games["expedition"], num_relics), num_relics)
    kinds = np.where(printed, entered, np.minimum(entered, 1))[:, None]  # of relic cards
    most[:, FIRST_RELIC:] = np.where(np.arange(MAX_RELICS) < kinds, np.where(printed, 1, entered)[:, None], 0)
    traps = edition["cards"][:, FIRST_TRAP:FIRST_RELIC].astype(int) - games["on_path"] - deck[:, FIRST_TRAP:FIRST_RELIC]
    removed = edition["bust_removes"]
    is_trap = (np.arange(NUM_CARDS) >= FIRST_TRAP) & (np.arange(NUM_CARDS) < FIRST_RELIC)
    busts = games["expedition"].astype(int) - (games["phase"] != OVER)
    for field, fits in {
        "edition": games["edition"] == edition_rows,
        "num_players": (games["num_players"] == num_players) & (num_players >= 1) & (num_players <= MAX_PLAYERS),
        "phase": np.isin(games["phase"], phases),
        "expedition": (games["expedition"] >= 1) & (games["expedition"] <= edition["num_expeditions"]),
        "inside": np.isin(games["inside"], (0, 1)) & (seats | (games["inside"] == 0)),
        "num_inside": (games["num_inside"] == inside) & ((inside > 0) == (games["phase"] != OVER)),
        "on_path": np.isin(games["on_path"], (0, 1)),
        "deck": (deck >= 0) & (deck <= most),
        "deck_size": games["deck_size"] == deck.sum(axis=1),
        "relics_taken": (games["relics_taken"] >= 0) & (relics <= entered),
        # Each bust takes `bust_removes` trap cards of one kind out of the game.
        "deck's traps": (traps >= 0).all(axis=1)
        & (traps % np.maximum(removed, 1)[:, None] == 0).all(axis=1)
        & (traps.sum(axis=1) <= busts * removed),
        "decision": np.isin(games["decision"], (NO_DECISION, CONTINUE, LEAVE)),
        "last_card": _is_card(games["last_card"], most > 0),
        "bust_card": _is_card(games["bust_card"], (most > 0) & is_trap),
        **{name: (games[name] >= 0) & (games[name] <= limit) for name, limit in _limits(games, edition, seats).items()},
    }.items():
        if not fits.all():
            game = int(np.argwhere(~fits)[0][0])
            value = games[field.split("'")[0]][game].tolist()
            raise ValueError(f"game {game} is no valid state: {field} = {value}")
    return games


def _is_card(card: NDArray, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each card is `NO_CARD` or one of `allowed`, bool (N, NUM_CARDS)."""
    return (card == NO_CARD) | ((card[:, None] == np.arange(NUM_CARDS)) & allowed).any(axis=1)


def _limits(games: NDArray, edition: NDArray, seats: NDArray[np.bool_]) -> dict[str, NDArray[np.int64]]:
    """Return the maxima of fields whose minimum is 0, int (N,) or (N, MAX_PLAYERS), with which no integer overflows."""
    gems = (edition["cards"][:, :FIRST_TRAP].astype(int) * edition["treasure_value"]).sum(axis=1)
    relics, turn = edition["relic_value"].sum(axis=1, dtype=int), games["turn"].astype(int)
    by_seat = {
        "chest": gems * games["expedition"] + relics,
        "relics": games["relics_taken"].astype(int),
        "banked": gems + relics,
        "left_turn": turn,
    }
    limits = {name: limit[:, None] * seats for name, limit in by_seat.items()}
    limits["left_turn"] *= games["inside"] == 0
    in_deck = np.where(games["phase"] == OVER, 0, games["deck_size"])
    limits |= {"turn": MAX_CARDS - in_deck, "bag": gems, "path_gems": gems}
    return limits | {"path_relics": edition["num_relics"], "path_relic_value": relics}


def check_game(game: Any, edition: Edition) -> None:
    """Check one record of type `GAME` in any phase; raise ValueError as `check_games` does."""
    one = np.asarray(game)[None]
    num_players = np.clip(one["num_players"], 1, MAX_PLAYERS) if one.dtype == GAME else np.ones(1)
    check_games(one, edition_params_array([edition]), np.zeros(1, int), num_players.astype(int), (REVEAL, DECIDE, OVER))


def from_observation(
    observations: NDArray[np.float32], keys: ArrayLike, edition: str | Edition = "iello-2016"
) -> np.recarray:
    """Rebuild the games that produced observations with open chests; each observer becomes seat 0.

    Args:
        observations: float32 (rows, NUM_FEATURES).
        keys: uint64 (rows,), random keys for the rest of the games, since the true keys are unobservable.
        edition: The edition of the games.

    Returns:
        Records of type `GAME` (rows,), for ``batch.set_states(records)`` of a `Batch` of that edition.

    Raises:
        ValueError: If a shape is wrong, a key is no uint64, chests are hidden, a seat is absent, or a row encodes no
            state of the edition; the message names the row and the field.
    """
    observations = np.ascontiguousarray(observations, np.float32)
    if observations.ndim != 2 or observations.shape[1] != NUM_FEATURES:
        raise ValueError(f"observations of shape {observations.shape}; expected (rows, {NUM_FEATURES})")
    if Observations(observations)["hidden_chests"].any():
        raise ValueError("a game can't be rebuilt from observations that hide the rivals' chests")
    if np.shape(keys) != observations.shape[:1]:
        raise ValueError(f"keys of shape {np.shape(keys)}; expected {observations.shape[:1]}")
    games = rebuilt(observations, seeds_per_game(keys, len(observations)))
    played = find_edition(edition).replace(hidden_chests=False)
    editions = edition_params_array([played])
    try:
        check_games(games, editions, np.zeros(len(games), int), games["num_players"])
    except ValueError as error:
        raise ValueError(f"no game of {played.name!r} has this observation: {error}") from None
    wrong = observe_records(games, editions)[:, 0] != observations
    if wrong.any():
        row, place = (int(number) for number in np.argwhere(wrong)[0])
        name = next(field.name for field in FIELDS if place in field.columns)
        value = np.ravel(Observations(observations[row])[name]).tolist()
        raise ValueError(f"row {row}: {name} = {value} does not fit the other fields in {played.name!r}")
    return games.view(np.recarray)


def observe_records(games: NDArray, editions: NDArray, seats: int = 1) -> NDArray[np.float32]:
    """Return the observations of seats 0 to `seats` - 1, float32 (N, seats, NUM_FEATURES), without validation."""
    observations = np.zeros((len(games), seats, NUM_FEATURES), np.float32)
    observe_games(as_bytes(games), as_bytes(editions), np.ones(len(games), np.bool_), observations)
    return observations


def rebuilt(observations: NDArray[np.float32], keys: NDArray[np.uint64]) -> NDArray:
    """Return records of type `GAME` (rows,) rebuilt from observations, without validation."""
    games = np.zeros(len(observations), GAME)
    rebuild_games(np.ascontiguousarray(observations), keys, as_bytes(games))
    return games
