"""The rules of Diamant in JAX: pure functions of one game's state, for `jax.jit` and `jax.vmap`.

Branch-free counterparts of the functions in `diamant_env.rules`, under the same names;
`tests/envs/test_adapters.py` compares both on the same cards. Edition parameters may be constants or traced
arguments, so that `vmap` can play several editions.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_RELICS, MAX_TRAPS, NO_CARD, NUM_CARDS, Edition
from diamant_env.engine.edition_params import edition_params
from diamant_env.state import DECIDE, LEAVE, OVER, REVEAL

_CARDS = np.arange(NUM_CARDS, dtype=np.int32)
_TRAPS = np.arange(MAX_TRAPS, dtype=np.int32)
_TURNS = 128  # upper bound on the turns of an expedition


class State(NamedTuple):
    """The state of a game, with the fields and codes of `diamant_env.state.GameState`; int32 unless noted.

    Arrays over seats have shape (num_players,), `deck` (NUM_CARDS,), `on_path` bool (MAX_TRAPS,). The properties also
    accept a batch of games with leading axes.
    """

    key: Array  # a key of jax.random
    phase: Array
    expedition: Array
    turn: Array
    relics_taken: Array
    path_relics: Array
    path_relic_value: Array
    path_gems: Array
    bag: Array
    chest: Array
    relics: Array
    inside: Array  # bool
    left_turn: Array
    deck: Array
    on_path: Array
    banked: Array
    last_card: Array
    bust_card: Array

    @property
    def num_inside(self) -> Array:
        """Players inside the cave, int32 ()."""
        return self.inside.sum(axis=-1, dtype=jnp.int32)

    @property
    def deck_size(self) -> Array:
        """Cards in the deck, int32 ()."""
        return self.deck.sum(axis=-1, dtype=jnp.int32)

    @property
    def over(self) -> Array:
        """Whether the game is over, bool ()."""
        return self.phase == OVER


class EnvParams(NamedTuple):
    """Edition parameters, int32 arrays as in `diamant_env.state.EditionParams`."""

    cards: Array | np.ndarray
    treasure_value: Array | np.ndarray
    relic_value: Array | np.ndarray
    num_relics: Array | np.ndarray
    one_relic_per_expedition: Array | np.ndarray
    relics_printed: Array | np.ndarray
    lost_relics_count: Array | np.ndarray
    num_expeditions: Array | np.ndarray
    bust_removes: Array | np.ndarray
    relics_break_ties: Array | np.ndarray
    hidden_chests: Array | np.ndarray
    hidden_rivals: Array | np.ndarray

    @classmethod
    def of(cls, edition: str | Edition) -> EnvParams:
        """Return the parameters of an edition."""
        record = edition_params(edition)
        return cls(*(np.asarray(record[name], np.int32) for name in cls._fields))


def select(condition: Array, yes: State, no: State) -> State:
    """Return one of two states of the same game, by bool ()."""
    return State(*(a if a is b else jnp.where(condition, a, b) for a, b in zip(yes, no, strict=True)))


def start_game(edition: EnvParams, num_players: int, key: Array) -> State:
    """Set up: empty chests, a full deck, and the first expedition before its first card."""
    zero, seats = jnp.int32(0), jnp.zeros(num_players, jnp.int32)
    state = State(
        key=key, phase=zero, expedition=zero, turn=zero, relics_taken=zero, path_relics=zero, path_relic_value=zero,
        path_gems=zero, bag=zero, chest=seats, relics=seats, inside=seats > 0, left_turn=seats,
        deck=jnp.asarray(edition.cards), on_path=jnp.zeros(MAX_TRAPS, bool), banked=seats,
        last_card=jnp.int32(NO_CARD), bust_card=jnp.int32(NO_CARD),
    )  # fmt: skip
    return begin_expedition(state, edition)


def begin_expedition(state: State, edition: EnvParams) -> State:
    """Start an expedition: all players enter the cave."""
    expedition = state.expedition + 1
    relic = FIRST_RELIC + edition.relics_printed * (expedition - 1)
    enters = (edition.one_relic_per_expedition > 0) & (expedition <= edition.num_relics)
    return state._replace(
        phase=jnp.full_like(state.phase, REVEAL),
        expedition=expedition,
        turn=jnp.zeros_like(state.turn),
        inside=jnp.ones_like(state.inside),
        left_turn=jnp.zeros_like(state.left_turn),
        deck=state.deck + jnp.where(enters & (relic == _CARDS), 1, 0),
    )


def draw_card(state: State) -> Array:
    """Return the next random card, int32 (), uniform over the copies in the deck."""
    counter = state.expedition * _TURNS + state.turn
    bits = jax.random.bits(jax.random.fold_in(state.key, counter), dtype=jnp.uint32)
    size = state.deck_size.astype(jnp.uint32)
    position = ((bits >> 7) * size) >> 25  # 25 random bits: with size < 2**7 the product fits uint32
    return card_at(state.deck, position.astype(jnp.int32))


def card_at(deck: Array, position: Array) -> Array:
    """Return the card, int32 (), at a position of the sorted deck."""
    card = before = jnp.zeros_like(position)
    for kind in range(NUM_CARDS - 1):  # five times faster than a cumulative sum
        before += deck[kind]
        card += (before <= position).astype(jnp.int32)
    return card


def reveal(state: State, edition: EnvParams, card: Array) -> State:
    """Advance into the cave: reveal a card, which must be in the deck."""
    state = state._replace(
        deck=state.deck - (card == _CARDS).astype(jnp.int32),
        turn=state.turn + 1,
        last_card=card,
        phase=jnp.full_like(state.phase, DECIDE),
    )
    state = find_relic(find_treasure(state, edition, card), edition, card)
    return meet_trap(state, edition, card)


def equal_share(gems: Array, players: Array) -> Array:
    """Return each player's equal share of gems; the remainder stays on the path."""
    return jax.lax.div(gems, jnp.maximum(players, 1))


def find_treasure(state: State, edition: EnvParams, card: Array) -> State:
    """Resolve a treasure card: all players inside share it equally. Other cards have no effect."""
    gems = jnp.where(card < FIRST_TRAP, jnp.asarray(edition.treasure_value)[jnp.minimum(card, FIRST_TRAP - 1)], 0)
    share = equal_share(gems, state.num_inside)
    return state._replace(bag=state.bag + share, path_gems=state.path_gems + gems - share * state.num_inside)


def meet_trap(state: State, edition: EnvParams, card: Array) -> State:
    """Resolve a trap card: the first of its kind has no effect, the second ends the expedition."""
    met = card - FIRST_TRAP == _TRAPS
    bust = (met & state.on_path).any()
    # `end_expedition` returns the first of the two cards with the path; `bust_removes` of them leave the game.
    back = jnp.where(card == _CARDS, np.int32(1) - edition.bust_removes, 0)
    busted = end_expedition(state._replace(deck=state.deck + back, bust_card=card), edition)
    return select(bust, busted, state._replace(on_path=state.on_path | met))


def find_relic(state: State, edition: EnvParams, card: Array) -> State:
    """Resolve a relic card: it stays on the path until one player leaves alone."""
    is_relic = (card >= FIRST_RELIC).astype(jnp.int32)
    order = jnp.where(edition.relics_printed, card - FIRST_RELIC, state.relics_taken + state.path_relics)
    value = jnp.asarray(edition.relic_value)[jnp.clip(order, 0, MAX_RELICS - 1)]
    return state._replace(
        path_relics=state.path_relics + is_relic, path_relic_value=state.path_relic_value + is_relic * value
    )


def resolve_decisions(state: State, edition: EnvParams, decisions: Array) -> State:
    """Apply the players' decisions, int (seats,): leavers return to camp."""
    leaves = state.inside & (decisions == LEAVE)
    state = state._replace(bust_card=jnp.full_like(state.bust_card, NO_CARD), phase=jnp.full_like(state.phase, REVEAL))
    state = return_to_camp(state, leaves)
    return select(state.inside.any(), state, end_expedition(state, edition))


def return_to_camp(state: State, leaves: Array) -> State:
    """Return leavers, bool (seats,), to camp with bags and shares of the path; a lone one takes the relics (Exit)."""
    leavers = leaves.sum(dtype=jnp.int32)
    alone = leavers == 1
    share, relics = equal_share(state.path_gems, leavers), jnp.where(alone, state.path_relics, 0)
    banked = jnp.where(leaves, state.bag + share + jnp.where(alone, state.path_relic_value, 0), 0)
    return state._replace(
        banked=banked,
        chest=state.chest + banked,
        relics=state.relics + jnp.where(leaves, relics, 0),
        left_turn=jnp.where(leaves, state.turn, state.left_turn),
        inside=state.inside & ~leaves,
        path_gems=state.path_gems - share * leavers,
        relics_taken=state.relics_taken + relics,
        path_relics=jnp.where(alone, 0, state.path_relics),
        path_relic_value=jnp.where(alone, 0, state.path_relic_value),
    )


def end_expedition(state: State, edition: EnvParams) -> State:
    """End the round: return revealed treasures and traps to the deck and start the next expedition, if any."""
    treasures = jnp.asarray(edition.cards[:FIRST_TRAP])
    traps = state.deck[FIRST_TRAP:FIRST_RELIC] + state.on_path.astype(jnp.int32)
    state = state._replace(
        deck=jnp.concatenate([treasures, traps, state.deck[FIRST_RELIC:]]),
        on_path=jnp.zeros_like(state.on_path),
        bag=jnp.zeros_like(state.bag),
        path_gems=jnp.zeros_like(state.path_gems),
        relics_taken=state.relics_taken + edition.lost_relics_count * state.path_relics,
        path_relics=jnp.zeros_like(state.path_relics),
        path_relic_value=jnp.zeros_like(state.path_relic_value),
    )
    ended = state._replace(phase=jnp.full_like(state.phase, OVER), inside=jnp.zeros_like(state.inside))
    return select(state.expedition < edition.num_expeditions, begin_expedition(state, edition), ended)


def ranking_key(state: State, edition: EnvParams) -> Array:
    """Return the players' ranking keys, int32 (seats,): the highest wins, ties share the victory."""
    return state.chest * (MAX_RELICS + 1) + edition.relics_break_ties * state.relics


def win_share(state: State, edition: EnvParams) -> Array:
    """Return 1/k for each of the k winners and 0 for the others, float32 (seats,), by the current chests."""
    keys = ranking_key(state, edition)
    wins = keys == keys.max()
    return wins.astype(jnp.float32) / wins.sum(dtype=jnp.float32)


def margin(state: State) -> Array:
    """Return each seat's score less the mean of the others' scores, float32 (seats,)."""
    others = ~np.eye(len(state.chest), dtype=bool)
    total = jnp.where(others, state.chest, 0).sum(axis=1, dtype=jnp.int32)
    # An array divisor: XLA divides by constants and scalars through the reciprocal, with another rounding.
    rivals = (others & (state.chest >= 0)).sum(axis=1, dtype=jnp.int32)
    return (state.chest * rivals - total).astype(jnp.float32) / rivals.astype(jnp.float32)
