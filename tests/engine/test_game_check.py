"""Records that can't be those of a game are refused wherever they enter, and compiled code stays inside its arrays."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from diamant_env import EDITIONS, GAME, NUM_FEATURES, Batch, Edition, diamant_v0, exact, from_observation
from diamant_env.observation import FIELDS, SLICES
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.state import OVER, REVEAL
from tests.support.guarded_games import guards_notice, strange_round
from tests.support.play import BASE

FLAWS = [
    ("num_players", 100, "4 is allowed"),
    ("edition", 1, "0 is allowed"),
    ("phase", REVEAL, "1 to 2 is allowed"),
    ("phase", OVER, "num_inside|expedition"),
    ("expedition", 6, "1 to 5 is allowed"),
    ("turn", 0, "is allowed"),
    ("num_inside", 3, "4 is allowed"),
    ("deck_size", 35, "is allowed"),
    ("deck", (18, -3), r"deck\[18\] = -3"),
    ("deck", (0, 2), r"deck\[0\] = 2; 0 to 1 is allowed"),
    ("on_path", (7, 1), r"on_path\[7\] = 1; 0 is allowed"),
    ("bag", 900, "bag = 900"),
    ("path_gems", -1, "path_gems = -1"),
    ("path_relics", 6, "path_relics = 6"),
    ("path_relic_value", 99, "path_relic_value = 99; 5 is allowed"),
    ("relics_taken", 1, "relics_taken = 1"),
    ("relics", (2, 5), r"relics\[2\] = 5|relics_taken"),
    ("chest", (3, 30000), r"chest\[3\] = 30000"),
    ("chest", (7, 1), r"chest\[7\] = 1; 0 is allowed"),
    ("inside", (7, 1), r"inside\[7\] = 1|num_inside"),
    ("left_turn", (0, 3), r"left_turn\[0\] = 3; 0 is allowed"),
    ("decision", (1, 7), r"decision\[1\] = 7; -1 to 1 is allowed"),
    ("banked", (1, 5), r"banked\[1\] = 5; 0 is allowed"),
    ("last_card", 40, "last_card = 40; -1 is allowed"),
    ("bust_card", 3, "bust_card = 3; -1 is allowed"),
]


def started():
    batch = Batch(3, 4, "iello-2016")
    batch.reset(3)
    return batch


def altered(games, name, value, game=2):
    games = games.copy()
    if isinstance(value, tuple):
        games[name][game, value[0]] = value[1]
    else:
        games[name][game] = value
    return games


@pytest.mark.parametrize(("name", "value", "message"), FLAWS, ids=lambda given: str(given)[:20])
def test_a_record_that_cannot_be_is_refused_by_game_and_field(name, value, message):
    batch = started()
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match=rf"game 2 can't be: .*({message})"):
        batch.restore(altered(batch.games, name, value))
    assert batch.games.tobytes() == before


def test_a_trap_whose_two_cards_have_left_cannot_lie_on_the_path():
    edition = Edition("two leave", (1, 5), ("a", "b", "c"), 2, expeditions=3, bust_removes=2)
    batch = Batch(3, 4, edition)
    batch.reset(0)
    games = batch.games.copy()
    games.deck[2, 18] -= 1 + games.deck[2, 18]
    games.deck_size[2] = games.deck[2].sum()
    games.on_path[2, 2] = 1
    games.expedition[2] = 2
    with pytest.raises(ValueError, match=r"game 2 can't be: deck\[18\] = -1"):
        batch.restore(games)


@pytest.mark.parametrize("given", [np.zeros(3), np.zeros((3, 1), GAME), np.zeros(2, GAME), None, "games"])
def test_what_is_no_array_of_records_is_refused(given):
    with pytest.raises(ValueError, match="expected"):
        started().restore(given)


def test_a_batch_that_is_put_back_before_its_first_game_must_be_reset():
    batch = Batch(3, 4)
    before = batch.games
    batch.reset(0)
    batch.restore(before)
    with pytest.raises(RuntimeError, match="before reset"):
        batch.step(np.zeros((3, 4), np.int8))


def into_a_pickled_batch(games):
    Batch.__new__(Batch).__setstate__({**started().__getstate__(), "games": games})


def into_an_environment(games):
    env = diamant_v0.parallel_env(4, "iello-2016")
    env.reset(seed=1)
    state, before = copy.deepcopy(env.clone_state()), env.game
    object.__setattr__(state, "parts", (games[2:], *state.parts[1:]))
    try:
        env.restore_state(state)
    finally:
        assert env.game == before


def into_a_checkpoint(games):
    env = DiamantVecEnv(3, 4)
    env.reset()
    env.restore(games)


@pytest.mark.parametrize("enter", [into_a_pickled_batch, into_an_environment, into_a_checkpoint])
def test_altered_games_are_refused_wherever_they_enter(enter):
    with pytest.raises(ValueError, match=r"game . can't be: bag = 900"):
        enter(altered(started().games, "bag", 900))


def rows_of():
    """What the first seats of 20 tables see after four turns."""
    batch = Batch(20, 4)
    rows = batch.reset(0)
    for turn in range(4):
        batch.step(np.random.default_rng(turn).random((20, 4)) < 0.2, rows)
    return rows[:, 0].copy()


KEYS = np.zeros(20, np.uint64)
ROWS = rows_of()
TOO_MANY, NOISE = ROWS.copy(), np.random.default_rng(0).random(ROWS.shape, np.float32)
TOO_MANY[:, SLICES["num_players"]] = 100 / 4
NOISE[:, SLICES["hidden_chests"]] = 0


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@pytest.mark.parametrize("value", [np.nan, np.inf, -1e30, 0.3, "half a unit more"])
def test_an_observation_that_no_game_shows_is_refused(field, value):
    rows, place = ROWS.copy(), SLICES[field.name].start
    rows[7, place] = rows[7, place] + 0.5 / field.scale if value == "half a unit more" else value
    with pytest.raises(ValueError, match=r"row 7|row 8|game 7 can't be|hide"):
        from_observation(rows, KEYS, "iello-2016")


@pytest.mark.parametrize(
    ("rows", "keys", "edition", "message"),
    [
        (ROWS[0], [1], BASE, rf"observations of shape \({NUM_FEATURES},\); expected \(rows, {NUM_FEATURES}\)"),
        (ROWS[:2, :5], [1, 2], BASE, rf"observations of shape \(2, 5\); expected \(rows, {NUM_FEATURES}\)"),
        (ROWS[:2], [1], BASE, r"keys of shape \(1,\); expected \(2,\)"),
        (ROWS[:1], [-1], BASE, r"keys=\[-1\]; whole numbers from 0 to 18446744073709551615 are allowed"),
        (ROWS[:1], [1.7], BASE, r"keys=\[1.7\]; whole numbers"),
        (ROWS[:1], np.ones(1), BASE, r"keys=array.*; whole numbers"),
        (ROWS[:1], np.array([-1]), BASE, r"keys=array\(\[-1\]\); whole numbers"),
        (ROWS[:1], [2**64], BASE, r"keys=\[18446744073709551616\]; whole numbers"),
        (ROWS[:1], ["a"], BASE, r"keys=\['a'\]; whole numbers"),
        (Batch(2, 3, "incan-gold").reset(1)[:, 0], [1, 2], BASE, "hide the rivals' chests"),
        (Batch(2, [3, 4]).reset(1)[:, 3], [1, 2], BASE, "row 0 is of a seat that its table does not have"),
        (TOO_MANY, KEYS, BASE, "row 0: num_players = 100 is out of range"),
        (NOISE, KEYS, BASE, r"row 0|game 0"),
        (ROWS, KEYS, "everdeck", "no game of 'everdeck' looks like this"),
        (ROWS, KEYS, "diamond", "unknown edition 'diamond'"),
    ],
)
def test_what_no_game_can_be_rebuilt_from_is_refused(rows, keys, edition, message):
    with pytest.raises(ValueError, match=message):
        from_observation(rows, keys, edition)


def test_a_rebuilt_game_has_the_key_that_was_given_and_remembers_no_turn():
    games = from_observation(ROWS[:3], [1, 2**64 - 1, 3])
    assert games.key.tolist() == [1, 2**64 - 1, 3]
    assert (games.decision == -1).all()
    assert (games.last_card == -1).all()


@pytest.mark.parametrize(
    "solve",
    [
        lambda game: exact.solve_equilibrium(game=game),
        lambda game: exact.solve_difference(game=game),
        lambda game: exact.solve_lone("iello-2016-fr", game),
    ],
)
def test_the_solvers_refuse_what_cannot_be(solve):
    game = exact.start_of_expedition(EDITIONS["iello-2016-fr"], 2)
    game["deck"][18] = -1
    with pytest.raises(ValueError, match=r"deck\[18\] = -1"):
        solve(game)


@pytest.mark.parametrize("on_path", [1, 2, 127])
def test_a_solution_refuses_a_trap_that_its_deck_does_not_have(on_path):
    solution = exact.solve_lone("iello-2016-fr")
    game = np.array([solution.start])
    game["on_path"][0, 7] = on_path
    game["deck"][0, 23] = -on_path
    game["deck_size"] -= on_path
    with pytest.raises(ValueError, match="can't follow the state"):
        solution.leave_probability(game)
    with pytest.raises(ValueError, match="expected"):
        solution.leave_probability(np.zeros((2, 3)))


def test_strange_records_are_refused_or_played_inside_the_arrays():
    assert guards_notice()
    refused = 0
    for seed in range(16):
        found, problem = strange_round(seed)
        assert problem is None
        refused += found
    assert 16 * 250 / 2 < refused < 16 * 250 * 0.95  # both kinds were tried


@pytest.mark.parametrize(("name", "value"), [("position", -50), ("position", 4), ("names", [9, "dragon"])])
def test_an_altered_deck_of_a_saved_state_is_refused_and_its_cards_follow_from_its_names(name, value):
    env = diamant_v0.parallel_env(4)
    env.reset(options={"deck": [9, "snake", "relic"]})
    state, wrong = env.clone_state(), env.clone_state()
    setattr(wrong.parts[1], name, value)
    with pytest.raises(ValueError, match="deck"):
        env.restore_state(wrong)
    state.parts[1]._fits[1] = [-29]
    env.restore_state(state)
    env.step(dict.fromkeys(env.agents, 0))
    assert env.edition.card_name(env.game["last_card"]) == "snake"


def test_a_relic_that_lies_on_the_path_is_in_no_chest():
    """Else a lone leaver would bank it twice."""
    env = diamant_v0.parallel_env(3, "iello-2016-fr-relics")
    env.reset(options={"deck": ["relic", 5]})
    batch = Batch(1, 3, "iello-2016-fr-relics")
    batch.restore(np.array([env.game]))
    with pytest.raises(ValueError, match=r"chest\[0\] = 5; 0 is allowed"):
        batch.restore(altered(batch.games, "chest", (0, 5), 0))
