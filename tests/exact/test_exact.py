"""Exact solutions against fractions on tiny decks, known figures and simulated games."""

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Edition, exact
from diamant_env.evaluation import evaluate
from diamant_env.evaluation.games import play, seeds_for
from diamant_env.exact import equilibrium
from diamant_env.exact.induction import EQUILIBRIUM, lowest_equilibrium, solve
from diamant_env.exact.lookahead import mean
from diamant_env.exact.response import games_at
from diamant_env.exact.tree import values_with
from diamant_env.opponents import SeatedAgents, make_agent
from tests.envs.test_gym_vector import Counting
from tests.support import exact_by_hand as by_hand
from tests.support.oracle import Oracle
from tests.support.play import Play, every

CARDS_30 = EDITIONS["iello-2016-fr"]
ONE = replace(CARDS_30, name="one expedition", expeditions=1)
TINY = Edition(name="tiny", treasures=(5, 8), traps=("mud", "wind"), trap_copies=2, expeditions=1)
TINY_RELICS = replace(TINY, name="tiny, relics", treasures=(5,), relics=(3, 7))
TINY_PRINTED = replace(TINY_RELICS, name="tiny, printed relic", relics=(4,), relic_values="printed")
TINY_TWICE = replace(TINY, name="tiny, twice", treasures=(5,), expeditions=2)
TINY_LATE = replace(TINY_TWICE, name="tiny, twice, relic", relics=(6,), relics_enter="expedition")
TINY_KEPT = replace(TINY_TWICE, name="tiny, twice, relics", traps=("mud",), relics=(3, 7), bust_removes=0)
TINY_UNEQUAL = replace(TINY_TWICE, name="tiny, three", trap_copies=3, expeditions=3)
HALF = Edition(name="half", treasures=(5, 5), traps=("mud",), trap_copies=2, expeditions=1)
SMALL_LONG = Edition(name="small, long", treasures=(1, 5, 7, 9, 17), traps=("a", "b", "c"), expeditions=4)
SMALL_RELICS = replace(SMALL_LONG, name="small, long, relics", relics=(5, 10), relics_enter="expedition")
SMALL = Edition(name="small", treasures=(1, 4, 5, 7, 9, 11, 17), traps=("a", "b", "c"), relics=(5, 10), expeditions=1)


def tree_of(edition: Edition, players: int, merge: bool = True) -> exact.ExpeditionTree:
    return exact.build_tree(exact.start_of_expedition(edition, players), edition, merge)


def solved(x: exact.ExpeditionTree) -> tuple[float, np.ndarray, float]:
    """Return the value at the start, the policy and the largest error at a node."""
    values, policy, nodes = (
        values_with(x, np.zeros(x.boxes.size)),
        np.zeros(x.boxes.size),
        np.flatnonzero(exact.reachable(x)),
    )
    solution = exact.Solution(x, values, solve(x, EQUILIBRIUM, values))
    policy[nodes] = solution.leave_probability(games_at(x, nodes))
    return solution.value, policy, solution.error


def act_by_bag(obs, episode_start):
    """Leave with a probability, in quarters, that depends on several fields."""
    return ((obs["bag"] + obs["path_gems"] + obs["num_inside"] + obs["turn"]) % 5 / 4).astype(np.float32)


def by_bag(game: Oracle) -> Fraction:
    bag = max(player.bag for player in game.players)
    return Fraction((bag + game.path_gems + len(game.inside) + game.turn) % 5, 4)


@every([TINY, TINY_RELICS, TINY_PRINTED, TINY_TWICE, TINY_LATE, TINY_KEPT])
def test_lone_player_equals_fractions(edition):
    whole = edition.expeditions > 1
    solutions = (
        exact.solve_single_player(edition, whole_game=whole),
        exact.solve_equilibrium(1, edition, cache=False, whole_game=whole),
    )
    known = float(by_hand.single_player_value(Oracle(edition, 1)))
    assert [each.value for each in solutions] == pytest.approx([known] * 2, abs=1e-12)


@pytest.mark.parametrize(
    ("edition", "cards", "turns"), [(TINY_UNEQUAL, ["mud", "mud", "mud", "wind"], 2), (TINY_KEPT, ["relic", 5], 1)]
)
def test_lone_player_with_cards_on_the_path(edition, cards, turns):
    """Unequal traps: one mud card and two wind cards end the expedition. A relic of value 3 before the start."""
    game = reduce(by_hand.after, cards, Oracle(edition, 1))
    begun = {"edition": edition, "game": Play(cards, 1, edition).all_continue(turns).game, "whole_game": True}
    found = exact.solve_single_player(**begun), exact.solve_equilibrium(**begun, cache=False)
    known = float(max(by_hand.single_player_value(game), by_hand.single_player_value(by_hand.left(game, {0}))))
    assert [each.value for each in found] == pytest.approx([known] * 2, abs=1e-12)


def test_lone_player_value_is_17_339875():
    solution = exact.solve_single_player("iello-2016-fr")
    assert solution.value == pytest.approx(17.339875, abs=5e-7)
    alone = tree_of(CARDS_30, 1)
    assert solved(alone)[0] == pytest.approx(solution.value, abs=1e-9)
    for text in ("ev:0", "ev:1", "ev-others-stay:0.5"):  # one-step lookahead is optimal here
        response = exact.best_response(exact.policy_of(make_agent(text), alone), alone)
        assert response.profile_value == pytest.approx(solution.value, abs=1e-9)


@pytest.mark.parametrize("players", [1, 2, 3])
@every([TINY, TINY_RELICS])
def test_best_response_equals_fractions(edition, players):
    best = by_hand.seat_value(Oracle(edition, players), by_hand.best_response_to(by_bag))
    profile = by_hand.seat_value(Oracle(edition, players), by_hand.everyone_plays(by_bag))
    for merge in (True, False):
        x = tree_of(edition, players, merge)
        response = exact.best_response(exact.policy_of(SimpleNamespace(act=act_by_bag), x), x)
        assert response.value == pytest.approx(float(best), abs=1e-12)
        assert response.profile_value == pytest.approx(float(profile), abs=1e-12)
        assert response.nash_conv == pytest.approx(players * float(best - profile), abs=1e-11)


@pytest.mark.parametrize(
    ("edition", "players", "known"), [(CARDS_30, 2, 8.963618), *((SMALL, players, None) for players in range(2, 7))]
)
def test_equilibrium_has_no_deviation_gain(edition, players, known):
    x = tree_of(edition, players)
    value, policy, error = solved(x)
    assert known is None or value == pytest.approx(known, abs=5e-7)
    assert error < 1e-9
    response = exact.best_response(policy, x)
    assert response.exploitability == pytest.approx(0, abs=1e-9)
    assert response.value == pytest.approx(value, abs=1e-9)


def test_lowest_root_of_random_polynomials():
    rng = np.random.default_rng(5)
    leave, stay = np.zeros((2, 8))
    for others in rng.integers(1, 8, 300):
        leave[: others + 1], stay[: others + 1] = rng.normal(size=(2, others + 1))
        chance = lowest_equilibrium(leave[None], stay[None], 0, others)
        grid = np.linspace(0, 1, 501)
        *gains, found = (mean((leave - stay)[None], 0, others, at) for at in [*grid, chance])
        assert (chance == 0) == (gains[0] <= 0)
        assert abs(found) < 1e-12 or (chance == 0 and found < 0) or (chance == 1 and found > 0)
        assert (np.array(gains)[grid < chance] > 0).all()
    # 1 - 4q + 4q² = (1 - 2q)², in Bernstein form 1, -1, 1, touches zero and has its root there.
    touching, zero = np.array([[1.0, -1, 1]]), np.zeros((1, 3))
    assert lowest_equilibrium(touching, zero, 0, 2) == pytest.approx(0.5, abs=1e-9)


def test_tie_rule_of_choices():
    equal, more = np.full((1, 8), 5.0), np.full((1, 8), 6.0)
    more[0, 0] = 5  # equal if no other seat leaves
    assert lowest_equilibrium(more, equal, 0, 3) == 0
    game = Play([5, "mud"], 1, HALF).all_continue().game  # 5 gems, or 10 half of the time
    found = exact.solve_single_player(HALF)
    assert found.leave_probability(game[None]).tolist() == [1]
    assert found.expected_busts == pytest.approx(1 / 6)  # mud, then mud


def test_best_response_mid_expedition():
    """The policy leaves with 5 gems; one more card is safe and better: 1/3 · 10 + 2/3 · 5."""
    tree = exact.build_tree(Play([5], 1, HALF).game, HALF)
    response = exact.best_response(exact.policy_of(make_agent("bag:1"), tree), tree)
    assert (response.profile_value, response.value) == pytest.approx((5, 20 / 3))


@pytest.mark.parametrize(
    ("agent", "players", "edition"), [("single-player", 1, SMALL_RELICS), ("equilibrium", 3, TINY_LATE)]
)
def test_agent_scores_exact_value(agent, players, edition):
    seating = np.zeros((2_000, players), int)
    scores = play([agent], seating, 8_000, seeds_for(11, "exact"), edition).scores.mean(axis=1)
    solution = exact.solve_equilibrium(players, edition, whole_game=edition.expeditions > 1)
    assert abs(scores.mean() - solution.value) < 4 * scores.std() / np.sqrt(len(scores))


def test_equilibrium_agent_plays_edition_of_each_game():
    editions = [HALF, SMALL] * 10
    batch = Batch(20, 2, editions)
    batch.reset(seed=2)
    observations, _, _ = batch.step(np.zeros((20, 2), np.int8))
    leave = SeatedAgents(batch, [make_agent("equilibrium")], np.zeros((20, 2), int)).leave_probabilities(observations)
    for game in np.flatnonzero(~batch.over):
        expected = exact.solve_equilibrium(2, editions[game]).leave_probability(batch.games[game : game + 1])
        np.testing.assert_array_equal(leave[game], np.repeat(expected, 2).astype(np.float32))
    assert leave.max() > 0


@every([ONE, EDITIONS["iello-2016"].replace(expeditions=1)])
@pytest.mark.parametrize("begun", [False, True])
def test_policy_rows_equal_played_observations(edition, begun):
    small = replace(edition, treasures=SMALL.treasures, traps=("a", "b", "c"))
    shown, start = set(), exact.start_of_expedition(small, 3)
    batch = Batch(500, 3, small.replace(hidden_rivals=True))
    rows, rng, met = batch.reset(seed=2), np.random.default_rng(2), 0
    if begun:
        start = Play(["relic" if small.relics else 1, "a", 5], 3, small).play("0 -").game
        games = np.repeat(start[None], 500)
        games["key"] = np.arange(500)
        batch.set_states(games)
        rows = batch.observe()

    def act(obs, episode_start):
        shown.update(row.tobytes() for row in obs.flat)
        return np.zeros(len(obs.flat), np.float32)

    exact.policy_of(SimpleNamespace(act=act), exact.build_tree(start, small, merge_traps=False))
    while not batch.over.all():
        deciding = rows[rows[:, :, 0] == 1]
        assert all(row.tobytes() in shown for row in deciding)
        met += len(deciding)
        rows, _, _ = batch.step((rng.random((500, 3)) < 0.3).astype(np.int8))
    assert met > 1000


def test_solution_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("diamant_env.exact.equilibrium.cache_folder", lambda: tmp_path)
    first = exact.solve_equilibrium(2, TINY)
    exact.solve_equilibrium(3, TINY)
    exact.solve_equilibrium(2, TINY_RELICS)
    exact.solve_equilibrium(2, replace(TINY_RELICS, relics=(3, 8)))  # the same deck
    exact.solve_equilibrium(2, replace(TINY_RELICS, bust_removes=2))
    exact.solve_equilibrium(2, TINY.replace(hidden_chests=True))  # the same values
    begun = Play([8], 2, TINY).game
    exact.solve_equilibrium(edition=TINY, game=begun)
    for name in ("bag", "path_gems"):
        richer = begun.copy()
        richer[name] += 3
        exact.solve_equilibrium(edition=TINY, game=richer)
    files = list(tmp_path.rglob("*.values"))
    assert len(files) == 8
    monkeypatch.setattr("diamant_env.exact.equilibrium.solve", None)  # not needed any more
    np.testing.assert_array_equal(exact.solve_equilibrium(2, TINY).values, first.values)
    monkeypatch.undo()
    for place in (None, files[0] / "folder"):  # no place, or one that can't be written: no error
        monkeypatch.setattr("diamant_env.exact.equilibrium.cache_folder", lambda place=place: place)
        np.testing.assert_array_equal(exact.solve_equilibrium(2, TINY).values, first.values)


ALONE = Play([5, 8], 2, TINY).leave(0).game
MANY = Edition(name="many", treasures=[*range(1, 17)] * 3, traps=tuple("abcdefgh"), trap_copies=4)
BOX = Edition("box", treasures=(*range(1, 17), *range(1, 10)), traps=tuple("abcdefgh"), relics=(5,) * 5)  # 15 GB
PRINTED = replace(EDITIONS["iello-2016-fr-relics"], relics_enter="start")


@pytest.mark.parametrize(
    ("solver", "edition", "arguments"),
    [
        (exact.solve_equilibrium, PRINTED, {"num_players": 2}),
        (exact.solve_equilibrium, "iello-2016", {"num_players": 8}),
        (exact.solve_equilibrium, BOX, {"num_players": 8}),
        (exact.solve_equilibrium, TINY, {"game": Play([5, 8], 2, TINY).play("0 1").game}),  # it is over
        (exact.solve_single_player, TINY, {"game": exact.start_of_expedition(TINY, 2)}),
        (exact.solve_single_player, TINY, {"game": ALONE, "whole_game": True}),
        (exact.solve_single_player, MANY, {}),
    ],
)
def test_unsolvable_game_is_refused(solver, edition, arguments):
    with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
        solver(edition=edition, **arguments)


class Follower:
    """Agent that leaves once fewer are inside than at its last decision: equal repeated observations show no change."""

    def act(self, obs, episode_start):
        before = np.where(episode_start, 0, getattr(self, "inside", np.zeros(len(episode_start))))
        self.inside = obs["num_inside"]
        return (self.inside < before).astype(np.float32)


def test_invalid_policy_or_state_is_refused():
    x = tree_of(TINY, 2)
    for policy in (np.zeros(3), np.full(x.boxes.size, np.nan)):
        with pytest.raises(ValueError, match="policy"):
            exact.best_response(policy, x)
    with pytest.raises(ValueError, match="probability"):
        exact.policy_of(SimpleNamespace(act=lambda obs, episode_start: np.full(len(obs.flat), 1.5, np.float32)), x)
    for agent in (make_agent("mixture:10,20"), make_agent(Counting()), make_agent(Follower())):
        with pytest.raises(ValueError, match="differently"):
            exact.policy_of(agent, tree_of(SMALL, 2))
    with pytest.raises(ValueError, match="hides"):
        exact.policy_of(make_agent("catch-up"), x)
    with pytest.raises(ValueError, match="nodes"):
        exact.policy_of(make_agent("bag:1"), x, nodes=np.ones(x.boxes.size + 1, bool))
    batch = Batch(1, 2, SMALL)
    batch.reset(seed=1)
    for players, solution in ((1, exact.solve_single_player(TINY)), (2, exact.solve_equilibrium(2, TINY, cache=False))):
        before = np.array([exact.start_of_expedition(TINY, players)])  # the first card
        for games in (batch.games, before):
            with pytest.raises(ValueError, match="game 0"):
                solution.leave_probability(games)


def test_state_of_another_expedition_or_table_is_refused():
    edition = replace(TINY_UNEQUAL, bust_removes=0)  # all decks are alike
    second = Play([5, 5], 2, edition).leave(0, 1).game[None]
    one_inside = Play([1, 4, 7], 3, SMALL).all_continue().leave(0, 1).game[None]  # as one of two players
    alone = Play([17, 5], 3, SMALL).leave(0, 1).game[None]
    for solution in (
        exact.solve_equilibrium(2, edition, cache=False, whole_game=True),
        exact.solve_single_player(edition),
    ):
        with pytest.raises(ValueError, match="expedition"):
            solution.leave_probability(second)
    with pytest.raises(ValueError, match="tree"):
        exact.solve_equilibrium(2, SMALL, cache=False).strategy().leave_probability(one_inside)
    with pytest.raises(ValueError, match="players"):
        exact.solve_single_player(SMALL).leave_probability(alone)


def test_agent_equals_solution_where_printed_relics_lie_on_the_path():
    edition = replace(TINY_PRINTED, relics=(5, 7), relics_enter="expedition")
    tree = tree_of(edition, 2)
    policy = exact.policy_of(make_agent("equilibrium"), tree)
    solution = exact.solve_equilibrium(2, edition, cache=False)
    np.testing.assert_allclose(policy, np.where(exact.reachable(tree), solution.policy(), 0), atol=1e-6)


def test_only_fatal_cards_are_left():
    game = Play([5, 8, "mud", "wind"], 2, TINY).all_continue().all_continue().all_continue().game
    before = game.tobytes()
    assert exact.solve_equilibrium(game=game, edition=TINY, cache=False).value == 2 + 4
    assert game.tobytes() == before
    twice, later = replace(TINY, expeditions=2), exact.solve_equilibrium(2, TINY, cache=False).value
    whole = exact.solve_equilibrium(game=game, edition=twice, cache=False, whole_game=True)
    assert whole.value == pytest.approx(2 + 4 + later, abs=1e-12)
    alone = Play([5, 8, "mud", "wind"], 1, TINY).all_continue().all_continue().all_continue().game
    assert exact.solve_single_player(TINY, alone).value == 13


def test_agent_advises_no_solution_that_is_too_large(monkeypatch):
    with pytest.raises(ValueError, match="diamant exact"):
        evaluate("equilibrium", "equilibrium", games=2, players=2)
    monkeypatch.setattr(equilibrium, "MAX_NODES", 100)
    with pytest.raises(ValueError, match="too large"):
        evaluate("equilibrium", "equilibrium", games=2, players=2)
    late = replace(TINY_UNEQUAL, relics=(6, 6), relics_enter="expedition")  # 57 nodes, later up to 144
    monkeypatch.setattr(equilibrium, "MAX_NODES", 150)
    with pytest.raises(ValueError, match="in expedition 2, at most"):
        exact.solve_equilibrium(2, late, cache=False, whole_game=True)
    exact.solve_equilibrium(2, replace(late, expeditions=2), cache=False, whole_game=True)  # there it is the last one
