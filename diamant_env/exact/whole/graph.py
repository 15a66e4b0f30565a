"""Directed acyclic graph of the public states of a small game, enumerated with the rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import MAX_CARDS, NUM_CARDS, Edition
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.records import as_bytes
from diamant_env.random_numbers import mix
from diamant_env.rules import clear_last_events, resolve_decisions, reveal, start_game
from diamant_env.state import DECIDE, EDITION, GAME, OVER, REVEAL

MAX_STATES = 8_000_000  # 4 GB with policy and values
ROTATIONS = 8
_WORDS = GAME.itemsize // 8
_NO_STATE = np.int32(-1)


class Graph(NamedTuple):
    """Public states as nodes, and their moves as edges: joint decisions of the players inside, or cards.

    States that differ only in a rotation of the seats are merged: observations are relative to the observer. At a
    decision node, bit i of an edge's number is the decision of the i-th seat inside.
    """

    states: NDArray[np.uint64]  # (nodes, words), records of type `GAME` without key and last-turn events; start first
    first: NDArray[np.int64]  # (nodes + 1,), the first edge of each node
    edges: NDArray[np.int32]  # (edges,), next node * `ROTATIONS` + r: seat s is seat (s + r) % players of that node
    copies: NDArray[np.int8]  # (edges,), at chance nodes the cards of this kind in the deck
    order: NDArray[np.int64]  # (nodes,), the nodes in topological order
    table: NDArray[np.int32]  # (places,), hash table of the nodes

    @property
    def games(self) -> NDArray:
        """The states as records of type `GAME` (nodes,)."""
        return self.states.view(GAME)[:, 0]


def build_graph(edition: Edition, num_players: int) -> Graph:
    """Enumerate the states of a game from its start; raise a ValueError if there are more than `MAX_STATES`."""
    states, first, edges, copies, places = _enumerate(
        as_bytes(edition_params_array([edition])), num_players, MAX_STATES
    )
    if len(first) <= len(states):
        table = f"{edition.name!r} with {num_players} players"
        raise ValueError(f"{table} has more than {MAX_STATES:,} states, the most that are solved (4 GB)")
    games = states.view(GAME)[:, 0]
    turns = games["expedition"].astype(np.int32) * (MAX_CARDS + 1) + games["turn"]
    level = np.where(games["phase"] == OVER, np.iinfo(np.int32).max, 2 * turns + (games["phase"] == REVEAL))
    return Graph(states, first, edges, copies, np.argsort(level, kind="stable"), places)


@jit(cached=True)
def _enumerate(edition_memory, num_players, most):
    """Return `states`, `first`, `edges`, `copies` and `table`; `first` is too short if there are too many states."""
    edition = edition_memory.view(EDITION)[0, 0]
    memory, new = np.zeros((1, _WORDS), np.uint64), np.zeros((1, _WORDS), np.uint64)
    game = memory.view(GAME)[0, 0]
    states, first = np.zeros((1 << 12, _WORDS), np.uint64), np.zeros(1 << 12, np.int64)
    edges, copies = np.zeros(1 << 14, np.int32), np.zeros(1 << 14, np.int8)
    table = np.full(1 << 14, _NO_STATE)
    start_game(game, edition, num_players, np.uint64(0))
    canonical_state(memory, new)
    add_state(new, states, table, 0)
    count, node, edge = 1, 0, 0
    while node < count <= most:
        memory[0] = states[node]
        moves = NUM_CARDS if game.phase == REVEAL else 1 << int(game.num_inside) if game.phase == DECIDE else 0
        if count + moves >= len(states):
            states, first = longer(states), longer(first)
        if edge + moves > len(edges):
            edges, copies = longer(edges), longer(copies)
        if 2 * (count + moves) > len(table):
            table = np.full(2 * len(table), _NO_STATE)
            for index in range(count):
                add_state(states[index : index + 1], states, table, index)
        for move in range(moves):
            memory[0] = states[node]
            if game.phase == REVEAL and game.deck[move] == 0:
                continue
            if game.phase == REVEAL:
                copies[edge] = game.deck[move]
                reveal(game, edition, move)
            else:
                decisions = move
                for seat in range(num_players):
                    game.decision[seat] = decisions & 1
                    decisions >>= game.inside[seat]
                resolve_decisions(game, edition)
            rotation = canonical_state(memory, new)
            successor = add_state(new, states, table, count)
            count += successor == count
            edges[edge] = successor * ROTATIONS + rotation
            edge += 1
        node += 1
        first[node] = edge
    return states[:count].copy(), first[: node + 1].copy(), edges[:edge].copy(), copies[:edge].copy(), table


@jit
def longer(array):
    """Return a copy with twice the rows."""
    return np.concatenate((array, np.zeros_like(array)))


@jit
def canonical_state(memory, new):
    """Write a state with rotated seats, without key and last-turn events, into `new`; return r, see `Graph.edges`."""
    old, game = memory.view(GAME)[0, 0], new.view(GAME)[0, 0]
    players, shift = old.num_players, 0
    for other in range(1, players):
        for place in range(players):
            before, after = seat_code(old, (place + shift) % players), seat_code(old, (place + other) % players)
            if before != after:
                shift = other if after < before else shift
                break
    new[0] = memory[0]
    if old.phase == OVER:  # only the result matters
        new[0] = np.uint64(0)
    game.phase, game.num_players = old.phase, players
    clear_last_events(game)
    for seat in range(players):
        same = (seat + shift) % players
        game.chest[seat], game.relics[seat] = old.chest[same], old.relics[same]
        if old.phase != OVER:
            game.inside[seat], game.left_turn[seat] = old.inside[same], old.left_turn[same]
    return (players - shift) % players


@jit(inline=True)
def seat_code(game, seat):
    """Return an integer that identifies a seat's part of the state; players inside have the left turn 0."""
    return (np.int64(game.chest[seat]) * 8 + game.relics[seat]) * 128 + game.left_turn[seat]


@jit
def add_state(state, states, table, count):
    """Return the index of a state; add it at `count` if it is new."""
    place = place_of(state, states, table)
    if table[place] == _NO_STATE:
        table[place] = count
        states[count] = state[0]
    return np.int64(table[place])


@jit
def place_of(state, states, table):
    """Return the place of a state's index in the hash table `table`, or the free one where it belongs."""
    bits = np.uint64(0)
    for word in state[0]:
        bits = mix(bits ^ word, np.uint64(0))
    at = np.int64(bits % np.uint64(len(table)))
    while table[at] != _NO_STATE:
        index, same = table[at], True
        for word in range(_WORDS):
            same &= states[index, word] == state[0, word]
        if same:
            return at
        at = (at + 1) % len(table)
    return at


@jit(cached=True)
def find_states(graph, memory, result):
    """Write node (or -1) and seat of player 0 of states, uint64 (k, words), into `result`, int64 (k, 2)."""
    new = np.zeros((1, _WORDS), np.uint64)
    for row in range(len(memory)):
        rotation = canonical_state(memory[row : row + 1], new)
        result[row, 0] = graph.table[place_of(new, graph.states, graph.table)]
        result[row, 1] = rotation
