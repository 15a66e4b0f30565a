"""The exact solutions: against fractions on tiny decks, known figures, themselves, and play through the public API."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numba
import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Edition, Observations, diamant_v0, exact, opponents
from diamant_env.editions import FIRST_RELIC
from diamant_env.exact.equilibrium import root_value, solve
from diamant_env.exact.induction import DIFFERENCE, EQUILIBRIUM, lowest_equilibrium, mean
from diamant_env.opponents import make
from diamant_env.opponents.pools import load_pool
from diamant_env.opponents.solved import DifferenceAgent, EquilibriumAgent, LoneAgent
from diamant_env.state import DECIDE, GAME, OVER
from tests.support.exact_by_hand import (
    after,
    answer_to,
    everyone_plays,
    left,
    lone_value,
    next_cards,
    seat_value,
    two_player_equilibrium,
)
from tests.support.oracle import Oracle

CARDS_30 = EDITIONS["iello-2016-fr"]
ONE = replace(CARDS_30, name="one expedition", expeditions=1)
TINY = Edition(name="tiny", treasures=(5, 8), traps=("mud", "wind"), trap_copies=2, expeditions=1)
TINY_RELICS = replace(TINY, name="tiny, relics", treasures=(5,), relics=(3, 7))
TINY_PRINTED = replace(TINY_RELICS, name="tiny, printed relic", relics=(4,), relic_values="printed")
TINY_TWICE = Edition(name="tiny, twice", treasures=(5,), traps=("mud", "wind"), trap_copies=2, expeditions=2)
SMALL_LONG = Edition(name="small, long", treasures=(1, 5, 7, 9, 17), traps=("a", "b", "c"), expeditions=4)
SMALL_RELICS = replace(SMALL_LONG, name="small, long, relics", relics=(5, 10), relics_enter="expedition")
SMALL = Edition(name="small", treasures=(1, 4, 5, 7, 9, 11, 17), traps=("a", "b", "c"), relics=(5, 10), expeditions=1)

compiled_only = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes hours uncompiled")


def tree_of(edition: Edition, players: int, merge: bool = True) -> exact.ExpeditionTree:
    return exact.build_tree(exact.start_of_expedition(edition, players), edition, merge)


def solved(x: exact.ExpeditionTree, mode: int = EQUILIBRIUM) -> tuple[float, np.ndarray, float]:
    """Value at the start, policy and the largest error at a node."""
    values, policy = np.zeros((2, x.boxes.size))
    error = solve(x, mode, values, policy)
    return root_value(x, values), policy, error


class ByBag:
    """Leaves with a probability that depends on all that a policy may depend on, in quarters."""

    def act(self, obs, first):
        return ((obs["bag"] + obs["path_gems"] + obs["num_inside"] + obs["turn"]) % 5 / 4).astype(np.float32)


def by_bag(game: Oracle) -> Fraction:
    bag = max(player.bag for player in game.players)
    return Fraction((bag + game.path_gems + len(game.inside) + game.turn) % 5, 4)


# A player alone.


@pytest.mark.parametrize("edition", [TINY, TINY_RELICS, TINY_PRINTED], ids=lambda edition: edition.name)
def test_a_lone_player_against_fractions(edition):
    assert exact.solve_lone(edition).value == pytest.approx(float(lone_value(Oracle(edition, 1))), abs=1e-12)


@pytest.mark.parametrize("relics", [(), (6,)])
def test_a_lone_players_whole_game_against_fractions(relics):
    edition = replace(TINY_TWICE, relics=relics, relics_enter="expedition")
    solution = exact.solve_lone(edition, whole_game=True)
    assert solution.value == pytest.approx(float(lone_value(Oracle(edition, 1))), abs=1e-12)


@compiled_only
def test_a_lone_player_can_reach_17_339875():
    solution = exact.solve_lone("iello-2016-fr")
    assert solution.value == pytest.approx(17.339875, abs=5e-7)
    alone = tree_of(CARDS_30, 1)
    assert solved(alone)[0] == pytest.approx(solution.value, abs=1e-9)
    assert exact.best_response(exact.policy_of(make("ev:0"), alone), alone).profile_value <= solution.value + 1e-12


@pytest.mark.parametrize("edition", [SMALL_LONG, SMALL_RELICS], ids=lambda edition: edition.name)
def test_a_lone_player_from_any_state(edition):
    """Solving from a state in the middle agrees with the policy from the start of the expedition."""
    batch, solver = Batch(60, 1, edition), exact.LoneSolver(edition)
    batch.reset(seed=3)
    whole, compared = solver.solve(exact.start_of_expedition(edition, 1)), 0
    for _ in range(4):
        batch.step(np.zeros((60, 1), np.int8))
        for game in batch.games[(batch.games.phase == DECIDE) & (batch.games.expedition == 1)]:
            here = solver.solve(game.copy())
            at = np.array([game])
            assert here.leaves[0] == here.leave_probability(at)[0] == whole.leave_probability(at)[0]
            compared += 1
    assert compared > 50


@compiled_only
@pytest.mark.parametrize("edition", [SMALL_LONG, SMALL_RELICS], ids=lambda edition: edition.name)
def test_a_lone_player_meets_the_value_of_the_whole_game(edition):
    solution = exact.solve_lone(edition, whole_game=True)
    scores = play([LoneAgent(edition)], edition, 40_000)[:, 0]
    assert abs(scores.mean() - solution.value) < 4 * scores.std() / np.sqrt(len(scores))
    assert 0 < solution.bust_probability < 4


# Several players.


@pytest.mark.parametrize("edition", [TINY, TINY_RELICS, TINY_PRINTED], ids=lambda edition: edition.name)
def test_the_equilibrium_of_two_against_fractions(edition):
    by_hand = seat_value(Oracle(edition, 2), two_player_equilibrium)
    assert solved(tree_of(edition, 2))[0] == pytest.approx(float(by_hand), abs=1e-12)


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("edition", [TINY, TINY_RELICS], ids=lambda edition: edition.name)
def test_the_best_response_against_fractions(edition, players):
    for merge in (True, False):
        x = tree_of(edition, players, merge)
        response = exact.best_response(exact.policy_of(ByBag(), x), x)
        best = seat_value(Oracle(edition, players), answer_to(by_bag))
        profile = seat_value(Oracle(edition, players), everyone_plays(by_bag))
        assert response.value == pytest.approx(float(best), abs=1e-12)
        assert response.profile_value == pytest.approx(float(profile), abs=1e-12)
        assert response.nash_conv == pytest.approx(players * float(best - profile), abs=1e-11)


@compiled_only
def test_two_players_get_8_963618():
    x = tree_of(CARDS_30, 2)
    value, policy, error = solved(x)
    assert value == pytest.approx(8.963618, abs=5e-7)
    assert error < 1e-9
    assert exact.best_response(policy, x).exploitability == pytest.approx(0, abs=1e-9)


@compiled_only
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_nobody_gains_by_deviating(players):
    x = tree_of(SMALL, players)
    value, policy, error = solved(x)
    assert error < 1e-9
    response = exact.best_response(policy, x)
    assert response.exploitability == pytest.approx(0, abs=1e-9)
    assert response.value == pytest.approx(value, abs=1e-9)


@compiled_only
def test_scripted_agents_don_t_tell_kinds_of_trap_apart():
    for text in ("ev:0.75", "traps:3", "bag-or-traps:20,3", "solo-grab:7,13"):
        together, apart = (tree_of(SMALL, 2, merge) for merge in (True, False))
        results = [exact.best_response(exact.policy_of(make(text), x), x) for x in (together, apart)]
        assert results[0].value == pytest.approx(results[1].value, abs=1e-9)
        assert results[0].profile_value == pytest.approx(results[1].profile_value, abs=1e-9)


def test_the_lowest_equilibrium_of_many_polynomials():
    rng = np.random.default_rng(5)
    leave, stay = np.zeros((2, 8))
    for others in rng.integers(1, 8, 300):
        leave[: others + 1], stay[: others + 1] = rng.normal(size=(2, others + 1))
        chance = lowest_equilibrium(leave, stay, others)
        grid = np.linspace(0, 1, 501)
        gains = np.array([mean(leave, others, at) - mean(stay, others, at) for at in grid])
        found = mean(leave, others, chance) - mean(stay, others, chance)
        assert (chance == 0) == (gains[0] <= 0)
        assert abs(found) < 1e-12 or (chance == 0 and found < 0) or (chance == 1 and found > 0)
        assert (gains[(grid < chance)] > 0).all()


def test_a_polynomial_that_touches_zero_has_its_root_there():
    # 1 - 4q + 4q² = (1 - 2q)², in Bernstein form 1, -1, 1.
    assert lowest_equilibrium(np.array([1.0, -1, 1, 0, 0, 0, 0, 0]), np.zeros(8), 2) == pytest.approx(0.5, abs=1e-9)


# Two players for the difference.


def difference_by_hand(game: Oracle, seen: list) -> Fraction:
    """The value for seat 0; `game` waits for a card. Notes what leaving alone brings at each node with both inside."""
    total = Fraction(0)
    for chance, card in next_cards(game):
        then = after(game, card)
        if then.over:
            continue
        both = difference_by_hand(left(then, set()), seen)
        alone = left(then, {0})
        ahead = alone.players[0].banked - seat_value(alone, lambda state, leave, stay: max(leave[0], stay[0]))
        # The matrix game [[0, ahead], [-ahead, both]] has a pure solution if `both` is 0, as it must be.
        assert both == 0
        seen.append(ahead)
        total += chance * both
    return total


def test_the_difference_of_two_against_fractions():
    seen: list[Fraction] = []
    difference_by_hand(Oracle(TINY, 2), seen)
    x = tree_of(TINY, 2)
    values = np.zeros(x.boxes.size)
    solve(x, DIFFERENCE, values)
    nodes = values[x.boxes.first[1:, 2]]
    assert {round(float(gain), 9) for gain in seen} <= {round(value, 9) for value in nodes.tolist()}
    assert exact.solve_difference(TINY, cache=False).value == 0


@compiled_only
def test_nobody_beats_the_difference_agent_in_a_whole_game():
    agent, rivals = DifferenceAgent(SMALL_LONG), ("ev:0.75", "ev:0", "solo-grab:7,13", "bag:5", "bag:9")
    for rival in (EquilibriumAgent(SMALL_LONG), *map(make, rivals)):
        scores = play([agent, rival], SMALL_LONG, 10_000)
        ahead = scores[:, 0] - scores[:, 1]
        assert ahead.mean() > -4 * ahead.std() / np.sqrt(len(ahead)), rival


# Play through the public API.


def play(seated: list, edition: Edition, games: int) -> np.ndarray:
    """Final scores (games, players) of these agents."""
    players = len(seated)
    batch = Batch(games, players, edition, hidden_chests=True)
    observations, scores = batch.reset(seed=11), np.zeros((games, players))
    actions, first = np.zeros((games, players), np.int8), np.zeros(games, np.bool_)
    while (batch.games.phase != OVER).any():
        rows = np.ascontiguousarray(observations.swapaxes(0, 1))
        leave = np.stack([agent.act(Observations(row), first) for agent, row in zip(seated, rows, strict=True)], axis=1)
        batch.draw_decisions(np.ascontiguousarray(leave), actions)
        observations, rewards, _ = batch.step(actions)
        scores += rewards
    return scores


@compiled_only
@pytest.mark.parametrize(("players", "edition"), [(2, ONE), (3, SMALL), (5, SMALL)], ids=["2", "3", "5"])
def test_the_equilibrium_is_worth_what_it_says(players, edition):
    scores = play([EquilibriumAgent(edition)] * players, edition, 60_000).mean(axis=1)
    value = exact.solve_equilibrium(players, edition).value
    assert abs(scores.mean() - value) < 4 * scores.std() / np.sqrt(len(scores))


@compiled_only
def test_no_agent_of_the_pools_gains_against_the_equilibrium():
    value = exact.solve_equilibrium(2).value
    members = [name for pool in ("pool", "held_out") for name in load_pool(pool)]
    assert len(members) > 15
    for name in members:
        if name.startswith("catch-up"):
            continue  # needs to see the chests
        scores = play([make(name), EquilibriumAgent(ONE)], ONE, 10_000)[:, 0]
        assert scores.mean() < value + 4 * scores.std() / np.sqrt(len(scores)), name


@compiled_only
@pytest.mark.parametrize("edition", [ONE, replace(EDITIONS["iello-2016"], expeditions=1)], ids=["30", "35"])
def test_a_policy_sees_what_a_player_sees(edition):
    """The rows that `policy_of` shows are those of real blank games."""
    small = replace(edition, treasures=SMALL.treasures, traps=("a", "b", "c"))
    shown = {}

    class Witness:
        def act(self, obs, first):
            shown.update((row.tobytes(), row) for row in obs.flat)
            return np.zeros(len(obs.flat), np.float32)

    exact.policy_of(Witness(), tree_of(small, 3, merge=False))
    batch = Batch(500, 3, small, blank_rivals=True)
    rows, rng, met = batch.reset(seed=2), np.random.default_rng(2), 0
    while (batch.games.phase != OVER).any():
        deciding = rows[rows[:, :, 0] == 1]
        assert all(row.tobytes() in shown for row in deciding)
        met += len(deciding)
        rows, _, _ = batch.step((rng.random((500, 3)) < 0.3).astype(np.int8))
    assert met > 1000


# What is kept on disk.


def test_a_solution_is_kept_and_damage_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setenv("DIAMANT_CACHE_DIR", str(tmp_path / "kept"))
    first = exact.solve_equilibrium(2, TINY)
    (file,) = (tmp_path / "kept").rglob("*.values")
    sound = file.read_bytes()
    assert len(sound) == 8 * (first.tree.boxes.size + 1) + 32
    damaged = bytearray(sound)
    damaged[20] ^= 1
    for content in (bytes(damaged), sound[:-1], b"", sound + b"x"):
        file.write_bytes(content)
        again = exact.solve_equilibrium(2, TINY)
        np.testing.assert_array_equal(again.values, first.values)
        assert file.read_bytes() == sound
    file.write_bytes(sound)
    monkeypatch.setattr("diamant_env.exact.equilibrium.solve", None)  # not needed any more
    np.testing.assert_array_equal(exact.solve_equilibrium(2, TINY).values, first.values)


def test_no_place_to_keep_it_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DIAMANT_CACHE_DIR", str(tmp_path / "file" / "folder"))
    assert exact.solve_equilibrium(2, TINY).error < 1e-9


def test_other_cards_are_another_file(tmp_path, monkeypatch):
    monkeypatch.setenv("DIAMANT_CACHE_DIR", str(tmp_path))
    exact.solve_equilibrium(2, TINY)
    exact.solve_equilibrium(3, TINY)
    exact.solve_equilibrium(2, TINY_RELICS)
    exact.solve_difference(TINY)
    assert len(list(tmp_path.rglob("*.values"))) == 4


# Bad input.


def test_what_is_out_of_reach_is_refused():
    printed = replace(EDITIONS["iello-2016-fr-relics"], relics_enter="start")
    with pytest.raises(ValueError, match="different printed values"):
        exact.solve_equilibrium(2, printed)
    with pytest.raises(ValueError, match="nodes with 8 players"):
        exact.solve_equilibrium(8, "iello-2016")
    with pytest.raises(ValueError, match="1 to 8 are allowed"):
        exact.solve_equilibrium(9)
    with pytest.raises(ValueError, match="unknown edition 'x'"):
        exact.solve_lone("x")
    with pytest.raises(ValueError, match="2 players inside"):
        exact.solve_lone(TINY, exact.start_of_expedition(TINY, 2))
    env = diamant_v0.parallel_env(2, TINY)
    env.reset(options={"deck": [5, 8]})
    env.step({"player_0": 1, "player_1": 0})
    game = env.game
    assert game["num_inside"] == 1
    with pytest.raises(ValueError, match="the whole game is solved for 1"):
        exact.solve_lone(TINY, game, whole_game=True)
    with pytest.raises(ValueError, match="a table of 3 players"):
        exact.solve_difference(TINY, exact.start_of_expedition(TINY, 3))
    env.step({"player_1": 1})
    with pytest.raises(ValueError, match="the game is over"):
        exact.solve_equilibrium(edition=TINY, game=env.game)
    with pytest.raises(ValueError, match="expected"):
        exact.solve_equilibrium(game=np.full(1, 2, np.int8).view([("phase", "i1")])[0])
    many = Edition(name="many", treasures=range(1, 17), traps=tuple("abcdefgh"), trap_copies=4)
    with pytest.raises(ValueError, match="sets of cards"):
        exact.solve_lone(replace(many, treasures=[*range(1, 17)] * 3))


def test_a_policy_of_another_shape_or_no_probability_is_refused():
    x = tree_of(TINY, 2)
    with pytest.raises(ValueError, match="expected float64"):
        exact.best_response(np.zeros(3), x)
    with pytest.raises(ValueError, match="no probability"):
        exact.best_response(np.full(x.boxes.size, np.nan), x)

    class Wrong:
        def act(self, obs, first):
            return np.full(len(obs.flat), 1.5, np.float32)

    with pytest.raises(ValueError, match="no probability"):
        exact.policy_of(Wrong(), x)
    with pytest.raises(ValueError, match="mixture:10,20 answers the same observations differently"):
        exact.policy_of(make("mixture:10,20"), tree_of(SMALL, 2))
    with pytest.raises(ValueError, match="hides"):
        exact.policy_of(make("catch-up"), x)


def test_a_state_of_another_expedition_is_refused():
    solution = exact.solve_equilibrium(2, TINY, cache=False)
    batch = Batch(1, 2, SMALL)
    batch.reset(seed=1)
    with pytest.raises(ValueError, match="game 0"):
        solution.leave_probability(batch.games)
    with pytest.raises(ValueError, match="game 0"):
        exact.solve_lone(TINY).leave_probability(batch.games)


def test_solved_agents_name_themselves_and_refuse_other_tables():
    assert str(make("equilibrium")) == "equilibrium:iello-2016-fr"
    assert str(opponents.make("lone:everdeck")) == "lone:everdeck"
    with pytest.raises(ValueError, match="unknown edition 'x'"):
        make("equilibrium:x")
    for name, players, reason in (("difference", 3, "tables of 2 to 2"), ("lone", 2, "tables of 1 to 1")):
        batch = Batch(1, players, CARDS_30)
        rows = batch.reset(seed=1)[0]
        with pytest.raises(ValueError, match=reason):
            make(name).act(Observations(rows), np.ones(players, np.bool_))
    rows = Batch(1, 2, "iello-2016").reset(seed=1)[0]
    with pytest.raises(ValueError, match="isn't in the expedition that was solved"):
        make("equilibrium").act(Observations(rows), np.ones(2, np.bool_))


@compiled_only
def test_relics_after_the_first_expedition_are_refused():
    batch = Batch(1, 2, EDITIONS["incan-gold"], hidden_chests=False)
    batch.reset(seed=1)
    rows, _, _ = batch.step(np.ones((1, 2), np.int8))
    assert batch.games.expedition[0] == 2
    with pytest.raises(ValueError, match="first expedition only"):
        make("equilibrium:incan-gold").act(Observations(rows[0]), np.zeros(2, np.bool_))


def test_records_are_left_alone():
    game = exact.start_of_expedition(TINY_RELICS, 2)
    before = np.array([game], GAME).tobytes()
    exact.solve_equilibrium(edition=TINY_RELICS, game=game, cache=False)
    assert np.array([game], GAME).tobytes() == before
    assert game["deck"][FIRST_RELIC] == 2
