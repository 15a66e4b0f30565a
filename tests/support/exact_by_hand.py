"""Exact solution of one expedition in fractions, by recursion over the oracle."""

from collections.abc import Callable
from fractions import Fraction
from math import comb

from tests.support.oracle import Oracle

Policy = Callable[[Oracle], Fraction]


def next_cards(game: Oracle) -> list[tuple[Fraction, int | str]]:
    """Return the chance outcomes with their probabilities."""
    return [(Fraction(copies, len(game.deck)), card) for card, copies in game.deck_counts.items()]


def after(game: Oracle, card: int | str) -> Oracle:
    game = game.copy()
    game.reveal(card)
    return game


def left(game: Oracle, leaving: set[int]) -> Oracle:
    game = game.copy()
    game.decide(leaving)
    return game


def single_player_value(game: Oracle) -> Fraction:
    """Return a single player's optimal final chest; `game` is before a reveal."""
    if game.over:
        return Fraction(game.players[0].chest)
    total = Fraction(0)
    for chance, card in next_cards(game):
        then, expedition = after(game, card), game.expedition
        if then.over or then.expedition > expedition:
            total += chance * single_player_value(then)
        else:
            total += chance * max(single_player_value(left(then, {0})), single_player_value(left(then, set())))
    return total


def seat_value(game: Oracle, decide: Callable[[Oracle, list[Fraction], list[Fraction]], Fraction]) -> Fraction:
    """Return the gems that the last player inside will bank; `game` is before a reveal, all inside are symmetric.

    `decide` returns the player's payoff from the state and the payoffs of LEAVE and CONTINUE by the number of other
    leavers.
    """
    total = Fraction(0)
    for chance, card in next_cards(game):
        then = after(game, card)
        if not then.over:
            inside = [seat for seat, player in enumerate(then.players) if player.inside]
            *others, me = inside
            leave, stay = [], []
            for leavers in range(len(others) + 1):
                gone = set(others[:leavers])
                leave.append(Fraction(left(then, {me, *gone}).players[me].banked))
                stay.append(seat_value(left(then, gone), decide))
            total += chance * decide(then, leave, stay)
    return total


def binomial_mean(payoffs: list[Fraction], chance: Fraction) -> Fraction:
    others = len(payoffs) - 1
    terms = [comb(others, j) * chance**j * (1 - chance) ** (others - j) * payoffs[j] for j in range(others + 1)]
    return sum(terms, Fraction(0))


def best_response_to(policy: Policy):
    """Return the best response to others who leave with this probability."""

    def decide(game, leave, stay):
        chance = policy(game)
        return max(binomial_mean(leave, chance), binomial_mean(stay, chance))

    return decide


def everyone_plays(policy: Policy):
    def decide(game, leave, stay):
        chance = policy(game)
        return chance * binomial_mean(leave, chance) + (1 - chance) * binomial_mean(stay, chance)

    return decide


def equilibrium_chance(leave: list[Fraction], stay: list[Fraction]) -> Fraction:
    """Return the lowest probability of leaving of an equilibrium, for one or two inside."""
    assert len(leave) <= 2
    gain = [a - b for a, b in zip(leave, stay, strict=True)]
    if gain[0] <= 0:
        return Fraction(0)
    return gain[0] / (gain[0] - gain[-1]) if gain[-1] < 0 else Fraction(1)


def two_player_equilibrium(game, leave, stay):
    """Return the value of the equilibrium with the lowest probability of leaving, for one or two inside."""
    chance = equilibrium_chance(leave, stay)
    return binomial_mean(leave if chance else stay, chance)
