"""Backward induction over the nodes of one expedition.

At a node with n players inside, j of the n - 1 others leave. Leaving is then worth `leave[j]` and continuing `stay[j]`,
the expectation over the next card with n - j inside. Both include later expeditions, whose decks the others still
change after one has left. When the others leave with probability q each, j is binomial, and the player compares
L(q) = E[leave] with S(q) = E[stay].
"""

from __future__ import annotations

import numpy as np

from diamant_env.compilation import jit
from diamant_env.editions import MAX_PLAYERS
from diamant_env.exact.cards import read_set
from diamant_env.exact.tree import Node, continue_values, node_at, nodes_of

EQUILIBRIUM = 0  # symmetric equilibrium with the lowest probability of leaving
DIFFERENCE = 1  # two players maximise their difference in gems

_DEPTH = 60  # bisections, to float64 precision


@jit(cached=True)
def solve_sets(layout, first, last, mode, values):
    """Fill `values` for the sets from `last` - 1 down to `first`; return the maximum gain of a one-node deviation.

    `values` are `Values`, as in `Solution.values`; `mode` is `EQUILIBRIUM` or `DIFFERENCE`.
    """
    sets, boxes, moves, must_reveal = layout
    digits = np.zeros(sets.radix.shape[0], np.int64)
    leave, stay, camp = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS + 1)
    value, worst = values.inside, 0.0
    for index in range(last - 1, first - 1, -1):
        drawn = read_set(sets, index, digits)
        for at in nodes_of(boxes, index):
            node = node_at(boxes, index, at)
            if must_reveal and index == 0:
                value[at] = continue_values(sets, boxes, moves, drawn, node, values)[0]
                continue
            compare(sets, boxes, moves, drawn, node, values, leave, stay, camp)
            others = node.inside - 1
            q = choose(mode, leave, stay, others)
            if mode == DIFFERENCE and others == 1:
                value[at] = leave[0] - stay[1]
                continue
            leaving, staying = mean(leave, others, q), mean(stay, others, q)
            best, mixed = max(leaving, staying), q * leaving + (1 - q) * staying
            value[at] = best
            worst = max(worst, best - mixed)
            if values.camp.shape[0] and node.inside < boxes.players:
                values.camp[at] = mean(camp, node.inside, q)
    return worst


@jit
def compare(sets, boxes, moves, drawn, node, values, leave, stay, camp):
    """Write the values of a node by the leavers.

    If `j` others leave, leaving is worth `leave[j]` and continuing `stay[j]`; if `j` players leave, being in camp is
    worth `camp[j]`.
    """
    inside, taken, bag, path = node
    relics = np.int64(boxes.relics[drawn.number])
    for j in range(inside):
        leave[j] = bag + moves.path_share[j + 1, path]
        if moves.takes_relics[j + 1]:
            leave[j] += boxes.relic_worth[relics] - boxes.relic_worth[taken]
        new_path, new_taken = path, taken
        if j:
            new_path = moves.path_rest[j, path]
            new_taken = relics if moves.takes_relics[j] else taken
        staying = Node(inside - j, new_taken, bag, new_path)
        stay[j], camp[j] = continue_values(sets, boxes, moves, drawn, staying, values)
    camp[inside] = values.left[relics, relics if moves.takes_relics[inside] else taken]
    for j in range(inside):
        leave[j] += camp[j + 1]


@jit
def choose(mode, leave, stay, others):
    """Return the probability of leaving at a node, for `EQUILIBRIUM` and `DIFFERENCE`."""
    if mode == DIFFERENCE and others == 1:
        return 1.0 if leave[0] > stay[1] else 0.0
    return lowest_equilibrium(leave, stay, others)


@jit
def mean(payoffs, others, q):
    """Return the binomial mean of `payoffs` (others + 1,), overwritten, each other leaving with probability `q`."""
    # De Casteljau's algorithm in place: the mean is a polynomial in Bernstein form.
    for length in range(others, 0, -1):
        for j in range(length):
            payoffs[j] += q * (payoffs[j + 1] - payoffs[j])
    return payoffs[0]


@jit
def lowest_equilibrium(leave, stay, others):
    """Return the lowest probability of leaving that is a best response to itself.

    0 if continuing is a best response to 0; else the lowest root in (0, 1] of L - S, a polynomial with Bernstein
    coefficients leave[j] - stay[j]; 1 if it has no root, since leaving is then always the best response.
    """
    if leave[0] - stay[0] <= 0:
        return 0.0
    for j in range(1, others + 1):
        if leave[j] - stay[j] < 0:
            return _lowest_root(leave, stay, others)
    return 1.0


@jit
def _lowest_root(leave, stay, degree):
    """Return the lowest root in (0, 1] of L - S, positive at 0; 1 if there is none.

    Bisection, left halves first; intervals whose coefficients do not change sign have no root (Lane, Riesenfeld:
    Bounds on a polynomial, BIT 1981).
    """
    pieces = np.empty((_DEPTH + 2, MAX_PLAYERS))  # stack of intervals, by coefficients
    begins, widths = np.empty(_DEPTH + 2), np.empty(_DEPTH + 2)
    for j in range(degree + 1):
        pieces[0, j] = leave[j] - stay[j]
    begins[0], widths[0] = 0.0, 1.0
    waiting = 1
    while waiting:
        waiting -= 1
        begin, width = begins[waiting], widths[waiting]
        lowest = pieces[waiting, 0]
        for j in range(1, degree + 1):
            lowest = min(lowest, pieces[waiting, j])
        if lowest > 0:
            continue
        if width < 1e-15 or pieces[waiting, 0] <= 0:
            return begin
        # Bisect: the right half replaces the interval, the left half is pushed on the stack.
        right, left = pieces[waiting], pieces[waiting + 1]
        for length in range(degree, -1, -1):
            left[degree - length] = right[0]
            for j in range(length):
                right[j] = 0.5 * (right[j] + right[j + 1])
        begins[waiting], widths[waiting] = begin + 0.5 * width, 0.5 * width
        begins[waiting + 1], widths[waiting + 1] = begin, 0.5 * width
        waiting += 2
    return 1.0
