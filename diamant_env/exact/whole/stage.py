"""Nash equilibrium of one joint decision, by support enumeration and Newton's method.

Each player stays, leaves or mixes. The probabilities of leaving of the players who mix solve their indifference
conditions, which are multilinear equations, linear for two players.
"""

from __future__ import annotations

import numpy as np

from diamant_env.compilation import jit
from diamant_env.state import CONTINUE, LEAVE

_MIXED = 2  # besides CONTINUE and LEAVE
_STEPS, _STARTS, _GOLDEN = 40, 8, 0.6180339887498949
_SMALL = 1e-13  # gain that is 0 up to rounding


@jit
def solve_decision(payoff, period, chance):
    """Write each player's probability of leaving into `chance`, float64 (players,).

    Supports are tried in the order of their ternary numbers. The first equilibrium is chosen; if none is exact, the
    strategies with the smallest maximum gain of a player. `payoff`, float64 (2^players, players), holds the values
    after each joint decision: bit i of a row is player i's. Players i and i + `period` are symmetric and decide alike.
    """
    players, least = len(chance), np.inf
    kinds, tried = np.zeros(players, np.int64), np.zeros(players)
    for support in range(3**period):
        mixed = 0
        for player in range(players):
            kinds[player] = support // 3 ** (player % period) % 3
            mixed += kinds[player] == _MIXED
        for start in range(_STARTS if mixed > 2 else 1):
            for player in range(players):
                mix = (0.5 + (start * (player % period + 1)) * _GOLDEN) % 1  # evenly spread
                tried[player] = mix if kinds[player] == _MIXED else kinds[player]
            make_indifferent(payoff, kinds, tried)
            tried[:] = np.minimum(np.maximum(tried, 0), 1)
            regret = 0.0
            for player in range(players):
                gain = gain_of_leaving(payoff, player, tried)
                regret = max(regret, gain * (1 - tried[player]), -gain * tried[player])
            if regret < least:
                least, chance[:] = regret, tried
            if least < _SMALL:
                return


@jit
def gain_of_leaving(payoff, player, chance):
    """Return a player's value of LEAVE less that of CONTINUE; `chance` are the others' probabilities of leaving."""
    gain = 0.0
    for decisions in range(len(payoff)):
        weight = 1.0 if (decisions >> player) & 1 else -1.0
        for other in range(len(chance)):
            if other != player:
                weight *= chance[other] if (decisions >> other) & 1 else 1 - chance[other]
        gain += weight * payoff[decisions, player]
    return gain


@jit
def make_indifferent(payoff, kinds, chance):
    """Solve the indifference conditions of the players who mix by Newton's method, in place in `chance`."""
    players = len(chance)
    matrix = np.zeros((players, players + 1))
    for _ in range(_STEPS):
        for i in range(players):
            for j in range(players):
                matrix[i, j] = 1.0 if i == j else 0.0
                if kinds[i] == _MIXED:
                    before = chance[j]
                    chance[j] = LEAVE
                    slope = gain_of_leaving(payoff, i, chance)
                    chance[j] = CONTINUE
                    matrix[i, j] = slope - gain_of_leaving(payoff, i, chance) if kinds[j] == _MIXED else 0.0
                    chance[j] = before
            matrix[i, players] = -gain_of_leaving(payoff, i, chance) if kinds[i] == _MIXED else 0.0
        if not eliminate(matrix, players):
            return
        change = 0.0
        for i in range(players):
            chance[i] += matrix[i, players]
            change = max(change, abs(matrix[i, players]))
        if change < 1e-15 or change > 1e3:
            return


@jit
def eliminate(matrix, size):
    """Solve a linear system by Gauss-Jordan elimination, the solution in the last column; return False if singular."""
    for column in range(size):
        pivot = column
        for row in range(column + 1, size):
            if abs(matrix[row, column]) > abs(matrix[pivot, column]):
                pivot = row
        if abs(matrix[pivot, column]) < 1e-14:
            return False
        for place in range(size + 1):
            matrix[column, place], matrix[pivot, place] = matrix[pivot, place], matrix[column, place]
        for row in range(size):
            if row != column:
                factor = matrix[row, column] / matrix[column, column]
                for place in range(column, size + 1):
                    matrix[row, place] -= factor * matrix[column, place]
    for row in range(size):
        matrix[row, size] /= matrix[row, row]
    return True
