"""The environment in JAX: pure functions of one game, to be transformed by the caller."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.jax.observation import observe
from diamant_env.jax.rules import (
    Numbers,
    State,
    draw_card,
    margin,
    resolve_decisions,
    reveal,
    select,
    start_game,
    win_share,
)
from diamant_env.rewards import REWARDS, reward_code
from diamant_env.state import REVEAL

_NEXT_GAME = 0  # no card has this counter, since the first expedition is 1


class Turn(NamedTuple):
    """A turn that was played with auto-reset.

    Attributes:
        state: The game to go on with: the next one where `ended` is over.
        ended: The state after the turn, before any reset: `Diamant.observe` gives the last observation of a game.
        rewards: float32 (seats,), for the turn.
    """

    state: State
    ended: State
    rewards: Array


class Diamant:
    """Diamant for `jax.jit`, `jax.vmap` and `jax.lax.scan`.

    Args:
        num_players: Players at the table; 3 to 8, and 1 and 2 for research.
        edition: A published name or an `Edition`.
        reward: ``"score"``, ``"win"`` or ``"margin"``, see `diamant_env.rewards.REWARDS`.
        hidden_chests: Whether a player sees only their own chest: True, False, or None as the edition says.

    Attributes:
        num_players: Players at the table.
        edition: The edition that is played.
        numbers: Its numbers, which the functions of `diamant_env.jax.rules` take.

    Raises:
        ValueError: If an argument is out of range; the message says what is allowed.

    >>> env = Diamant(num_players=4, reward="win")
    >>> keys = jax.random.split(jax.random.key(0), 1024)
    >>> states = jax.vmap(env.init)(keys)
    >>> observations = jax.vmap(env.observe)(states)
    >>> observations.shape
    (1024, 4, 90)
    >>> actions = jax.random.bernoulli(jax.random.key(1), 0.2, (1024, 4)).astype(int)
    >>> turn = jax.jit(jax.vmap(env.step_auto_reset))(states, actions)
    >>> turn.rewards.shape, turn.ended.over.shape
    ((1024, 4), (1024,))
    """

    def __init__(
        self,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        reward: str = "score",
        hidden_chests: bool | None = None,
    ) -> None:
        self.num_players = checked_int("num_players", num_players, 1, MAX_PLAYERS)
        if not isinstance(reward, str):
            raise ValueError(f"reward={reward!r}; {', '.join(REWARDS)} are allowed here")
        reward_code(reward, self.num_players)
        self.reward = reward
        self.edition = find_edition(edition, hidden_chests)
        self.numbers = Numbers.of(self.edition)

    def init(self, key: Array) -> State:
        """Return a new game after its first card, whose cards follow from a key of `jax.random`."""
        state = start_game(self.numbers, self.num_players, key)
        return reveal(state, self.numbers, draw_card(state))

    def step(self, state: State, actions: Array) -> tuple[State, Array]:
        """Play one turn: the decisions, then cards until the next decision.

        Args:
            state: The game; one that is over stays as it is and earns 0.
            actions: int (seats,), 0 = CONTINUE and 1 = LEAVE; any other number counts as CONTINUE, since array code
                can't raise. What seats in camp send is ignored.

        Returns:
            The state after the turn and the rewards, float32 (seats,).

        Raises:
            ValueError: If the actions have another shape.
        """
        if jnp.shape(actions) != (self.num_players,):
            raise ValueError(f"actions of shape {jnp.shape(actions)}; expected ({self.num_players},)")
        after = resolve_decisions(state, self.numbers, actions)
        for _ in range(2):  # a trap that ends the expedition, then the first card of the next one
            card = reveal(after, self.numbers, draw_card(after))
            after = select(after.phase == REVEAL, card, after)
        after = select(state.over, state, after)
        return after, jnp.where(state.over, 0, pay(after, self.numbers, self.reward))

    def step_auto_reset(self, state: State, actions: Array) -> Turn:
        """Play one turn like `step` and start the next game where it ends this one."""
        ended, rewards = self.step(state, actions)
        new_game = self.init(jax.random.fold_in(state.key, _NEXT_GAME))
        return Turn(select(ended.over, new_game, ended), ended, rewards)

    def observe(self, state: State) -> Array:
        """Return what every seat sees, float32 (seats, NUM_FEATURES); see `diamant_env.observation.FIELDS`."""
        return observe(state, self.numbers)

    def legal_actions(self, state: State) -> Array:
        """Return which actions are legal, bool (seats, 2): in camp only CONTINUE."""
        return jnp.stack([jnp.ones_like(state.inside), state.inside], axis=-1)


def pay(state: State, numbers: Numbers, reward: str) -> Array:
    """Return the rewards of all seats for the turn that led to this state, float32 (seats,)."""
    if reward == "score":
        return state.banked.astype(jnp.float32)
    return jnp.where(state.over, win_share(state, numbers) if reward == "win" else margin(state), 0)
