"""Sampling of cards and decisions within a turn."""

from __future__ import annotations

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, NO_CARD, NUM_CARDS
from diamant_env.random_numbers import random_below, random_bits
from diamant_env.rules import reveal
from diamant_env.state import REVEAL

ANY_RELIC = NUM_CARDS
"""Code in a scripted deck for the lowest relic in the deck."""


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
def scripted_card(game, card):
    """Return the card of a script code, or `NO_CARD` if it is not in the deck."""
    if card == ANY_RELIC:
        card = FIRST_RELIC
        while card < NUM_CARDS and game.deck[card] == 0:
            card += 1
    return card if card < NUM_CARDS and game.deck[card] > 0 else NO_CARD


@jit(inline=True)
def draw_decision(game, seat, leave_probability):
    """Sample whether a seat leaves, from its random number of this turn."""
    return random_bits(game.key, game.expedition, game.turn, 1 + seat) < leave_probability * 4294967296.0


@jit(inline=True)
def reveal_until_decision(game, edition, script, i):
    """Reveal cards until a decision or the end of the game; return whether a scripted card was not in the deck.

    Args:
        game: A record of type `GAME`.
        edition: A record of type `EDITION`.
        script: int8 (N, cards), cards to reveal before random draws; those revealed become `NO_CARD`.
        i: Index of the game.
    """
    place = 0
    while game.phase == REVEAL:
        while place < script.shape[1] and script[i, place] == NO_CARD:
            place += 1
        if place < script.shape[1]:
            card = scripted_card(game, script[i, place])
            if card == NO_CARD:
                return True
            script[i, place] = NO_CARD
        else:
            card = draw_card(game)
        reveal(game, edition, card)
    return False
