"""Action values of a solution against fractions on tiny decks."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from diamant_env import Edition, Observations, exact
from diamant_env.exact.response import games_at, observations_at
from tests.exact.test_exact import TINY, TINY_PRINTED, TINY_RELICS
from tests.support import exact_by_hand as by_hand
from tests.support.oracle import Oracle
from tests.support.play import every


def by_hand_values(edition: Edition, players: int) -> dict[tuple, tuple]:
    """Return for each state values of CONTINUE and LEAVE and the chance of LEAVE."""
    found = {}

    def walk(game: Oracle) -> None:
        for _, card in by_hand.next_cards(game):
            then = by_hand.after(game, card)
            if then.over:
                continue
            *others, me = (seat for seat, player in enumerate(then.players) if player.inside)
            leave, stay = [], []
            for number in range(len(others) + 1):
                gone = set(others[:number])
                leave.append(Fraction(by_hand.left(then, {me, *gone}).players[me].banked))
                stay.append(by_hand.seat_value(by_hand.left(then, gone), by_hand.two_player_equilibrium))
            q = by_hand.equilibrium_chance(leave, stay)
            found[state_of(then)] = by_hand.binomial_mean(stay, q), by_hand.binomial_mean(leave, q), q
            everyone = [*others, me]
            for number in range(len(everyone)):
                for leavers in combinations(everyone, number):
                    walk(by_hand.left(then, set(leavers)))

    walk(Oracle(edition, players))
    return found


def state_of(game: Oracle) -> tuple:
    """Return the key of a state, up to permutations of the kinds of trap."""
    bag = max(player.bag for player in game.players)
    on_path = [card for card in game.path if game.is_relic(card)]
    traps = len([card for card in game.path if card in game.edition.traps])
    treasures = sorted(card for card in game.deck if isinstance(card, int))
    return len(game.inside), bag, game.path_gems, len(on_path), traps, len(game.path), tuple(treasures)


def states_of(observation: np.ndarray, edition: Edition) -> list[tuple]:
    obs = Observations(observation)
    slots = np.array(edition.treasure_slots)
    return [
        (
            *(int(obs[name][row]) for name in ("num_inside", "bag", "path_gems", "path_relics")),
            int(obs["traps_on_path"][row].sum()),
            int(obs["turn"][row]),
            tuple(sorted(np.repeat(slots, obs["treasures_left"][row].astype(int)).tolist())),
        )
        for row in range(len(observation))
    ]


@pytest.mark.parametrize("players", [1, 2])
@every([TINY, TINY_RELICS, TINY_PRINTED])
def test_action_values_equal_fractions(edition, players):
    expected = by_hand_values(edition, players)
    solution = exact.solve_equilibrium(players, edition, cache=False)
    games = games_at(solution.tree, np.flatnonzero(exact.reachable(solution.tree)))
    states = states_of(observations_at(games, edition), edition)
    assert len(states) == len(set(states))
    assert set(states) == set(expected)
    found = np.column_stack([solution.action_values(games), solution.leave_probability(games)])
    np.testing.assert_allclose(found, [[float(each) for each in expected[state]] for state in states], atol=1e-12)
