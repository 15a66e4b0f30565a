"""The rules of Diamant, one function per step of the rulebook, on one game's record.

This is the only place that knows them. Each function takes a record of type `GAME` and, where the box
matters, a record of type `EDITION`; it changes the game in place. The functions are plain scalar Python that
Numba compiles; with ``NUMBA_DISABLE_JIT=1`` they run as they stand and give the same bytes.

The record counts cards instead of keeping a shuffled deck: the next card is drawn with the chance that the
counts give, which is the same game. Section names are those of the 2016 English rulebook.
"""

from __future__ import annotations

import numpy as np

from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, NO_CARD, NUM_CARDS
from diamant_env.native.compiled import jit
from diamant_env.native.packed_bytes import ALL_BITS, count, kinds_before, set_word, word
from diamant_env.native.simd import add_where

CONTINUE = 0
"""The decision to stay inside; in camp the only legal one, which does nothing."""
LEAVE = 1
"""The decision to return to camp."""
NO_DECISION = -1

# What the game waits for.
REVEAL = 0  # the next card
DECIDE = 1  # the decisions of all players inside
OVER = 2  # nothing: the game is over

_GAME = np.dtype(
    [
        ("key", "u8"),  # of this game's random numbers
        ("edition", "i1"),  # row in the table of editions
        ("num_players", "i1"),
        ("phase", "i1"),
        ("expedition", "i1"),  # 1 for the first
        ("turn", "i1"),  # cards turned up in this expedition
        ("num_inside", "i1"),
        ("deck_size", "i1"),
        ("relics_taken", "i1"),  # by all players
        ("path_relics", "i1"),
        ("path_relic_value", "i2"),  # what one player leaving alone would get for them
        ("path_gems", "i2"),
        ("bag", "i2"),  # of everyone inside: all entered together and every share is equal
        ("chest", "i2", MAX_PLAYERS),  # gems and the value of relics
        ("relics", "i1", MAX_PLAYERS),
        ("inside", "i1", MAX_PLAYERS),
        ("left_turn", "i1", MAX_PLAYERS),  # when a player left this expedition, 0 while inside
        ("deck", "i1", NUM_CARDS),  # copies of each card
        ("on_path", "i1", MAX_TRAPS),  # kinds of trap that lie on the path
        # What happened last, for those who watch; the rules never read it.
        ("decision", "i1", MAX_PLAYERS),
        ("banked", "i2", MAX_PLAYERS),  # gems and relic value put into the chest by the last decision
        ("last_card", "i1"),
        ("bust_card", "i1"),  # the trap that ended an expedition since the last decision
    ],
    align=True,
)
GAME = np.dtype((np.record, _GAME))
"""The dtype of a game's record, which holds all of a game; its fields are attributes too."""
LAST_EVENTS = ("decision", "banked", "last_card", "bust_card")


@jit
def start_game(game, edition, num_players, key):
    """Set up: empty chests, a full deck, and the first expedition before its first card."""
    game.key = key
    game.num_players = num_players
    game.expedition = 0
    game.relics_taken = 0
    for seat in range(MAX_PLAYERS):
        game.chest[seat] = 0
        game.relics[seat] = 0
    for card in range(NUM_CARDS):
        game.deck[card] = edition.cards[card]
    clear_path(game)
    forget_last_events(game)
    begin_expedition(game, edition)


@jit
def begin_expedition(game, edition):
    """All players enter the cave; the cards are shuffled into one deck."""
    game.expedition += 1
    game.turn = 0
    game.num_inside = game.num_players
    for seat in range(MAX_PLAYERS):
        game.inside[seat] = seat < game.num_players
        game.left_turn[seat] = 0
    if edition.one_relic_per_expedition and game.expedition <= edition.num_relics:
        game.deck[FIRST_RELIC + (game.expedition - 1 if edition.relics_printed else 0)] += 1
    game.deck_size = 0
    for card in range(NUM_CARDS):
        game.deck_size += game.deck[card]
    game.phase = REVEAL


@jit
def draw(game):
    """Return the next card, each copy in the deck being equally likely. Nothing changes."""
    position = random_below(game.key, game.expedition, game.turn, game.deck_size)
    return kinds_before(game.deck, position)


@jit
def reveal(game, edition, card):
    """Advance into the cave: turn up this card."""
    game.deck[card] -= 1
    game.deck_size -= 1
    game.turn += 1
    game.last_card = card
    game.phase = DECIDE
    if card < FIRST_TRAP:
        find_treasure(game, edition.treasure_value[card], edition.share[game.num_inside, card])
    elif card < FIRST_RELIC:
        meet_trap(game, edition, card - FIRST_TRAP)
    else:
        find_relic(game, edition, card - FIRST_RELIC)


@jit
def find_treasure(game, gems, share):
    """Treasure card: all players inside share it equally; the remainder stays on the path."""
    game.bag += share
    game.path_gems += gems - share * game.num_inside


@jit
def meet_trap(game, edition, trap):
    """Trap card: the first of its kind does nothing, the second ends the expedition for everyone inside."""
    if not game.on_path[trap]:
        game.on_path[trap] = 1
        return
    game.bust_card = FIRST_TRAP + trap
    # The first one returns with the other cards of the path; of the two, so many leave the game.
    game.deck[FIRST_TRAP + trap] += 1 - edition.bust_removes
    end_expedition(game, edition)


@jit
def find_relic(game, edition, relic):
    """Relic card: it lies on the path until one player leaves alone."""
    # All relics on the path are taken together, so the order of leaving the cave is known already.
    order = relic if edition.relics_printed else game.relics_taken + game.path_relics
    game.path_relics += 1
    game.path_relic_value += edition.relic_value[order]


@jit
def resolve_decisions(game, edition):
    """Players' decision: reveal the decisions in `game.decision` and bring the leavers to the camp."""
    inside = word(game.inside, 0)
    leaving = word(game.decision, 0) & inside  # LEAVE is 1, and so is a seat inside
    set_word(game.decision, leaving | ~(inside * ALL_BITS))  # NO_DECISION has all bits
    for seat in range(MAX_PLAYERS):
        game.banked[seat] = 0
    game.bust_card = NO_CARD
    game.phase = REVEAL
    if leaving:
        return_to_camp(game, leaving)
        if game.num_inside == 0:
            end_expedition(game, edition)


@jit
def return_to_camp(game, leaving):
    """Exit: the leavers share the gems on the path and bank their bags; one leaver alone takes the relics.

    `leaving`: a word with a 1 for each of them.
    """
    leavers = count(leaving)
    share = game.path_gems // leavers
    relics = game.path_relics if leavers == 1 else 0
    gems = game.bag + share + (game.path_relic_value if leavers == 1 else 0)
    add_where(game.chest, leaving, gems)
    add_where(game.relics, leaving, relics)
    add_where(game.banked, leaving, gems)  # 0 until now, as is the turn of leaving
    add_where(game.left_turn, leaving, game.turn)
    add_where(game.inside, leaving, -1)
    if leavers == 1:
        game.relics_taken += relics
        game.path_relics = 0
        game.path_relic_value = 0
    game.path_gems -= share * leavers
    game.num_inside -= leavers


@jit
def end_expedition(game, edition):
    """End of a round: return the revealed treasures and traps to the deck, go on with the next expedition."""
    for card in range(FIRST_TRAP):
        game.deck[card] = edition.cards[card]
    for trap in range(MAX_TRAPS):
        game.deck[FIRST_TRAP + trap] += game.on_path[trap]
    clear_path(game)
    if game.expedition < edition.num_expeditions:
        begin_expedition(game, edition)
    else:
        end_game(game)


@jit
def clear_path(game):
    """End of a round: gems left over return to the reserve, relics left over are out of the game."""
    game.bag = 0
    game.path_gems = 0
    game.path_relics = 0
    game.path_relic_value = 0
    for trap in range(MAX_TRAPS):
        game.on_path[trap] = 0


@jit
def end_game(game):
    """End of the game: nobody is inside any more and nothing is at risk."""
    game.phase = OVER
    game.num_inside = 0
    for seat in range(MAX_PLAYERS):
        game.inside[seat] = 0
    game.deck_size = 0
    for card in range(NUM_CARDS):
        game.deck_size += game.deck[card]


@jit
def standing(game, edition, seat):
    """A number that orders the players: the highest wins, equal ones share the victory."""
    score = np.int64(game.chest[seat]) * (MAX_RELICS + 1)
    return score + game.relics[seat] if edition.relics_break_ties else score


@jit
def win_share(game, edition, seat):
    """Return 1/k for each of the k winners, 0 for the others, by what the chests hold now."""
    own = standing(game, edition, seat)
    winners = 0
    for other in range(game.num_players):
        rival = standing(game, edition, other)
        if rival > own:
            return 0.0
        winners += rival == own
    return 1.0 / winners


@jit
def reveal_until_decision(game, edition):
    """Turn up cards until the players must decide or the game is over."""
    while game.phase == REVEAL:
        reveal(game, edition, draw(game))


@jit
def play_turn(game, edition):
    """Play one turn: the decisions in `game.decision`, then the next card."""
    resolve_decisions(game, edition)
    reveal_until_decision(game, edition)


@jit
def forget_last_events(game):
    """Nothing has happened yet."""
    for seat in range(MAX_PLAYERS):
        game.decision[seat] = NO_DECISION
        game.banked[seat] = 0
    game.last_card = NO_CARD
    game.bust_card = NO_CARD


# Random numbers: a game's key and a counter go through the finalizer of SplitMix64
# (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_NEXT_GAME = np.uint64(0xD1B54A32D192ED03)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_HALF = np.uint64(32)


@jit
def mix(key, counter):
    """Return 64 random bits (uint64) for this counter under this key."""
    bits = key + _GAMMA * (counter + np.uint64(1))
    bits = (bits ^ (bits >> _SHIFTS[0])) * _MULTIPLIER_1
    bits = (bits ^ (bits >> _SHIFTS[1])) * _MULTIPLIER_2
    return bits ^ (bits >> _SHIFTS[2])


@jit
def random_bits(key, expedition, turn, stream):
    """Return 32 random bits as an int for this turn of this expedition; stream 0 is the deck, 1 + seat a seat."""
    counter = np.uint64((np.int64(stream) * 128 + expedition) * 128 + turn)
    return np.int64(mix(key, counter) >> _HALF)


@jit
def random_below(key, expedition, turn, limit):
    """Return the deck's random integer in [0, limit)."""
    return (random_bits(key, expedition, turn, 0) * limit) >> 32


@jit
def key_of_seed(seed):
    """Return the key (uint64) of the game with this seed."""
    return mix(mix(np.uint64(seed), np.uint64(0)), np.uint64(0))


@jit
def key_of_next_game(key):
    """Return the key of the game that follows in the same place."""
    return mix(key ^ _NEXT_GAME, np.uint64(0))
