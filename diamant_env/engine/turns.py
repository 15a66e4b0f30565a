"""Sampling of cards and decisions within a turn."""

from __future__ import annotations

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, NUM_CARDS
from diamant_env.random_numbers import random_below, random_bits
from diamant_env.rules import reveal
from diamant_env.state import REVEAL


@jit(inline=True)
def draw_card(game):
    """Return the next random card, uniform over the copies in the deck, without revealing it."""
    position = random_below(game.key, game.expedition, game.turn, game.deck_size)
    treasures = traps = 0
    for slot in range(FIRST_TRAP):
        treasures += game.deck[slot]
    for card in range(FIRST_TRAP, FIRST_RELIC):
        traps += game.deck[card]
    if position < treasures:
        return card_at(game, 0, FIRST_TRAP, position)
    if position < treasures + traps:
        return card_at(game, FIRST_TRAP, FIRST_RELIC, position - treasures)
    return card_at(game, FIRST_RELIC, NUM_CARDS, position - treasures - traps)


@jit(inline=True)
def card_at(game, first, stop, position):
    """Return the card at a position among the copies of cards `first` to `stop` - 1."""
    card, before = first, 0
    for kind in range(first, stop - 1):  # branchless: the exit of a search would be mispredicted
        before += game.deck[kind]
        card += before <= position
    return card


@jit(inline=True)
def draw_decision(game, seat, leave_probability):
    """Sample whether a seat leaves, from its random number of this turn."""
    return random_bits(game.key, game.expedition, game.turn, 1 + seat) < leave_probability * 4294967296.0


@jit(inline=True)
def reveal_until_decision(game, edition):
    """Reveal random cards until a decision or the end of the game."""
    while game.phase == REVEAL:
        reveal(game, edition, draw_card(game))
