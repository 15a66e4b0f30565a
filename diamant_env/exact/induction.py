"""Backward induction over the nodes of one expedition.

At a node with n players inside, j of the n - 1 others leave. Leaving is then worth `leave[j]` and continuing `stay[j]`,
the expectation over the next card with n - j inside. Both include later expeditions, whose decks the others still
change after the player has left. If the others leave with probability q each, j is binomial, and the player compares
L(q) = E[leave] with S(q) = E[stay].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import MAX_PLAYERS
from diamant_env.exact.lookahead import block_of, blocks_of, look_ahead, mean, memory_of, write_payoffs
from diamant_env.exact.tree import ExpeditionTree, NodeValues

# Modes: symmetric equilibrium with the lowest probability of leaving; best response to a policy; the policy itself.
EQUILIBRIUM, RESPONSE, EVALUATE = range(3)

_CHUNKS = 200
_DEPTH = 60  # bisections, to float64 precision

Progress = Callable[[float], None]


def solve(
    tree: ExpeditionTree,
    mode: int,
    values: NodeValues,
    progress: Progress | None = None,
    policy: NDArray[np.float64] | None = None,
) -> float:
    """Fill `values` by backward induction; return the maximum gain of a one-node deviation.

    `policy`, float64 (nodes,), is the probability of leaving: input for `RESPONSE` and `EVALUATE`, else output or None.
    """
    policy, memory = np.zeros(0) if policy is None else policy, memory_of(tree)
    ranges = _index_ranges(tree, progress)
    return max(float(_solve_sets(tree.layout, first, last, mode, policy, values, memory)) for first, last in ranges)


def _index_ranges(tree: ExpeditionTree, progress: Progress | None) -> Iterator[tuple[int, int]]:
    """Yield ranges of sets in decreasing order, and report progress after each."""
    edges = np.linspace(0, tree.sets.size, min(_CHUNKS, tree.sets.size) + 1).astype(int)
    for first, last in zip(edges[-2::-1], edges[:0:-1], strict=True):
        yield first, last
        if progress:
            progress(float(1 - first / tree.sets.size))


@jit(cached=True)
def _solve_sets(layout, first, last, mode, policy, values, memory):
    """Do the work of `solve` for the sets from `last` - 1 down to `first`; an empty `policy` is not filled."""
    _, boxes, _, must_reveal = layout
    value, camp_value, leave, stay, camp = values.inside, values.camp, memory.leave, memory.stay, memory.camp
    plays_policy, fills_policy = mode >= RESPONSE, mode < RESPONSE and policy.shape[0] > 0
    followed, worst = camp_value.shape[0] > 0, 0.0
    for index in range(last - 1, first - 1, -1):
        look_ahead(layout, index, values, memory)
        if must_reveal and index == 0:
            value[boxes.first[0, boxes.players]] = memory.inside_ahead[0]
            continue
        for inside in range(boxes.players, 0, -1):
            others = inside - 1
            for taken in range(blocks_of(boxes, index, inside)):
                block = block_of(boxes, index, inside, taken)
                write_payoffs(layout, block, values, memory)
                for row in range(block.bags * block.paths):
                    at = block.first + row
                    q = policy[at] if plays_policy else lowest_equilibrium(leave, stay, row, others)
                    if fills_policy:
                        policy[at] = q
                    leaving, staying = mean(leave, row, others, q), mean(stay, row, others, q)
                    best, mixed = max(leaving, staying), q * leaving + (1 - q) * staying
                    value[at] = mixed if mode == EVALUATE else best
                    worst = max(worst, best - mixed)
                    if followed and inside < boxes.players:
                        camp_value[at] = mean(camp, row, inside, q)
    return worst


@jit
def lowest_equilibrium(leave, stay, row, others):
    """Return the lowest probability of leaving that is a best response to itself.

    It is 0 if continuing is a best response to 0; else the lowest root in (0, 1] of L - S, a polynomial with Bernstein
    coefficients leave[j] - stay[j]; 1 without a root, since leaving is then always the best response.
    """
    first = leave[row, 0] - stay[row, 0]
    if first <= 0:
        return 0.0
    if others == 1 and leave[row, 1] < stay[row, 1]:
        return first / (first - (leave[row, 1] - stay[row, 1]))
    for j in range(1, others + 1):
        if leave[row, j] < stay[row, j]:
            return _lowest_root(leave, stay, row, others)
    return 1.0


@jit
def _lowest_root(leave, stay, row, degree):
    """Return the lowest root in (0, 1] of L - S, positive at 0; 1 without a root.

    Bisection, left halves first: an interval contains no root if its Bernstein coefficients don't change sign, and one
    root if they change once (Lane, Riesenfeld: Bounds on a polynomial, BIT 1981).
    """
    pieces = np.empty((_DEPTH + 2, MAX_PLAYERS))  # stack of intervals, by coefficients
    begins, widths = np.empty(_DEPTH + 2), np.empty(_DEPTH + 2)
    for j in range(degree + 1):
        pieces[0, j] = leave[row, j] - stay[row, j]
    begins[0], widths[0] = 0.0, 1.0
    waiting = 1
    while waiting:
        waiting -= 1
        begin, width = begins[waiting], widths[waiting]
        right, left = pieces[waiting], pieces[waiting + 1]
        changes = 0
        for j in range(degree):
            changes += (right[j] > 0) != (right[j + 1] > 0)
        if changes == 0 and right[0] > 0:
            continue
        if width < 1e-15 or right[0] <= 0:
            return begin
        if changes == 1:
            return begin + width * _only_root(right, degree, left)
        # Bisect: the right half replaces the interval, the left half is pushed on the stack.
        for length in range(degree, -1, -1):
            left[degree - length] = right[0]
            for j in range(length):
                right[j] = 0.5 * (right[j] + right[j + 1])
        begins[waiting], widths[waiting] = begin + 0.5 * width, 0.5 * width
        begins[waiting + 1], widths[waiting + 1] = begin, 0.5 * width
        waiting += 2
    return 1.0


@jit
def _only_root(coefficients, degree, work):
    """Return the only root in (0, 1] of a polynomial, by Newton's method within a bracket; `work` is overwritten."""
    low, high, root = 0.0, 1.0, coefficients[0] / (coefficients[0] - coefficients[degree])
    for _ in range(_DEPTH):
        for j in range(degree + 1):
            work[j] = coefficients[j]
        for length in range(degree, 1, -1):
            for j in range(length):
                work[j] += root * (work[j + 1] - work[j])
        slope = degree * (work[1] - work[0])
        value = work[0] + root * (work[1] - work[0])
        if value > 0:
            low = root
        else:
            high = root
        after = root - value / slope if slope < 0 else low
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - root) < 1e-16 or high - low < 1e-16:
            return after
        root = after
    return root
