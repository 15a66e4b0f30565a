"""Strange records handed to a batch whose arrays lie between guard words."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from diamant_env import GAME, Batch, Edition
from diamant_env.native.aligned import aligned
from diamant_env.native.compiled import jit
from diamant_env.observation import NUM_FEATURES
from diamant_env.rewards import REWARDS

_TWO_LEAVE = Edition("two leave", (1, 5, 7, 11), ("a", "b", "c"), 2, relics=(3,), expeditions=3, bust_removes=2)
_GUARD, _BYTES = 0xA5, 512  # on each side
_NUMBERS = [name for name in GAME.names if name not in ("key", "edition")]


class Guarded:
    """Arrays of zeros between guard bytes."""

    def __init__(self) -> None:
        self._guards: list[NDArray[np.uint8]] = []

    def array(self, shape: tuple[int, ...], dtype) -> NDArray:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        raw = aligned(size + 2 * _BYTES, np.uint8)
        self._guards += [raw[:_BYTES], raw[_BYTES + size :]]
        for guard in self._guards[-2:]:
            guard[:] = _GUARD
        return raw[_BYTES : _BYTES + size].view(dtype).reshape(shape)

    @property
    def intact(self) -> bool:
        """Whether nothing was written beside an array."""
        return all((guard == _GUARD).all() for guard in self._guards)


def guarded_batch(games: int, players: int, edition: str | Edition, reward: str, guarded: Guarded) -> Batch:
    """Return a started batch whose records and workspace lie between guard bytes."""
    batch = Batch(games, players, edition, reward)
    batch.reset(0)
    records = guarded.array((games,), GAME)
    records[:] = batch._core.records
    batch._core.records, batch._core.memory = records, records.view(np.uint8).reshape(games, -1)
    workspace = batch._core.team.workspace[0]
    batch._core.team.workspace[0] = guarded.array(workspace.shape, workspace.dtype)
    batch._core.team.workspace[0][:] = workspace
    return batch


@jit
def pay_everyone(game, rewards, i):
    """What `pay` once did: it trusted the record."""
    for seat in range(game.num_players):
        rewards[i, seat] = 1


def guards_notice() -> bool:
    """Whether the guard bytes show a write beside an array, and none before it."""
    guarded = Guarded()
    batch = guarded_batch(2, 4, "iello-2016", "win", guarded)
    rewards = guarded.array((2, 4), np.float32)
    pay_everyone(batch._core.records[1], rewards, 1)
    before = guarded.intact
    batch._core.records["num_players"] = 8
    pay_everyone(batch._core.records[1], rewards, 1)
    return before and not guarded.intact


def strange_records(batch: Batch, random: np.random.Generator) -> NDArray:
    """Return one record for each place: random bytes, a real game with some numbers changed, or an extreme one."""
    for _ in range(int(random.integers(1, 40))):
        batch.play(random.random((batch.num_games, batch.seats)) < 0.15, auto_reset=bool(random.integers(2)))
    records = batch.games.copy()
    for i in range(batch.num_games):
        record, kind = records[i], random.integers(4)
        if kind == 0:
            records[i] = np.frombuffer(random.bytes(GAME.itemsize), GAME)[0]
        elif kind == 1:  # numbers that are a little off, which may well be those of another game
            for name in random.choice(_NUMBERS, int(random.integers(1, 3))):
                numbers = records[name].reshape(len(records), -1)[i]
                numbers[random.integers(numbers.size)] += random.integers(-2, 3)
        elif kind == 2:
            numbers = records[random.choice(_NUMBERS)].reshape(len(records), -1)[i]
            limits = np.iinfo(numbers.dtype)
            extreme = random.choice((limits.min, limits.max, -1, 0, 1, 8, 9, 16, 29, 100))
            numbers[random.integers(numbers.size) :] = extreme.astype(numbers.dtype)
        else:
            record["key"] = random.integers(2**64, dtype=np.uint64)
            record["edition"] = random.choice([0, 0, 1, -1, 127])
    return records


def restore(batch: Batch, records: NDArray) -> int:
    """Hand the records to a batch; return how many it refused, whose places go on with the games that they had."""
    records, refused = records.copy(), 0
    while True:
        try:
            batch.restore(records)
            return refused
        except ValueError as error:
            named = re.fullmatch(r"game (\d+) can't be: \w+(\[\d+\])? = -?\d+; .* is allowed", str(error))
            if named is None:
                raise AssertionError(f"a message without game, field, value and what is allowed: {error}") from None
            place, refused = int(named[1]), refused + 1
            records[place] = batch._core.records[place]


def play_to_the_end(batch: Batch, guarded: Guarded, random: np.random.Generator) -> None:
    """Step a batch until its games are over, and into the next ones; after each turn all records can be games."""
    shape = (batch.num_games, batch.seats)
    rows, last = (guarded.array((*shape, NUM_FEATURES), np.float32) for _ in range(2))
    rewards, done = guarded.array(shape, np.float32), guarded.array(shape[:1], np.bool_)
    actions = guarded.array(shape, np.int8)
    over = np.zeros(batch.num_games, np.bool_)
    while not over.all():
        actions[:] = random.random(shape) < 0.2
        auto_reset = bool(random.integers(2))
        batch.step(actions, rows, rewards, done, auto_reset=auto_reset, final_observations=last if auto_reset else None)
        over |= done
        batch.restore(batch.games)


def strange_round(seed: int, games: int = 250) -> tuple[int, str | None]:
    """Hand strange records to a batch of some size and edition; return how many it refused, and what went wrong."""
    random = np.random.default_rng(seed)
    editions = ["iello-2016", "iello-2016-fr", "iello-2016-fr-relics", "everdeck-relics", "incan-gold", _TWO_LEAVE]
    guarded = Guarded()
    reward = list(REWARDS)[seed % len(REWARDS)]
    batch = guarded_batch(
        games, int(random.integers(1 + (reward == "margin"), 9)), editions[seed % len(editions)], reward, guarded
    )
    refused = restore(batch, strange_records(batch, random))
    try:
        play_to_the_end(batch, guarded, random)
    except ValueError as error:
        return refused, f"seed {seed}: a game that was let in became one that can't be: {error}"
    return refused, None if guarded.intact else f"seed {seed}: something was written beside an array"
