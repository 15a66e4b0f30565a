"""Two players for the win: against all states of small whole games, and the shipped solution against its recursion."""

from dataclasses import replace

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Edition, Observations, exact
from diamant_env.engine.records import as_bytes
from diamant_env.exact import two_player_win as win
from diamant_env.exact.induction import EQUILIBRIUM
from diamant_env.exact.whole import values
from diamant_env.opponents import make_agent
from diamant_env.rewards import reward_code
from diamant_env.state import DECIDE, REVEAL
from tests.support.play import SCALE, every

CARDS_30 = EDITIONS["iello-2016-fr"]
REPEATED = Edition("repeated", (5, 5), ("mud", "wind"), trap_copies=2, expeditions=2)
THRICE = Edition("thrice", (4, 7), ("mud",), expeditions=2)
BOXES = [
    REPEATED,
    THRICE,
    Edition("three kinds", (7,), ("mud", "wind", "sand"), trap_copies=2, expeditions=2),
    Edition("odd and even", (3, 8), ("mud", "wind"), expeditions=2),
    Edition("both traps leave", (5,), ("mud", "wind"), trap_copies=4, expeditions=3, bust_removes=2),
    Edition("no trap leaves", (3, 4), ("mud",), expeditions=3, bust_removes=0, tie_break="relics"),
    Edition("five and seven", (5, 7), ("mud", "wind"), trap_copies=2, expeditions=2),
]


def by_seat(games, seat):
    """Return states from the view of a seat of two."""
    games = games.copy()
    if seat:
        for name in ("chest", "inside", "left_turn"):
            games[name][:, :2] = games[name][:, 1::-1]
    return games


@every(BOXES)
def test_small_game_is_solved_at_every_state(edition):
    whole, solution = exact.WholeGame(edition, 2), exact.solve_two_player_win(edition, cache=False)
    games, value = whole.graph.games, np.zeros((len(whole.graph.states), 1, 2))
    policy = np.zeros_like(value)
    values.induce_values(
        whole.graph, as_bytes(whole._edition_params), reward_code("win", 2), values.EQUILIBRIUM, policy, value
    )
    policy = np.zeros((len(games), 2))
    for seat in (0, 1):
        nodes = np.flatnonzero((games["phase"] == DECIDE) & (games["inside"][:, seat] != 0))
        stay, leave, policy[nodes, seat] = np.transpose([*map(solution.action_values, by_seat(games[nodes], seat))])
        chance = policy[nodes, seat]
        np.testing.assert_allclose(stay + chance * (leave - stay), value[nodes, 0, seat], atol=1e-12)
    assert abs(whole.best_response(policy, "win").nash_conv) < 1e-12
    assert solution.error < 1e-12
    np.testing.assert_allclose(whole.policy_of(make_agent("minimax")), policy, atol=1e-6)
    starts = games[(games["phase"] == REVEAL) & (games["turn"] == 0)]
    leads = starts["chest"][:, 0].astype(int) - starts["chest"][:, 1]
    found = [solution.win_shares(start, np.array([lead]))[0] for start, lead in zip(starts, leads, strict=True)]
    np.testing.assert_allclose(found, value[(games["phase"] == REVEAL) & (games["turn"] == 0), 0, 0], atol=1e-12)


def test_shipped_solution_is_that_of_its_recursion():
    solution = exact.solve_two_player_win(CARDS_30)
    assert solution.error < 1e-12
    for number, (deck, game) in enumerate(win.expeditions_of(CARDS_30).items()):
        shares, most = solution.shares[deck], len(solution.shares[deck]) // 2
        np.testing.assert_allclose(shares + shares[::-1], 1, atol=1e-12)
        assert (np.diff(shares) >= 0).all()
        if SCALE < 100 and number % 4:
            continue
        expedition = win.expedition_from(game, most, solution)
        for lead in range(-most, most + 1) if SCALE >= 100 else [7 * number % (most + 1)]:
            error, payoffs = win.induce(expedition, lead, win.NO_POLICY, EQUILIBRIUM)
            assert error < 1e-12
            assert payoffs.both_stay == pytest.approx(shares[most + lead], abs=1e-12)


def test_other_editions_of_the_deck_are_shipped_too(monkeypatch):
    monkeypatch.setattr(win, "induce", None)
    whole = exact.solve_two_player_win("schmidt-2005")
    three = exact.solve_two_player_win(replace(CARDS_30, name="three", expeditions=3))
    assert {deck.expedition for deck in three.shares} == {1, 2, 3}
    for deck, shares in three.shares.items():
        np.testing.assert_array_equal(shares, whole.shares[deck._replace(expedition=deck.expedition + 2)])


def test_solution_is_cached(tmp_path, monkeypatch):
    monkeypatch.setattr("diamant_env.exact.equilibrium.cache_folder", lambda: tmp_path)
    first, done = exact.solve_two_player_win(REPEATED), []
    monkeypatch.setattr(win, "induce", None)
    again = exact.solve_two_player_win(REPEATED, done.append)
    assert again.error == first.error
    for deck, shares in first.shares.items():
        np.testing.assert_array_equal(again.shares[deck], shares)


@pytest.mark.parametrize("name", ["ev:0", "bag:6", "random:0.3", "minimax"])
def test_best_response_is_that_of_the_small_game(name):
    """To an agent in joint decisions that plays optimally alone."""
    whole, solution, agent = exact.WholeGame(REPEATED, 2), exact.solve_two_player_win(REPEATED), make_agent(name)
    policy, games = whole.policy_of(agent), whole.graph.games
    result = exact.guaranteed_by(agent, solution)
    lone = result.guaranteed
    for seat in (0, 1):
        nodes = np.flatnonzero(
            (games["num_inside"] == 1) & (games["inside"][:, seat] != 0) & (games["phase"] == DECIDE)
        )
        policy[nodes, seat] = [lone.action_values(game)[2] for game in by_seat(games[nodes], seat)]
    assert 1 - result.value == pytest.approx(whole.best_response(policy, "win").value, abs=1e-6)
    assert result.least.value == result.value
    assert exact.guaranteed_by(agent, solution, bounds=False).value == result.value
    bound = exact.guaranteed_by(agent, solution, max_lead=3)
    assert bound.least.value - 1e-6 <= result.value <= bound.value + 1e-6


@pytest.mark.parametrize("name", ["ev:0", "bag:6", "random:0.3", "minimax"])
def test_value_against_minimax_is_that_of_the_small_game(name):
    whole, solution = exact.WholeGame(REPEATED, 2), exact.solve_two_player_win(REPEATED)
    joint, result = whole.policy_of(make_agent(name)), exact.guaranteed_by(make_agent(name), solution)
    policies, games = [joint, whole.policy_of(make_agent("minimax"))], whole.graph.games
    alone = (games["num_inside"] == 1) & (games["phase"] == DECIDE)
    for seat in (0, 1):
        nodes = np.flatnonzero(alone & (games["inside"][:, seat] != 0))
        for policy, solved in ((policies[0], result.against_minimax), (policies[1], _of_rival(result.against_minimax))):
            policy[nodes, seat] = [solved.action_values(game)[2] for game in by_seat(games[nodes], seat)]
    value = whole.best_response(policies, "win").profile_value
    assert result.against_minimax.value == pytest.approx(value[0], abs=1e-6)


def _of_rival(solution):
    """Return the rival's win shares by its lead."""
    return exact.TwoPlayerWin(solution.edition, {deck: 1 - shares[::-1] for deck, shares in solution.shares.items()})


@pytest.mark.parametrize("edition", ["iello-2016", replace(CARDS_30, name="hidden", hidden_chests=True)])
def test_unsolved_editions_are_refused(edition):
    with pytest.raises(ValueError, match="without"):
        exact.solve_two_player_win(edition)


def test_unsolved_tables_and_states_are_refused():
    rows = Batch(1, 3, CARDS_30).reset(seed=1)
    with pytest.raises(ValueError, match="tables"):
        make_agent("minimax").act(Observations(rows[0], CARDS_30), np.ones(3, bool))
    batch = Batch(1, 2, CARDS_30)
    batch.reset(seed=1)
    game = batch.games.copy()
    game["deck"][0, 0] += 1
    with pytest.raises(ValueError, match="cards"):
        exact.solve_two_player_win(CARDS_30).leave_probability(game)
