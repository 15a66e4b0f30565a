"""The compiled loops over the games of a batch: the rules, game by game, in plain arrays.

`games` and `editions` are arrays of records of types `GAME` and `EDITION`. The loops that run at every step take them
as `memory`, uint8 (N, bytes of a record): an array of bytes is handed to compiled code in a tenth of the time.
"""

from __future__ import annotations

import numpy as np

from diamant_env.engine.observation_writer import observe_table, rebuild
from diamant_env.engine.turns import deal, draw_card, draw_decision, play_turn, reveal_until_decision
from diamant_env.engine.workspace import BLOCK
from diamant_env.native.compiled import jit, jit_apart
from diamant_env.native.packed_bytes import pack_ones, packed_flag, unpack_into
from diamant_env.native.row_writer import prefetch
from diamant_env.random_numbers import key_of_next_game, key_of_seed
from diamant_env.rewards import pay
from diamant_env.rules import resolve_decisions, reveal
from diamant_env.state import DECIDE, EDITION, GAME, LEAVE, OVER, REVEAL

_NOT_ALL, _ALL = np.bool_(0), np.bool_(1)  # False is another type, for which all would be compiled once more
_NEAR = 1 << 22  # numbers: rows of no more than these stay in the caches from step to step
_AHEAD = 4  # games


@jit
def keys_of_seeds(seeds):
    """Return the keys, uint64 (N,), of the games with these seeds, uint64 (N,)."""
    keys = np.empty_like(seeds)
    for i in range(seeds.shape[0]):
        keys[i] = key_of_seed(seeds[i])
    return keys


@jit
def advance_keys(games, chosen):
    """Give each chosen game the key of the one that follows in its place."""
    for i in range(games.shape[0]):
        if chosen[i]:
            games[i].key = key_of_next_game(games[i].key)


@jit
def reset_games(games, editions, chosen):
    """Start each chosen game with the key that it has."""
    for i in range(games.shape[0]):
        if chosen[i]:
            deal(games[i], editions[games[i].edition], games[i].key)


@jit
def step_games(
    memory, edition_memory, chosen, actions, rows, rewards, done, final_rows, auto_reset, play, observe, reward_code,
    workspace_array,
):  # fmt: skip
    """Play one turn with legal actions if `play`, in the `chosen` games or, if there are none, in all; then observe.

    One entry for both, since each would be compiled together with all that it calls.
    """
    games = memory.view(GAME)[:, 0]
    editions = edition_memory.view(EDITION)[:, 0]
    workspace = workspace_array[0]
    for first in range(0, games.shape[0], BLOCK):
        last = min(first + BLOCK, games.shape[0])
        if play:
            play_some(
                games, editions, first, last, chosen, actions, rewards, done, final_rows, auto_reset, reward_code,
                workspace,
            )  # fmt: skip
        if observe:
            observe_some(games, editions, first, last, rows, _NOT_ALL, workspace)


@jit_apart
def play_some(
    games, editions, first, last, chosen, actions, rewards, done, final_rows, auto_reset, reward_code, workspace
):
    """Play one turn in the games from `first` to `last` - 1, at most `BLOCK`.

    What comes next is hard to predict where a player leaves or a card is turned up, and a wrong guess costs whatever
    was begun after it. The next cards, which take longest, are therefore drawn between the two, for all games.
    """
    for i in range(first, last):
        game = games[i]
        plays = game.phase != OVER and (chosen.size == 0 or chosen[i])
        workspace.played[i - first] = plays
        if plays:
            unpack_into(game.decision, pack_ones(actions, i))  # LEAVE is 1
            resolve_decisions(game, editions[game.edition])
    for i in range(first, last):
        workspace.card[i - first] = draw_card(games[i])
    for i in range(first, last):
        game = games[i]
        edition = editions[game.edition]
        if game.phase == REVEAL:
            reveal(game, edition, workspace.card[i - first])
            reveal_until_decision(game, edition)
        pay(game, edition, reward_code, workspace.played[i - first], rewards, i)
        done[i] = game.phase == OVER
        if auto_reset and game.phase == OVER and (chosen.size == 0 or chosen[i]):
            if final_rows.shape[0]:
                observe_some(games, editions, i, i + 1, final_rows, _NOT_ALL, workspace)
            deal(game, edition, key_of_next_game(game.key))


@jit_apart
def observe_some(games, editions, first, last, rows, show_all, workspace):
    """Write what all seats of the games from `first` to `last` - 1 see; `show_all`: hidden chests too."""
    far = rows.size > _NEAR
    for i in range(first, last):
        if far:
            prefetch(rows, i + _AHEAD)
        edition = editions[games[i].edition]
        observe_table(games[i], edition, edition.hidden_chests and not show_all, rows, i, workspace)


@jit
def first_illegal(memory, actions):
    """Return the position of the first illegal action of a seat that must decide, -1 if there is none."""
    bits = np.int8(0)
    for action in actions.flat:
        bits |= action
    if bits == 0 or bits == LEAVE:
        return -1
    games = memory.view(GAME)[:, 0]
    for i in range(games.shape[0]):
        for seat in range(actions.shape[1]):
            if games[i].inside[seat] and actions[i, seat] != 0 and actions[i, seat] != LEAVE:
                return i * actions.shape[1] + seat
    return -1


@jit
def draw_games_decisions(games, leave_probability, actions):
    """Draw; return -1, or the position of the first probability that is none."""
    seats = actions.shape[1]
    for i in range(games.shape[0]):
        game = games[i]
        for seat in range(seats):
            actions[i, seat] = 0
            if game.phase == DECIDE and game.inside[seat]:
                if not 0 <= leave_probability[i, seat] <= 1:
                    return i * seats + seat
                actions[i, seat] = draw_decision(game, seat, leave_probability[i, seat])
    return -1


@jit
def finish_games(games, editions, leave_probability):
    """Play every game to its end; at each turn each seat inside leaves with this probability."""
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        while game.phase != OVER:
            bits = np.uint64(0)
            for seat in range(game.num_players):
                bits |= packed_flag(draw_decision(game, seat, leave_probability), seat)
            unpack_into(game.decision, bits)
            play_turn(game, edition)


@jit
def rebuild_games(rows, keys, games):
    """Rebuild each game from what a seat sees."""
    for i in range(rows.shape[0]):
        rebuild(rows[i], keys[i], games[i])


@jit
def observe_games(games, editions, rows, workspace_array):
    """Write what the first seats of each game see with open chests, as many as `rows`, float32 (N, seats, …), has."""
    observe_some(games, editions, 0, games.shape[0], rows, _ALL, workspace_array[0])
