"""The compiled loops over the games of a batch: the rules, game by game, in plain arrays."""

from __future__ import annotations

import numpy as np

from diamant_env.compiled import jit
from diamant_env.observation import observe, unobserve
from diamant_env.rewards import reward_of
from diamant_env.rules import (
    DECIDE,
    LEAVE,
    OVER,
    key_of_next_game,
    key_of_seed,
    play_turn,
    random_bits,
    reveal_until_decision,
    start_game,
)


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
            game = games[i]
            edition = editions[game.edition]
            start_game(game, edition, game.num_players, game.key)
            reveal_until_decision(game, edition)


@jit
def step_games(games, editions, actions, views, rewards, done, final_views, auto_reset, reward_code):
    """Play one turn in all games; return -1, or the position of the first illegal action if nothing was played."""
    seats = actions.shape[1]
    for i in range(games.shape[0]):
        for seat in range(seats):
            if games[i].inside[seat] and actions[i, seat] != 0 and actions[i, seat] != LEAVE:
                return i * seats + seat
    for i in range(games.shape[0]):
        game = games[i]
        edition = editions[game.edition]
        was_over = game.phase == OVER
        if not was_over:
            for seat in range(seats):
                game.decision[seat] = actions[i, seat]
            play_turn(game, edition)
        done[i] = game.phase == OVER
        for seat in range(seats):
            earns = seat < game.num_players and not was_over
            rewards[i, seat] = reward_of(game, edition, seat, reward_code) if earns else 0.0
        if auto_reset and done[i]:
            if final_views.shape[0]:
                observe_seats(game, edition, edition.hidden_chests, final_views, i)
            start_game(game, edition, game.num_players, key_of_next_game(game.key))
            reveal_until_decision(game, edition)
        observe_seats(game, edition, edition.hidden_chests, views, i)
    return -1


@jit
def observe_seats(game, edition, hide, views, i):
    """Write what each seat of a game sees into row i of `views`, records of type `OBSERVATION` (N, seats)."""
    for seat in range(views.shape[1]):
        if seat < game.num_players:
            observe(game, edition, seat, hide, views[i, seat])


@jit
def observe_games(games, editions, views, show_all):
    """Write what all seats of all games see into `views`; `show_all`: hidden chests too."""
    for i in range(games.shape[0]):
        edition = editions[games[i].edition]
        observe_seats(games[i], edition, edition.hidden_chests and not show_all, views, i)


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
                bits = random_bits(game.key, game.expedition, game.turn, 1 + seat)
                actions[i, seat] = bits < leave_probability[i, seat] * 4294967296.0
    return -1


@jit
def rebuild_games(views, editions, keys, games):
    """Rebuild each game from a seat's view; all are of the first edition."""
    for i in range(views.shape[0]):
        unobserve(views[i], editions[0], keys[i], games[i])
