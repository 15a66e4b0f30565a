"""A turn: the decisions, then cards until the next decision. The rules say what a card does; here it is drawn."""

from __future__ import annotations

from diamant_env.native.compiled import jit, jit_apart
from diamant_env.native.packed_bytes import card_at
from diamant_env.random_numbers import random_below, random_bits
from diamant_env.rules import resolve_decisions, reveal, start_game
from diamant_env.state import REVEAL


@jit
def draw_card(game):
    """Return the next card, each copy in the deck being equally likely. Nothing changes."""
    return card_at(game.deck, random_below(game.key, game.expedition, game.turn, game.deck_size))


@jit
def draw_decision(game, seat, leave_probability):
    """Draw LEAVE with this probability, by the seat's random number of this turn."""
    return random_bits(game.key, game.expedition, game.turn, 1 + seat) < leave_probability * 4294967296.0


@jit
def reveal_until_decision(game, edition):
    """Turn up cards until the players must decide or the game is over."""
    while game.phase == REVEAL:
        reveal(game, edition, draw_card(game))


@jit
def play_turn(game, edition):
    """Play one turn: the decisions in `game.decision`, then the next card."""
    resolve_decisions(game, edition)
    reveal_until_decision(game, edition)


@jit_apart
def deal(game, edition, key):
    """Start the game with this key and turn up its first card."""
    start_game(game, edition, game.num_players, key)
    reveal_until_decision(game, edition)
