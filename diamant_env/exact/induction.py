"""Backward induction over the nodes of one expedition.

At a node with n inside, j of the n - 1 others leave. A player who leaves then gets `leave[j]`; one who goes on gets
`stay[j]`, the mean over the next card with n - j inside. When the others leave with probability q each, j is
binomial, and the player compares L(q) = E[leave] with S(q) = E[stay].
"""

from __future__ import annotations

import numpy as np

from diamant_env.compilation import jit
from diamant_env.editions import MAX_PLAYERS
from diamant_env.exact.cards import cards_left, read_digits
from diamant_env.exact.tree import coordinates, going_on, nodes_of

EQUILIBRIUM = 0  # everyone plays the symmetric equilibrium with the lowest probability of leaving
DIFFERENCE = 1  # two players, each wants as many gems more than the other as possible

_DEPTH = 60  # halvings of an interval: below the distance of two float64


@jit(cached=True)
def solve_sets(sets, boxes, moves, must_reveal, first, last, mode, policy, value):
    """Fill `value` for the sets from `last` - 1 down to `first`; return the most that a choice at a node gives away.

    `value`: float64 (nodes,), the mean gems that a player inside banks from there on; with `DIFFERENCE` at nodes with
    both inside what leaving alone brings more than going on alone. `policy`: float64 (nodes,), the probabilities of
    leaving are written into it unless it is empty.
    """
    digits = np.zeros(sets.radix.shape[0], np.int64)
    leave, stay = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS)
    worst = 0.0
    for number in range(last - 1, first - 1, -1):
        read_digits(sets, number, digits)
        cards = cards_left(sets, digits)
        for at in nodes_of(boxes, number):
            inside, gone, bag, path = coordinates(boxes, number, at)
            if must_reveal and number == 0:
                value[at] = going_on(sets, boxes, moves, digits, cards, value, number, inside, gone, bag, path)
                continue
            compare(sets, boxes, moves, digits, cards, value, number, inside, gone, bag, path, leave, stay)
            others = inside - 1
            chance = choose(mode, leave, stay, others)
            if policy.shape[0]:
                policy[at] = chance
            if mode == DIFFERENCE and inside == 2:
                value[at] = leave[0] - stay[1]
                continue
            leaving, staying = mean(leave, others, chance), mean(stay, others, chance)
            best, mixed = max(leaving, staying), chance * leaving + (1 - chance) * staying
            value[at] = best
            worst = max(worst, best - mixed)
    return worst


@jit
def compare(sets, boxes, moves, digits, cards, value, number, inside, gone, bag, path, leave, stay):
    """Write into `leave` and `stay` (inside,) what each choice brings by the number of others who leave."""
    relics = boxes.relics[number]
    for others in range(inside):
        leavers = others + 1
        leave[others] = bag + moves.path_share[leavers, path]
        if moves.takes_relics[leavers]:
            leave[others] += boxes.relic_worth[relics] - boxes.relic_worth[gone]
        left, missing = path, gone
        if others:
            left = moves.path_rest[others, path]
            missing = relics if moves.takes_relics[others] else gone
        stay[others] = going_on(sets, boxes, moves, digits, cards, value, number, inside - others, missing, bag, left)


@jit
def choose(mode, leave, stay, others):
    """Return the probability of leaving at a node, for `EQUILIBRIUM` and `DIFFERENCE`."""
    if mode == DIFFERENCE and others == 1:
        # Both staying and both leaving are worth 0; see `exact.equilibrium`.
        return 1.0 if leave[0] > stay[1] else 0.0
    return lowest_equilibrium(leave, stay, others)


@jit
def mean(payoffs, others, chance):
    """Return the mean of `payoffs` (others + 1,) by the number of others who leave, each with this chance."""
    # De Casteljau's algorithm: a binomial mean is a polynomial in Bernstein form.
    work = np.empty(MAX_PLAYERS)
    for j in range(others + 1):
        work[j] = payoffs[j]
    for length in range(others, 0, -1):
        for j in range(length):
            work[j] += chance * (work[j + 1] - work[j])
    return work[0]


@jit
def lowest_equilibrium(leave, stay, others):
    """Return the lowest probability of leaving that is a best answer to itself.

    0 if going on is best when nobody leaves; else the lowest root in (0, 1] of L - S, a polynomial whose Bernstein
    coefficients are leave[j] - stay[j]; 1 if it has none, since leaving is then best whatever the others do.
    """
    gain = np.empty(MAX_PLAYERS)
    rises = True
    for j in range(others + 1):
        gain[j] = leave[j] - stay[j]
        rises = rises and gain[j] >= 0
    if gain[0] <= 0:
        return 0.0
    if rises:
        return 1.0
    return _lowest_root(gain, others)


@jit
def _lowest_root(gain, degree):
    """Return the lowest root in (0, 1] of a polynomial in Bernstein form that is positive at 0, 1 if there is none.

    By halving intervals, left halves first; coefficients without a change of sign exclude a root in the interval
    (Lane, Riesenfeld: Bounds on a polynomial, BIT 1981).
    """
    pieces = np.empty((_DEPTH + 2, MAX_PLAYERS))  # coefficients of the intervals still to look at
    begins, widths = np.empty(_DEPTH + 2), np.empty(_DEPTH + 2)
    for j in range(degree + 1):
        pieces[0, j] = gain[j]
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
        # Split in the middle: the right half stays in this place, the left half lies on top of it.
        right, left = pieces[waiting], pieces[waiting + 1]
        for length in range(degree, -1, -1):
            left[degree - length] = right[0]
            for j in range(length):
                right[j] = 0.5 * (right[j] + right[j + 1])
        begins[waiting], widths[waiting] = begin + 0.5 * width, 0.5 * width
        begins[waiting + 1], widths[waiting + 1] = begin, 0.5 * width
        waiting += 2
    return 1.0
