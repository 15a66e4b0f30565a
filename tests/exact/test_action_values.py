"""Data set of action values against fractions on tiny decks and against the solution."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from diamant_env import Edition, Observations, exact
from diamant_env.engine.records import rebuilt
from diamant_env.exact.data_set import MOST_STATES
from diamant_env.judging.regret import regret_on
from diamant_env.opponents import make
from tests.exact.test_exact import SMALL, TINY, compiled_only
from tests.support import exact_by_hand as by_hand
from tests.support.oracle import Oracle
from tests.support.play import every

TINY_RELIC = replace(TINY, name="tiny, a relic", treasures=(5,), relics=(7,))


def by_hand_values(edition: Edition, players: int) -> dict[tuple, tuple]:
    """Return for each state values of CONTINUE and LEAVE, chance of LEAVE and reach probability."""
    found, reach = {}, defaultdict(Fraction)

    def walk(game: Oracle, chance: Fraction) -> None:
        for drawn, card in by_hand.next_cards(game):
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
            key = state_of(then)
            found[key] = by_hand.binomial_mean(stay, q), by_hand.binomial_mean(leave, q), q
            reach[key] += chance * drawn
            everyone = [*others, me]
            for number in range(len(everyone)):
                for leavers in combinations(everyone, number):
                    if (going := q**number * (1 - q) ** (len(everyone) - number)) > 0:
                        walk(by_hand.left(then, set(leavers)), chance * drawn * going)

    walk(Oracle(edition, players), Fraction(1))
    return {key: (*figures, reach[key]) for key, figures in found.items()}


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
@every([TINY, TINY_RELIC])
def test_action_values_equal_fractions(edition, players):
    expected = by_hand_values(edition, players)
    found = exact.action_values(exact.solve_equilibrium(players, edition, cache=False))
    states = states_of(found.observation, edition)
    assert len(states) == len(set(states)) == found.states
    assert set(states) == set(expected)
    for row, state in enumerate(states):
        going_on, leaving, chance, reach = map(float, expected[state])
        assert found.action_value[row].tolist() == pytest.approx([going_on, leaving], abs=1e-12)
        assert found.leave_probability[row] == pytest.approx(chance, abs=1e-12)
        assert found.reach_probability[row] == pytest.approx(reach, abs=1e-12)
    inside = [state[0] for state in states]
    assert found.decisions == pytest.approx(found.reach_probability @ inside, abs=1e-12)
    assert len({round(float(reach), 9) for *_, reach in expected.values()}) > 2


@compiled_only
@pytest.mark.parametrize("players", [2, 4])
def test_action_values_agree_with_solution(players):
    solution = exact.solve_equilibrium(players, SMALL, cache=False)
    found = exact.action_values(solution, MOST_STATES)
    games = rebuilt(found.observation, np.zeros(found.states, np.uint64))
    games["num_players"] = players
    assert solution.leave_probability(games).tolist() == found.leave_probability.tolist()
    going_on, leaving = found.action_value.T
    always, never = found.leave_probability == 1, found.leave_probability == 0
    assert (going_on[never] >= leaving[never] - 1e-9).all()
    assert (leaving[always] >= going_on[always] - 1e-9).all()
    assert np.abs(going_on - leaving)[~always & ~never].max(initial=0) < 1e-9  # indifference if mixed
    first = Observations(found.observation)["turn"] == 1
    assert found.reach_probability[first].sum() == pytest.approx(1)
    assert found.reach_probability[first] @ np.maximum(going_on, leaving)[first] == pytest.approx(solution.value)
    assert (np.diff(found.reach_probability) <= 0).all()


@compiled_only
@pytest.mark.parametrize("players", [2, 3])
def test_sample_is_stratified_by_depth(players):
    solution = exact.solve_equilibrium(players, SMALL, cache=False)
    every_state, found = exact.action_values(solution, MOST_STATES), exact.action_values(solution, per_depth=30)
    assert every_state.weight.sum() == pytest.approx(1)
    assert (found.depth == Observations(found.observation)["turn"]).all()
    assert (np.diff(found.depth) >= 0).all()
    assert found.states == every_state.states == len(every_state.depth)
    sampled = 0
    for depth in np.unique(every_state.depth):
        there, here = every_state.depth == depth, found.depth == depth
        assert found.weight[here].sum() == pytest.approx(every_state.weight[there].sum())
        if there.sum() <= 30:
            assert here.sum() == there.sum()
            assert not found.draws[here].any()
        else:
            sampled += 1
            assert found.draws[here].sum() == 30
    assert sampled >= 3
    np.testing.assert_array_equal(exact.action_values(solution, per_depth=30).observation, found.observation)


@compiled_only
@every([TINY, TINY_RELIC])
def test_regret_equals_hand_calculation(edition):
    data = exact.action_values(exact.solve_equilibrium(2, edition, cache=False), per_depth=1_000)
    by_state = by_hand_values(edition, 2)
    mistakes, decisions = defaultdict(Fraction), defaultdict(Fraction)
    for (inside, *_, depth, _), (going_on, leaving, _, reach) in by_state.items():
        decisions[depth] += reach * inside
        mistakes[depth] += reach * inside * (max(going_on, leaving) - leaving)
    always = regret_on(make("cards:1"), data, edition)
    expected = float(sum(mistakes.values()) / sum(decisions.values()))
    assert expected > 0.5
    assert always.regret["all"].mean == pytest.approx(expected, abs=1e-9)
    assert always.regret["all"].low == always.regret["all"].high
    assert {depth: found.mean for depth, found in always.by_depth.items()} == pytest.approx(
        {depth: float(mistakes[depth] / decisions[depth]) for depth in decisions}, abs=1e-9
    )
    assert regret_on(make("equilibrium"), data, edition).regret["all"].high == pytest.approx(0, abs=1e-6)


@compiled_only
def test_interval_of_sampled_regret_holds_the_whole():
    solution = exact.solve_equilibrium(3, SMALL, cache=False)
    known = regret_on(make("random:0.5"), exact.action_values(solution, per_depth=100_000), SMALL).regret["all"]
    found = regret_on(make("random:0.5"), exact.action_values(solution, per_depth=30), SMALL).regret["all"]
    assert known.low == known.high
    assert found.low < known.mean < found.high < found.low + 0.25 * known.mean


def test_invalid_arguments():
    solution = exact.solve_equilibrium(2, TINY, cache=False)
    for number in (0, 1_000_001):
        with pytest.raises(ValueError, match=f"most={number}"):
            exact.action_values(solution, number)
    with pytest.raises(ValueError, match="per_depth=1"):
        exact.action_values(solution, per_depth=1)
