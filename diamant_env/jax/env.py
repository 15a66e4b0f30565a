"""JAX environment: pure functions of one game's state, for `jax.jit` and `jax.vmap`."""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.jax.observation import observe
from diamant_env.jax.rules import (
    EnvParams,
    State,
    draw_card,
    margin,
    resolve_decisions,
    reveal,
    select,
    start_game,
    win_share,
)
from diamant_env.observation import Observation, shown_fields
from diamant_env.rewards import Reward, reward_code
from diamant_env.state import REVEAL

_NEXT_GAME = 0  # counter that cards never use, since expeditions start at 1


class TimeStep(NamedTuple):
    """Result of a turn with auto-reset.

    Attributes:
        state: The state after the turn and the reset, if any.
        ended: The state after the turn, before the reset, for the final observation.
        rewards: float32 (seats,), rewards of the turn.
    """

    state: State
    ended: State
    rewards: Array


class Diamant:
    """Diamant for `jax.jit`, `jax.vmap` and `jax.lax.scan`.

    Args:
        num_players: Players at the table; 3 to 8, and 1 and 2 for research.
        edition: An edition, see `diamant_env.find_edition`.
        reward: ``"score"``, ``"win"`` or ``"margin"``, see `diamant_env.rewards.REWARDS`, or a traceable function
            ``reward(banked, chests, inside, done)`` of one game after each turn: int32 (seats,), int32 (seats,), bool
            (seats,) and bool (); it returns the rewards (seats,).
        observation: None for all of `FIELDS`, or names of fields such as ``["bag", "path_gems"]`` for a subset.

    Attributes:
        num_players: Players at the table.
        edition: The edition of the game.
        params: Its parameters, for the functions of `diamant_env.jax.rules`.
        observation_space: The space of one seat's observation.

    Raises:
        ValueError: If an argument is out of range.

    >>> from diamant_env import NUM_FEATURES
    >>> env = Diamant(num_players=4, reward="win")
    >>> keys = jax.random.split(jax.random.key(0), 1024)
    >>> states = jax.vmap(env.init)(keys)
    >>> observations = jax.vmap(env.observe)(states)
    >>> observations.shape == (1024, 4, NUM_FEATURES)
    True
    >>> actions = jax.random.bernoulli(jax.random.key(1), 0.2, (1024, 4)).astype(int)
    >>> turn = jax.jit(jax.vmap(env.step_auto_reset))(states, actions)
    >>> turn.rewards.shape, turn.ended.over.shape
    ((1024, 4), (1024,))
    """

    def __init__(
        self,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        reward: Reward = "score",
        observation: Observation = None,
    ) -> None:
        self.num_players = checked_int("num_players", num_players, 1, MAX_PLAYERS)
        if not callable(reward):
            reward_code(reward, self.num_players)
        self.reward = reward
        self.observation_space, self._columns = shown_fields(observation)
        self.edition = find_edition(edition)
        self.params = EnvParams.of(self.edition)

    def with_params(self, params: EnvParams) -> Diamant:
        """Return a copy with other `params`, which may be traced: `vmap` then plays several editions."""
        other = copy(self)
        other.params = params
        return other

    def init(self, key: Array) -> State:
        """Return the initial state, after the first card, from a key of `jax.random`."""
        state = start_game(self.params, self.num_players, key)
        return reveal(state, self.params, draw_card(state))

    def step(self, state: State, actions: Array) -> tuple[State, Array]:
        """Play one turn: the decisions, then cards until the next decision.

        Args:
            state: The state; terminal states are unchanged and have reward 0.
            actions: int (seats,), 0 = CONTINUE and 1 = LEAVE; ignored for seats in camp. Other numbers act as CONTINUE.

        Returns:
            The state after the turn and the rewards, float32 (seats,).

        Raises:
            ValueError: If the shape of the actions is wrong.
        """
        actions = jnp.asarray(actions)
        if actions.shape != (self.num_players,):
            raise ValueError(f"actions of shape {actions.shape}; expected ({self.num_players},)")
        after = resolve_decisions(state, self.params, actions)
        for _ in range(2):  # at most a bust and the first card of the next expedition
            card = reveal(after, self.params, draw_card(after))
            after = select(after.phase == REVEAL, card, after)
        after = select(state.over, state, after)
        return after, jnp.where(state.over, 0, pay(after, self.params, self.reward))

    def step_auto_reset(self, state: State, actions: Array) -> TimeStep:
        """Play one turn like `step`, with auto-reset."""
        ended, rewards = self.step(state, actions)
        new_game = self.init(jax.random.fold_in(state.key, _NEXT_GAME))
        return TimeStep(select(ended.over, new_game, ended), ended, rewards)

    def observe(self, state: State) -> Array:
        """Return the observations of all seats, float32 (seats, features); see `diamant_env.observation.FIELDS`."""
        return observe(state, self.params)[:, self._columns]

    def global_state(self, state: State) -> Array:
        """Return the global state, float32 (NUM_FEATURES,): the first seat's observation with open chests."""
        opened = self.params._replace(hidden_chests=jnp.int32(0), hidden_rivals=jnp.int32(0))
        return observe(state, opened)[0]

    def legal_actions(self, state: State) -> Array:
        """Return the legal actions, bool (seats, 2): CONTINUE only in camp."""
        return jnp.stack([jnp.ones_like(state.inside), state.inside], axis=-1)


def pay(state: State, params: EnvParams, reward: Reward) -> Array:
    """Return the rewards of the turn that led to this state, float32 (seats,)."""
    if callable(reward):
        rewards = jnp.asarray(reward(state.banked, state.chest, state.inside, state.over), jnp.float32)
        if rewards.shape != state.chest.shape:
            raise ValueError(f"rewards of shape {rewards.shape}; expected {state.chest.shape}")
        return rewards
    if reward == "score":
        return state.banked.astype(jnp.float32)
    return jnp.where(state.over, win_share(state, params) if reward == "win" else margin(state), 0)
