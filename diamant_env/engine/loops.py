"""Compiled loops over the games of a batch.

Games and editions are passed as bytes, uint8 (N, itemsize): Numba dispatches structured arrays ten times slower.
"""

from __future__ import annotations

import numpy as np

from diamant_env.compilation import jit
from diamant_env.editions import NO_CARD
from diamant_env.engine.observation_writer import FACTOR, OWN_AT, PUBLIC_AT, rebuild, write_observations
from diamant_env.engine.turns import draw_card, draw_decision, reveal_until_decision
from diamant_env.observation import NUM_FEATURES, TABLE_FEATURES
from diamant_env.random_numbers import key_of_next_game
from diamant_env.rewards import pay
from diamant_env.rules import resolve_decisions, reveal, start_game
from diamant_env.state import DECIDE, EDITION, GAME, LEAVE, OVER, REVEAL

_EXPEDITION, _TURN = TABLE_FEATURES + PUBLIC_AT.expedition, TABLE_FEATURES + PUBLIC_AT.turn
NO_START, START_NEXT, START, ONLY_REVEAL = range(4)
NONE_MISSING = -1
ALL_GAMES = np.zeros(0, np.bool_)
NO_ROWS = np.zeros((0, 0, NUM_FEATURES), np.float32)
NO_TURN = np.zeros((0, 0), np.int8), np.zeros((0, 0), np.float32), np.zeros(0, np.bool_)  # actions, rewards, done


@jit(cached=True)
def run_games(
    memory, edition_memory, chosen, play, start, actions, rewards, done, reward_code, script, position, final_rows,
    rows, show_all, blank_rivals, lengths,
):  # fmt: skip
    """Play one turn, start games, write observations; one entry point, so that the rules are compiled once.

    Args:
        memory: The games.
        edition_memory: Their editions.
        chosen: bool (N,), the games to play or start; empty for all.
        play: Whether to play a turn.
        start: `NO_START`; `START_NEXT`: start the next game where one is over; `START`: start from the current key;
            `ONLY_REVEAL`: reveal a card in games in phase `REVEAL`.
        actions: int8 (N, seats), legal.
        rewards: Output, float32 (N, seats), written if a turn is played.
        done: Output, bool (N,), written if a turn is played.
        reward_code: See `diamant_env.rewards.reward_code`.
        script: int8 (N, cards), see `turns.reveal_until_decision`.
        position: int64 (N,), index of the next scripted card.
        final_rows: Output like `rows`, the last observations of games that end and are restarted.
        rows: Output, float32 (N, seats, NUM_FEATURES or more), or empty for none.
        show_all: Whether hidden chests are shown.
        blank_rivals: Whether all features of rivals are 0.
        lengths: `observation_writer.LENGTHS`.

    Returns:
        `NONE_MISSING`, or the first game whose scripted card is not in the deck; later games are then not processed.
    """
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    if play:
        turn = NO_START if play else start  # a literal would trigger a second specialisation
        missing = advance_games(games, editions, chosen, turn, actions, rewards, done, reward_code, script, position)
        if missing != NONE_MISSING:
            return missing
    selected = np.zeros(games.shape[0], np.bool_)
    for i in range(games.shape[0]):
        selected[i] = not play or chosen.size == 0 or chosen[i]
    if rows.shape[0]:
        observe_games(games, editions, selected, rows, show_all, blank_rivals, lengths)
    if start == NO_START:
        return NONE_MISSING
    due = REVEAL if start == ONLY_REVEAL else OVER
    for i in range(games.shape[0]):
        selected[i] = (chosen.size == 0 or chosen[i]) and (start == START or games[i].phase == due)
    if final_rows.shape[0]:
        copy_rows(selected, rows, final_rows)
    missing = advance_games(games, editions, selected, start, actions, rewards, done, reward_code, script, position)
    if rows.shape[0] and missing == NONE_MISSING:
        observe_games(games, editions, selected, rows, show_all, blank_rivals, lengths)
    return missing


@jit
def advance_games(games, editions, chosen, start, actions, rewards, done, reward_code, script, position):
    """Play one turn of the chosen games that are not over, or start the chosen games; see `run_games`."""
    playing = start == NO_START
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        advances = (chosen.size == 0 or chosen[i]) and not (playing and game.phase == OVER)
        if advances:
            if playing:
                for seat in range(actions.shape[1]):
                    game.decision[seat] = actions[i, seat]
                resolve_decisions(game, edition)
            elif start != ONLY_REVEAL:
                key = game.key
                if start == START_NEXT:
                    key = key_of_next_game(key)
                    position[i] = script.shape[1]
                start_game(game, edition, game.num_players, key)
            if reveal_until_decision(game, edition, script, position, i):
                return i
        if playing:
            pay(game, edition, reward_code, advances, rewards, i)
            done[i] = game.phase == OVER
    return NONE_MISSING


@jit
def observe_games(games, editions, chosen, rows, show_all, blank_rivals, lengths):
    """Write the observations of the chosen games; see `run_games`."""
    public, ring = np.zeros(lengths.public, np.float32), np.zeros(2 * lengths.table, np.float32)
    for i in range(games.shape[0]):
        if chosen[i]:
            edition = editions[games[i].edition]
            hide = edition.hidden_chests and not show_all
            write_observations(games[i], edition, hide, blank_rivals, rows, i, public, ring, lengths)


@jit
def copy_rows(chosen, source, target):
    """Copy the rows of the chosen games elementwise; slices would take seconds to compile."""
    games, seats, features = source.shape
    for i in range(games):
        if chosen[i]:
            for seat in range(seats):
                for place in range(features):
                    target[i, seat, place] = source[i, seat, place]


@jit(cached=True)
def first_illegal(memory, actions):
    """Return the flat index of the first illegal action of a deciding seat, -1 if there is none."""
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


@jit(cached=True)
def rows_to_ask(rows, order, starts, memoryless, playing):
    """Return the rows of observations to ask agents about: of memoryless agents those that must decide, else all.

    Args:
        rows: float32 (N * seats, NUM_FEATURES or more), the observations.
        order: int64, indices of `rows` by agent.
        starts: int64 (agents + 1,), the start of each agent in `order`, and its length.
        memoryless: bool (agents,).
        playing: bool (N,), the games that play this turn.

    Returns:
        Indices of rows, int64; bool, whether each is the first of its game; int64 (agents + 1,), the start of each
        agent in them, and their number.
    """
    asked, first, ends = np.empty(len(order), np.int64), np.empty(len(order), np.bool_), np.zeros(len(starts), np.int64)
    found, seats = 0, len(rows) // len(playing)
    for agent in range(len(memoryless)):
        for k in range(starts[agent], starts[agent + 1]):
            row, plays = order[k], playing[order[k] // seats]
            if not memoryless[agent] or (plays and rows[row, OWN_AT.must_decide] != 0):
                asked[found] = row
                # The scaled values of 1 are the factors.
                new = rows[row, _EXPEDITION] == FACTOR.expedition and rows[row, _TURN] == FACTOR.turn
                first[found] = plays and new
                found += 1
        ends[agent + 1] = found
    return asked, first, ends


@jit(cached=True)
def count_turn(rows, seats, rewards, done, playing, total, turns):
    """Count a turn of the games in `playing` and keep there those whose learner is in camp; return whether any is.

    Args:
        rows: float32 (N, seats, NUM_FEATURES or more), the observations after the turn.
        seats: int64 (N,), the learners' seats.
        rewards: float32 (N, seats), of the turn.
        done: bool (N,), whether each game is over.
        playing: bool (N,), updated.
        total: float64 (N,), the learners' rewards, updated.
        turns: int64 (N,), updated.
    """
    waiting = False
    for i in range(len(seats)):
        if playing[i]:
            total[i] += rewards[i, seats[i]]
            turns[i] += 1
            playing[i] = not done[i] and rows[i, seats[i], OWN_AT.must_decide] == 0
            waiting |= playing[i]
    return waiting


@jit(cached=True)
def first_improper(probabilities):
    """Return the index of the first value that is no probability, -1 if there is none."""
    for i in range(len(probabilities)):
        if not 0 <= probabilities[i] <= 1:
            return i
    return -1


@jit(cached=True)
def draw_decisions(memory, leave_probability, actions):
    """Sample `actions`; return -1, or the flat index of the first invalid probability."""
    games = memory.view(GAME)[:, 0]
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


@jit(cached=True)
def rebuild_games(rows, keys, memory):
    """Rebuild games from observations, float32 (N, NUM_FEATURES), and keys, uint64 (N,)."""
    games = memory.view(GAME)[:, 0]
    for i in range(rows.shape[0]):
        rebuild(rows[i], keys[i], games[i])


@jit(cached=True)
def move_game(memory, edition_memory, card, actions):
    """Reveal a card in the only game, or resolve decisions, int8 (1, seats), if the card is `NO_CARD`."""
    game, edition = memory.view(GAME)[0, 0], edition_memory.view(EDITION)[0, 0]
    if card != NO_CARD:
        reveal(game, edition, card)
    else:
        for seat in range(actions.shape[1]):
            game.decision[seat] = actions[0, seat]
        resolve_decisions(game, edition)


@jit(cached=True)
def draw_next_card(memory):
    """Return the next random card of the only game."""
    return draw_card(memory.view(GAME)[0, 0])
