"""Values, best responses and NashConv of `diamant_env.exact` against OpenSpiel's."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import CONTINUE, LEAVE, Edition, exact
from diamant_env.opponents import make_agent
from diamant_env.rewards import REWARDS
from tests.support.play import every, text_of

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import expected_game_score, exploitability, gambit  # noqa: E402

import diamant_env.open_spiel as spiel  # noqa: E402

PAIRS = Edition("pairs", (3, 5), ("mud",), trap_copies=2, expeditions=1)
TRIPLE = Edition("triple", (7,), ("mud",), trap_copies=3, relics=(4,), relic_values="printed", expeditions=1)
RELICS = Edition("relics", (5,), ("mud",), trap_copies=2, relics=(3, 7), expeditions=1)
TWO_TRAPS = Edition("two traps", (8,), ("mud", "wind"), trap_copies=2, expeditions=1)
EDITIONS = [PAIRS, TRIPLE, RELICS, TWO_TRAPS]
TWICE = Edition("twice", (5,), ("mud",), trap_copies=3, expeditions=2)
LATE_TWICE = replace(TWICE, name="twice, late relic", relics=(3,), relics_enter="expedition")
RELICS_TWICE = replace(TWICE, name="twice, relic", relics=(3,))
THRICE = replace(TWICE, name="thrice", trap_copies=4, expeditions=3)
RELICS_KEPT = replace(RELICS, expeditions=2, relics=(3,), bust_removes=0, tie_break="relics", hidden_chests=True)
SEATS = ("ev:0", "random:0.3", "catch-up")
AGENTS = ["ev:0", "random:0.3"]


def load(edition, players, turn_based=False, **parameters):
    given = {"players": players, "edition": text_of(edition), **parameters}
    game = pyspiel.load_game("python_diamant", given)
    return pyspiel.convert_to_turn_based(game) if turn_based else game


def evaluated(game, profile) -> tuple[np.ndarray, float]:
    """Return the values of a self-play profile and its NashConv, by OpenSpiel alone."""
    together = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    policies = profile if together else [profile] * game.num_players()
    values = expected_game_score.policy_value(game.new_initial_state(), policies)
    return np.array(values), exploitability.nash_conv(game, profile, use_cpp_br=False)


class Cached(policy.Policy):
    def __init__(self, game, ask):
        super().__init__(game, list(range(game.num_players())))
        self.ask, self.known = ask, {}

    def action_probabilities(self, state, player_id=None):
        player = state.current_player() if player_id is None else player_id
        key = state.information_state_string(player)
        if key not in self.known:
            self.known[key] = self.ask(state, player)
        return self.known[key]


def solved(game, solution_of) -> Cached:
    """Return the policy of the solution that `solution_of` returns for states, records (1,)."""

    def ask(state, player):
        if state.legal_actions(player) == [CONTINUE]:
            return {CONTINUE: 1.0}
        now = state if hasattr(state, "position") else state.simultaneous_game_state()
        record = np.array([now.position.state])
        leave = float(solution_of(record).leave_probability(record)[0])
        return {CONTINUE: 1 - leave, LEAVE: leave}

    return Cached(game, ask)


@every(EDITIONS)
@pytest.mark.parametrize("players", [2, 3])
def test_values_agree_and_equilibrium_has_no_nash_conv(edition, players):
    tree = exact.build_tree(exact.start_of_expedition(edition, players), edition, merge_traps=False)
    game, turns = load(edition, players, recall="state"), load(edition, players, turn_based=True)
    largest = 0.0
    for number, agent in enumerate(AGENTS):
        for played in (game, turns) if number == 0 else (game,):
            own = spiel.AgentPolicy(played, agent)
            values, gap = evaluated(played, Cached(played, own.action_probabilities))
            response = exact.best_response(exact.policy_of(own.agent, tree), tree)
            largest = max(largest, np.abs(values - response.profile_value).max(), abs(gap - response.nash_conv))
    print(f"largest difference {largest:.3g}")
    assert largest < 1e-9
    solution = exact.solve_equilibrium(players, edition, cache=False)
    values, gap = evaluated(game, solved(game, lambda record: solution))
    np.testing.assert_allclose(values, solution.value, atol=1e-12)
    assert abs(gap) < 1e-12


@pytest.mark.parametrize(
    ("edition", "players"), [(TWICE, 2), (TWICE, 3), (LATE_TWICE, 2), (RELICS_TWICE, 2), (THRICE, 2)]
)
def test_whole_game_agrees(edition, players):
    game, solutions = load(edition, players, recall="state"), {}

    def solution_of(record):
        start = exact.current_expedition(record, edition)[0]
        if start.tobytes() not in solutions:
            found = exact.solve_equilibrium(edition=edition, game=start, cache=False, whole_game=True)
            solutions[start.tobytes()] = found
        return solutions[start.tobytes()]

    values, gap = evaluated(game, solved(game, solution_of))
    value = exact.solve_equilibrium(players, edition, cache=False, whole_game=True).value
    np.testing.assert_allclose(values, value, atol=1e-12)
    assert abs(gap) < 1e-12
    own = spiel.AgentPolicy(game, "bag:3")
    values, gap = evaluated(game, Cached(game, own.action_probabilities))
    tree = exact.build_tree(exact.start_of_expedition(edition, players), edition, merge_traps=False)
    response = exact.best_response(own.agent, tree)
    np.testing.assert_allclose(values, response.profile_value, atol=1e-12)
    assert gap == pytest.approx(response.nash_conv, abs=1e-12)


@pytest.mark.parametrize(
    ("edition", "players", "reward"),
    [*((TWICE, 2, reward) for reward in REWARDS), (TWICE, 3, "score"), (RELICS_KEPT, 2, "win")],
)
def test_small_whole_game_agrees(edition, players, reward):
    whole, shown = exact.WholeGame(edition, players), edition.replace(hidden_chests=False)  # deviators see all
    game = load(shown, players, recall="state", utility=reward)
    table = [agent for agent in SEATS if not (edition.hidden_chests and agent == "catch-up")]
    for names in ([table[-1]] * players, [table[seat % len(table)] for seat in range(players)]):
        own = [spiel.AgentPolicy(game, name) for name in names]
        values, gap = evaluated(
            game, Cached(game, lambda state, seat, own=own: own[seat].action_probabilities(state, seat))
        )
        alike = len(set(names)) == 1
        response = whole.best_response(make_agent(names[0]) if alike else list(map(make_agent, names)), reward)
        np.testing.assert_allclose(values, response.profile_value, atol=1e-12)
        assert abs(gap - response.nash_conv) < 1e-12


@every([TWICE, THRICE])
def test_minimax_has_no_nash_conv(edition):
    game = load(edition, 2, recall="state", utility="win")
    values, gap = evaluated(game, Cached(game, spiel.AgentPolicy(game, "minimax").action_probabilities))
    np.testing.assert_allclose(values, np.mean(values), atol=1e-12)
    assert abs(gap) < 1e-6  # the agent's probabilities are float32


def cfr_plus(game, iterations):
    """Return values and NashConv of the average policy of CFR+ (C++) on the tree exported as EFG."""
    tree = pyspiel.load_efg_game(gambit.export_gambit(game))
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.tabular_average_policy()
    return pyspiel.expected_returns(tree.new_initial_state(), average, -1, True), pyspiel.nash_conv(tree, average)


@pytest.mark.parametrize(
    ("players", "found", "symmetric"), [(2, (2.390, 2.333), 2.120), (3, (1.479, 1.479, 1.5), 1.217)]
)
def test_cfr_plus_finds_better_paying_equilibria(players, found, symmetric):
    """As docs/exact.md says."""
    values, gap = cfr_plus(load(PAIRS, players, turn_based=True), 1_000)
    assert exact.solve_equilibrium(players, PAIRS, cache=False).value == pytest.approx(symmetric, abs=5e-4)
    np.testing.assert_allclose(sorted(values), sorted(found), atol=5e-4)
    assert gap < 1e-4
