"""Our engine as a contender: batches with observations, the rules alone, random games."""

from __future__ import annotations

import inspect

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Play
from benchmarks.reference import Reference, ScalarReference, new_arrays
from diamant_env import Batch
from diamant_env.rewards import reward_of
from diamant_env.rules import (
    OVER,
    key_of_next_game,
    key_of_seed,
    play_turn,
    random_bits,
    reveal_until_decision,
    start_game,
)

RING = 16  # arrays of actions, made beforehand and used in turn
# As the engine compiles its own, but without its cache, which would not see a change to this file.
_compiled = numba.njit(error_model="numpy", nogil=True)
HAS_THREADS = "threads" in inspect.signature(Batch).parameters


def action_ring(num_games: int, seats: int, leave_probability: float) -> list[NDArray[np.int8]]:
    """Return arrays of random actions, int8 (num_games, seats)."""
    random = np.random.default_rng(0)
    return [(random.random((num_games, seats)) < leave_probability).astype(np.int8) for _ in range(RING)]


def engine_play(num_games: int, players: int, ring: list[NDArray[np.int8]], threads: int = 1) -> Play:
    """Return a contender: the engine with observations, rewards, done and auto-reset, in the caller's arrays."""
    options = {"threads": threads} if HAS_THREADS else {}
    batch = Batch(num_games, players, **options)
    observations, rewards, done = new_arrays(num_games, players)
    batch.reset(0, observations=observations)

    def play(steps: int) -> None:
        for step in range(steps):
            batch.step(ring[step % RING], observations, rewards, done, auto_reset=True)

    return play


def reference_play(num_games: int, players: int, ring: list[NDArray[np.int8]], variant: str) -> Play:
    """Return a contender: a variant of the C with arrays of the same kind.

    ``"rules"``, ``"plain"`` and ``"incremental"`` are the strongest C; ``"scalar"`` and ``"scalar rules"`` the other.
    """
    scalar = variant.startswith("scalar")
    rival = (ScalarReference if scalar else Reference)(num_games, players)
    observations, rewards, done = arrays = new_arrays(num_games, players)
    rival.reset(0, observations)
    if scalar:
        arrays = (None if variant == "scalar rules" else observations, rewards, done)
        variant = "plain"
    steppers = [rival.stepper(actions, *arrays, variant=variant) for actions in ring]

    def play(steps: int, keep: object = (rival, observations, rewards, done)) -> None:
        for step in range(steps):
            steppers[step % RING]()

    return play


def rules_play(num_games: int, players: int, ring: list[NDArray[np.int8]]) -> Play:
    """Return a contender: the engine's rules with rewards, done and auto-reset, without observations."""
    batch = Batch(num_games, players)
    batch.reset(0)
    _, rewards, done = new_arrays(num_games, players)

    def play(steps: int) -> None:
        for step in range(steps):
            _step_rules(batch.games, batch.edition_records, ring[step % RING], rewards, done)

    return play


def deciding_share(num_games: int, players: int, ring: list[NDArray[np.int8]]) -> float:
    """Return which share of the seats has to decide, on average over steps in mid-game."""
    batch = Batch(min(num_games, 1024), players)
    observations = batch.reset(0)
    deciding = []
    for step in range(100):
        batch.step(ring[step % RING][: batch.num_games], observations, auto_reset=True)
        deciding.append(float(np.mean(batch.must_decide)))
    return float(np.mean(deciding[50:]))


def random_games(count: int, players: int, leave_probability: float) -> NDArray[np.int16]:
    """Play games to their ends, every decision drawn in the engine; return the chests, int16 (count, players)."""
    batch = Batch(1, players)
    chests = np.zeros((count, players), np.int16)
    _play_random_games(batch.games, batch.edition_records, np.float64(leave_probability), chests)
    return chests


@_compiled
def _step_rules(games, editions, actions, rewards, done):
    """One turn of all games, as the engine plays it, but nobody observes."""
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        for seat in range(actions.shape[1]):
            game.decision[seat] = actions[i, seat]
        play_turn(game, edition)
        done[i] = game.phase == OVER
        for seat in range(actions.shape[1]):
            rewards[i, seat] = reward_of(game, edition, seat, 0)
        if done[i]:
            start_game(game, edition, game.num_players, key_of_next_game(game.key))
            reveal_until_decision(game, edition)


@_compiled
def _play_random_games(games, editions, leave_probability, chests):
    """Play the games with seeds 0, 1 … one after the other."""
    game = games[0]
    edition = editions[game.edition]
    threshold = np.int64(np.ceil(leave_probability * 4294967296.0))
    for i in range(chests.shape[0]):
        start_game(game, edition, game.num_players, key_of_seed(np.uint64(i)))
        reveal_until_decision(game, edition)
        while game.phase != OVER:
            for seat in range(chests.shape[1]):
                game.decision[seat] = random_bits(game.key, game.expedition, game.turn, 1 + seat) < threshold
            play_turn(game, edition)
        for seat in range(chests.shape[1]):
            chests[i, seat] = game.chest[seat]
