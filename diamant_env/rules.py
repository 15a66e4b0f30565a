"""The rules of Diamant, one function per step of the rulebook, on one game's record.

`diamant_env.jax.rules` restates them, since array code can't share these. Each function updates a game's state in
place; `edition` holds the edition's parameters. Integer arithmetic only, compiled by Numba; ``NUMBA_DISABLE_JIT=1``
gives the same bytes. Cards are sampled in `diamant_env.engine.loops`. Section names are those of the 2016 English
rulebook.

>>> import numpy as np
>>> from diamant_env.engine.edition_params import edition_params
>>> from diamant_env.state import CONTINUE, GAME, LEAVE
>>> game, edition = np.zeros((), GAME)[()], edition_params("iello-2016")
>>> start_game(game, edition, num_players=4, key=0)
>>> reveal(game, edition, card=9)  # the slot of the treasure of 13 gems
>>> int(game.bag), int(game.path_gems)
(3, 1)
>>> game.decision[:4] = [LEAVE, CONTINUE, CONTINUE, CONTINUE]
>>> resolve_decisions(game, edition)
>>> game.chest[:4].tolist(), int(game.num_inside)
([4, 0, 0, 0], 3)
"""

from __future__ import annotations

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_RELICS, MAX_TRAPS, NO_CARD, NUM_CARDS
from diamant_env.state import DECIDE, LEAVE, NO_DECISION, OVER, REVEAL, EditionParams, GameState, Key


@jit(cached=True)
def start_game(game: GameState, edition: EditionParams, num_players: int, key: Key) -> None:
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
    clear_last_events(game)
    begin_expedition(game, edition)


@jit
def begin_expedition(game: GameState, edition: EditionParams) -> None:
    """Start an expedition: all players enter the cave."""
    game.expedition += 1
    game.turn = 0
    game.num_inside = game.num_players
    for seat in range(MAX_PLAYERS):
        game.inside[seat] = seat < game.num_players
        game.left_turn[seat] = 0
    if edition.one_relic_per_expedition and game.expedition <= edition.num_relics:
        game.deck[FIRST_RELIC + (game.expedition - 1 if edition.relics_printed else 0)] += 1
    count_deck(game)
    game.phase = REVEAL


@jit
def count_deck(game: GameState) -> None:
    """Count the cards in the deck."""
    game.deck_size = 0
    for card in range(NUM_CARDS):
        game.deck_size += game.deck[card]


@jit(inline=True, cached=True)
def reveal(game: GameState, edition: EditionParams, card: int) -> None:
    """Advance into the cave: reveal a card."""
    game.deck[card] -= 1
    game.deck_size -= 1
    game.turn += 1
    game.last_card = card
    game.phase = DECIDE
    if card < FIRST_TRAP:
        find_treasure(game, edition.treasure_value[card])
    elif card < FIRST_RELIC:
        meet_trap(game, edition, card - FIRST_TRAP)
    else:
        find_relic(game, edition, card - FIRST_RELIC)


@jit(inline=True)
def equal_share(gems: int, players: int) -> int:
    """Return each player's equal share of gems; the remainder stays on the path.

    >>> equal_share(17, 5)
    3
    """
    return gems // players


@jit(inline=True)
def find_treasure(game: GameState, gems: int) -> None:
    """Resolve a treasure card: all players inside share it equally."""
    share = equal_share(gems, game.num_inside)
    game.bag += share
    game.path_gems += gems - share * game.num_inside


@jit(inline=True)
def meet_trap(game: GameState, edition: EditionParams, trap: int) -> None:
    """Resolve a trap card: the first of its kind has no effect, the second ends the expedition."""
    if not game.on_path[trap]:
        game.on_path[trap] = 1
        return
    game.bust_card = FIRST_TRAP + trap
    # `end_expedition` returns the first of the two cards with the path; `bust_removes` of them leave the game.
    game.deck[FIRST_TRAP + trap] += 1 - edition.bust_removes
    end_expedition(game, edition)


@jit(inline=True)
def find_relic(game: GameState, edition: EditionParams, relic: int) -> None:
    """Resolve a relic card: it stays on the path until one player leaves alone."""
    # A lone leaver takes all relics on the path, so the order in which they leave the cave is fixed here.
    order = relic if edition.relics_printed else game.relics_taken + game.path_relics
    game.path_relics += 1
    game.path_relic_value += edition.relic_value[order]


@jit(inline=True, cached=True)
def resolve_decisions(game: GameState, edition: EditionParams) -> None:
    """Apply the players' decisions in `game.decision`: leavers return to camp.

    Decisions of players in camp are ignored and become `NO_DECISION`.
    """
    leavers = 0
    for seat in range(MAX_PLAYERS):
        game.banked[seat] = 0
    for seat in range(MAX_PLAYERS):
        decision = game.decision[seat]  # unconditional load, avoids branch misprediction
        decision = decision if game.inside[seat] else NO_DECISION
        game.decision[seat] = decision
        leavers += decision == LEAVE
    game.bust_card = NO_CARD
    game.phase = REVEAL
    if leavers:
        return_to_camp(game, leavers)
        if game.num_inside == 0:
            end_expedition(game, edition)


@jit(inline=True, cached=True)
def return_to_camp(game: GameState, leavers: int) -> None:
    """Return leavers to camp with their bags and shares of the path; a lone leaver takes the relics (Exit)."""
    share = equal_share(game.path_gems, leavers)
    relics = game.path_relics if leavers == 1 else 0
    banked = game.bag + share + (game.path_relic_value if leavers == 1 else 0)
    for seat in range(game.num_players):
        leaves = game.decision[seat] == LEAVE  # multiplying avoids branch misprediction
        game.banked[seat] = leaves * banked
        game.chest[seat] += leaves * banked
        game.relics[seat] += leaves * relics
        game.left_turn[seat] += leaves * game.turn
        game.inside[seat] -= leaves
    game.path_gems -= share * leavers
    game.num_inside -= leavers
    if leavers == 1:
        game.relics_taken += relics
        game.path_relics = 0
        game.path_relic_value = 0


@jit
def end_expedition(game: GameState, edition: EditionParams) -> None:
    """End the round: return revealed treasures and traps to the deck and start the next expedition, if any."""
    for card in range(FIRST_TRAP):
        game.deck[card] = edition.cards[card]
    for trap in range(MAX_TRAPS):
        game.deck[FIRST_TRAP + trap] += game.on_path[trap]
    if edition.lost_relics_count:
        game.relics_taken += game.path_relics
    clear_path(game)
    if game.expedition < edition.num_expeditions:
        begin_expedition(game, edition)
    else:
        end_game(game)


@jit
def clear_path(game: GameState) -> None:
    """Clear the path at the end of a round: gems return to the reserve, relics leave the game."""
    game.bag = 0
    game.path_gems = 0
    game.path_relics = 0
    game.path_relic_value = 0
    for trap in range(MAX_TRAPS):
        game.on_path[trap] = 0


@jit(inline=True)
def end_game(game: GameState) -> None:
    """End the game: all players are in camp."""
    game.phase = OVER
    game.num_inside = 0
    for seat in range(MAX_PLAYERS):
        game.inside[seat] = 0
    count_deck(game)


@jit(inline=True)
def ranking_key(game: GameState, edition: EditionParams, seat: int) -> int:
    """Return a player's ranking key: the highest wins, ties share the victory."""
    score = int(game.chest[seat]) * (MAX_RELICS + 1)
    return score + int(game.relics[seat]) if edition.relics_break_ties else score


@jit(cached=True)
def win_share(game: GameState, edition: EditionParams, seat: int) -> float:
    """Return 1/k for each of the k winners and 0 for the others, by the current chests."""
    key = ranking_key(game, edition, seat)
    winners = 0
    for other in range(game.num_players):
        rival_key = ranking_key(game, edition, other)
        if rival_key > key:
            return 0.0
        winners += rival_key == key
    return 1.0 / winners


@jit
def clear_last_events(game: GameState) -> None:
    """Reset the last-turn events."""
    for seat in range(MAX_PLAYERS):
        game.decision[seat] = NO_DECISION
        game.banked[seat] = 0
    game.last_card = NO_CARD
    game.bust_card = NO_CARD
