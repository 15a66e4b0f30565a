"""JAX rules against the engine: states, observations, rewards and ends, given the same cards."""

import functools
import os

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from diamant_env.batch import Batch  # noqa: E402
from diamant_env.editions import EDITIONS, MAX_PLAYERS, NO_CARD, Edition  # noqa: E402
from diamant_env.jax import Diamant  # noqa: E402
from diamant_env.jax.env import pay  # noqa: E402
from diamant_env.jax.rules import Numbers, State, resolve_decisions, reveal, select, start_game  # noqa: E402
from diamant_env.rewards import REWARDS  # noqa: E402
from diamant_env.state import REVEAL  # noqa: E402

OWN = Edition(
    "own", treasures=(1, 6, 6, 40), traps=("a", "b", "c"), trap_copies=2, relics=(3, 20), relics_enter="expedition",
    relic_values="printed", expeditions=3, bust_removes=2, tie_break="relics",
)  # fmt: skip
PRINTED = Edition(
    "printed from the start", treasures=(2, 5, 17), traps=("a", "b"), trap_copies=4, relics=(3, 20), expeditions=2,
    relic_values="printed", hidden_chests=True,
)  # fmt: skip
PLAYERS = range(1, MAX_PLAYERS + 1)
STATE = [name for name in State._fields if name != "key"]


def own_reward(banked, chests, inside, done):
    return banked + 0.5 * inside - 0.25 * chests * done[..., None]


def paying(players):
    return [*(name for name in REWARDS if name != "margin" or players > 1), own_reward]


def play_cards(players, state, numbers, actions, cards):
    """Play a turn as `Diamant.step` does, with given instead of drawn cards."""
    after = resolve_decisions(state, numbers, actions)
    for card in cards:
        after = select(after.phase == REVEAL, reveal(after, numbers, card), after)
    after = select(state.over, state, after)
    rewards = [jnp.where(state.over, 0, pay(after, numbers, reward)) for reward in paying(players)]
    return after, seen(players, after, numbers), rewards


def seen(players, state, numbers):
    env = Diamant(players).with_numbers(numbers)
    return env.observe(state), env.global_state(state)


def cards_of(batch):
    """Return the cards that came up in each game in its last turn, int32 (games, 2)."""
    bust, last = batch.public_states["bust_card"].astype(np.int32), batch.public_states["last_card"].astype(np.int32)
    return np.stack([np.where(bust == NO_CARD, last, bust), last], axis=1)


def expect_same(batch, state, shown):
    for name in STATE:
        ours, theirs = np.asarray(getattr(state, name)), batch.public_states[name]
        np.testing.assert_array_equal(ours, theirs[:, : ours.shape[1]] if ours.ndim == 2 else theirs, name)
    for ours, theirs in zip(shown, (batch.observe(), batch.state()), strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)


def play_both(editions, players, seed):
    """Play a game of each edition and a turn after its end in both; return the number of turns."""
    random, games = np.random.default_rng(seed), len(editions)
    numbers = Numbers(*map(np.stack, zip(*map(Numbers.of, editions), strict=True)))
    batches = {reward: Batch(games, players, editions, reward=reward) for reward in paying(players)}
    for each in batches.values():
        each.reset(seed)
    batch = batches["score"]

    @jax.jit
    @jax.vmap
    def deal(key, numbers, card):
        state = reveal(start_game(numbers, players, key), numbers, card)
        return state, seen(players, state, numbers)

    play = jax.jit(jax.vmap(functools.partial(play_cards, players)))
    state, shown = deal(jax.random.split(jax.random.key(0), games), numbers, cards_of(batch)[:, 1])
    expect_same(batch, state, shown)
    leave = random.beta(0.4, 1.5, (games, players))  # bold and timid players
    turns, over = 0, False
    while not over:
        over = bool(batch.over.all())  # a turn after the end changes nothing and pays nothing
        turns += int((~batch.over).sum())
        actions = (random.random((games, players)) < leave).astype(np.int8)
        rewards = {reward: each.play(actions)[0] for reward, each in batches.items()}
        state, shown, paid = play(state, numbers, actions, cards_of(batch))
        expect_same(batch, state, shown)
        for (reward, theirs), ours in zip(rewards.items(), paid, strict=True):
            np.testing.assert_array_equal(np.asarray(ours), theirs, str(reward))
    return turns


@pytest.mark.parametrize("players", PLAYERS)
def test_jax_equals_engine(players):
    scale = int(os.environ.get("DIAMANT_TEST_SCALE", 1))
    editions = [*EDITIONS.values()] * (38 * scale) + [OWN, PRINTED] * (20 * scale)
    turns = play_both(editions, players, seed=players)
    print(f"{players} players: {len(editions):,} games, {turns:,} turns")
    assert turns > 8 * len(editions)
