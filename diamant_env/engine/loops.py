"""Compiled loops over the games of a batch.

Games and editions are passed as bytes, uint8 (N, itemsize): Numba dispatches structured arrays ten times slower.
"""

from __future__ import annotations

import numpy as np

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, NUM_CARDS
from diamant_env.engine.observation_writer import FACTOR, OWN_AT, PUBLIC_AT, rebuild, write_observations
from diamant_env.observation import NUM_PUBLIC, TABLE_FEATURES
from diamant_env.random_numbers import key_of_next_game, random_below, random_bits
from diamant_env.rewards import final_reward, pay
from diamant_env.rules import resolve_decisions, reveal, start_game
from diamant_env.state import DECIDE, EDITION, GAME, LEAVE, OVER, REVEAL

_EXPEDITION, _TURN = TABLE_FEATURES + PUBLIC_AT.expedition, TABLE_FEATURES + PUBLIC_AT.turn


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


@jit(cached=True)
def are_legal(actions):
    """Return whether all actions, int8 (k,), are 0 or 1."""
    bits = np.int8(0)
    for action in actions:
        bits |= action
    return bits == 0 or bits == LEAVE


@jit(cached=True)
def play_turn(memory, edition_memory, playing, actions, rewards, done, reward_code):
    """Play a turn of the games in `playing`, bool (N,), that are not over; return how many of `playing` then are.

    `actions`, int8 (N, seats), are legal. Outputs: `rewards`, float32 (N, seats), 0 elsewhere, and `done`, bool (N,).
    """
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    ended = 0
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        plays = playing[i] and game.phase == DECIDE
        if plays:
            for seat in range(actions.shape[1]):
                game.decision[seat] = actions[i, seat]
            resolve_decisions(game, edition)
            reveal_until_decision(game, edition)
        pay(game, edition, reward_code, plays, rewards, i)
        done[i] = game.phase == OVER
        ended += playing[i] and done[i]
    return ended


@jit(cached=True)
def start_games(memory, edition_memory, starting):
    """Start the games in `starting` from their keys."""
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    for i in range(games.shape[0]):
        if starting[i]:
            game = games[i]
            edition = editions[game.edition]
            start_game(game, edition, game.num_players, game.key)
            reveal_until_decision(game, edition)


@jit(cached=True)
def start_next_games(memory, edition_memory, starting):
    """Start the next game of each sequence in `starting`."""
    games = memory.view(GAME)[:, 0]
    for i in range(games.shape[0]):
        if starting[i]:
            games[i].key = key_of_next_game(games[i].key)
    start_games(memory, edition_memory, starting)


@jit(cached=True)
def reveal_cards(memory, edition_memory):
    """Reveal random cards in the games in phase `REVEAL`."""
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    for i in range(games.shape[0]):
        reveal_until_decision(games[i], editions[games[i].edition])


@jit(cached=True)
def observe_games(memory, edition_memory, chosen, observations):
    """Write the observations, float32 (N, seats, NUM_FEATURES), of the games in `chosen`; absent seats unchanged."""
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    public, ring = np.zeros(NUM_PUBLIC, np.float32), np.zeros(2 * TABLE_FEATURES, np.float32)
    for i in range(games.shape[0]):
        if chosen[i]:
            write_observations(games[i], editions[games[i].edition], observations, i, public, ring)


@jit(cached=True)
def rows_to_ask(observations, order, starts, stateless, playing):
    """Return the rows of observations to ask agents about: of stateless agents those that must decide, else all.

    `order[starts[a] : starts[a + 1]]` are the rows of agent a. Returns indices of rows, whether each is the first of
    its game, and the start of each agent in them, and their number.
    """
    asked, first, ends = np.empty(len(order), np.int64), np.empty(len(order), np.bool_), np.zeros(len(starts), np.int64)
    count, seats = 0, len(observations) // len(playing)
    for agent in range(len(stateless)):
        for k in range(starts[agent], starts[agent + 1]):
            row, plays = order[k], playing[order[k] // seats]
            if not stateless[agent] or (plays and observations[row, OWN_AT.must_decide] != 0):
                asked[count] = row
                # The scaled values of 1 are the factors.
                begins = observations[row, _EXPEDITION] == FACTOR.expedition and observations[row, _TURN] == FACTOR.turn
                first[count] = plays and begins
                count += 1
        ends[agent + 1] = count
    return asked, first, ends


@jit(cached=True)
def count_turn(observations, seats, rewards, done, playing, total, turns):
    """Count a turn of the games in `playing` and keep there those whose learner is in camp; return whether any is.

    Updates `playing`, the learners' rewards `total` and the number of `turns`, (N,) each.
    """
    waiting = False
    for i in range(len(seats)):
        if playing[i]:
            total[i] += rewards[i, seats[i]]
            turns[i] += 1
            playing[i] = not done[i] and observations[i, seats[i], OWN_AT.must_decide] == 0
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
def rebuild_games(observations, keys, memory):
    """Rebuild games from observations, float32 (N, NUM_FEATURES), and keys, uint64 (N,)."""
    games = memory.view(GAME)[:, 0]
    for i in range(observations.shape[0]):
        rebuild(observations[i], keys[i], games[i])


@jit(cached=True)
def reveal_card(memory, edition_memory, cards):
    """Reveal a card of the deck, int64 (N,), in each game in phase `REVEAL`."""
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        reveal(game, edition, cards[i])


@jit(cached=True)
def decide(memory, edition_memory, actions):
    """Resolve legal actions, int8 (N, seats), in each game in phase `DECIDE`."""
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        for seat in range(actions.shape[1]):
            game.decision[seat] = actions[i, seat]
        resolve_decisions(game, edition)


@jit(cached=True)
def final_rewards(memory, edition_memory, reward_code, rewards):
    """Write the sum of each seat's rewards into `rewards`, float32 (N, seats), in games that are over."""
    games, editions = memory.view(GAME)[:, 0], edition_memory.view(EDITION)[:, 0]
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        if game.phase == OVER:
            for seat in range(min(game.num_players, rewards.shape[1])):
                rewards[i, seat] = final_reward(game, edition, reward_code, seat)


@jit(cached=True)
def draw_next_card(memory):
    """Return the next random card of the only game."""
    return draw_card(memory.view(GAME)[0, 0])
