"""Backward induction over the states of a whole game.

With a policy per seat, a shift moves the policies around the table: in shift r, seat s plays the policy of seat
(s + r) % num_players. Values of a node with rotated seats are read at another shift, see `value_after`.
"""

from __future__ import annotations

import numpy as np

from diamant_env.compilation import jit
from diamant_env.exact.induction import EQUILIBRIUM, RESPONSE
from diamant_env.exact.whole.graph import ROTATIONS, seat_code
from diamant_env.exact.whole.stage import solve_decision
from diamant_env.rewards import final_reward
from diamant_env.state import DECIDE, EDITION, GAME, REVEAL


@jit(cached=True)
def induce_values(graph, edition_memory, code, mode, policy, value):
    """Fill `value`, float64 (nodes, shifts, seats), with each seat's expected reward.

    `policy` has the same shape and holds the probabilities of leaving: input, or output for `EQUILIBRIUM`. There is one
    shift if all seats play the same policy.
    """
    games, edition = graph.states.view(GAME)[:, 0], edition_memory.view(EDITION)[0, 0]
    shifts, seats = value.shape[1:]
    for node in graph.order[::-1]:
        game = games[node]
        for shift in range(shifts):
            if game.phase == DECIDE and mode == EQUILIBRIUM:
                solve_node(graph, node, game, value, policy[node, shift])
            for seat in range(seats):
                if game.phase == REVEAL:
                    value[node, shift, seat] = card_value(graph, node, shift, seat, value)
                elif game.phase == DECIDE:
                    leaves = policy[node, shift, seat]
                    stay, leave = seat_action_values(graph, node, game, policy[node, shift], shift, seat, value)
                    best = max(stay, leave) if game.inside[seat] else stay
                    value[node, shift, seat] = best if mode == RESPONSE else stay + leaves * (leave - stay)
                else:
                    value[node, shift, seat] = final_reward(game, edition, code, seat)


@jit
def solve_node(graph, node, game, value, policy):
    """Write an equilibrium of a joint decision into `policy`, float64 (seats,); symmetric seats decide alike."""
    inside = np.flatnonzero(game.inside)
    payoff, chance = np.zeros((1 << len(inside), len(inside))), np.zeros(len(inside))
    for decisions in range(len(payoff)):
        for player in range(len(inside)):
            payoff[decisions, player] = value_after(graph, graph.first[node] + decisions, 0, inside[player], value)
    solve_decision(payoff, (inside < period_of(game)).sum(), chance)
    policy[inside] = chance


@jit
def period_of(game):
    """Return the least rotation of the seats that leaves the state unchanged."""
    period = 0
    changed = True
    while changed:
        period += 1
        changed = False
        for seat in range(game.num_players):
            changed |= seat_code(game, seat) != seat_code(game, (seat + period) % game.num_players)
    return period


@jit
def seat_action_values(graph, node, game, policy, shift, seat, value):
    """Return a seat's values of CONTINUE and LEAVE; in camp the first is its value."""
    first = graph.first[node]
    stay = leave = 0.0
    for edge in range(first, graph.first[node + 1]):
        chance, decisions, leaves = 1.0, edge - first, False
        for other in range(len(policy)):
            if game.inside[other]:
                if other == seat:
                    leaves = decisions & 1 == 1
                else:
                    chance *= policy[other] if decisions & 1 else 1 - policy[other]
                decisions >>= 1
        if chance > 0 and leaves:
            leave += chance * value_after(graph, edge, shift, seat, value)
        elif chance > 0:
            stay += chance * value_after(graph, edge, shift, seat, value)
    return stay, leave


@jit
def card_value(graph, node, shift, seat, value):
    """Return the expectation of a seat's value over the next card."""
    total, cards = 0.0, 0
    for edge in range(graph.first[node], graph.first[node + 1]):
        total += graph.copies[edge] * value_after(graph, edge, shift, seat, value)
        cards += graph.copies[edge]
    return total / cards


@jit(inline=True)
def value_after(graph, edge, shift, seat, value):
    """Return a seat's value at the end of an edge, whose node has rotated seats."""
    node, rotation = divmod(graph.edges[edge], ROTATIONS)
    shifts, seats = value.shape[1:]
    return value[node, (shift - rotation) % shifts, (seat + rotation) % seats]
