"""The agents that come with the environment: what they do on observations made by hand, and how they are named."""

import copy

import numpy as np
import pytest

from diamant_env.batch import Batch
from diamant_env.observation import FIELDS, NUM_FEATURES, SLICES, Observations
from diamant_env.opponents import FAMILIES, SOLVED, Table, make

SCALES = {field.name: field.scale for field in FIELDS}
TEXTS = [str(family()) for family in FAMILIES.values()]


def seen(**fields):
    """One row of observations by fields in natural units: inside with three rivals, nothing found yet, by default."""
    flat = np.zeros((1, NUM_FEATURES), np.float32)
    for name, value in {"must_decide": 1, "num_players": 4, "num_inside": 4, **fields}.items():
        flat[0, SLICES[name]] = np.asarray(value, np.float32) / SCALES[name]
    return Observations(flat)


@pytest.mark.parametrize(
    ("text", "fields", "expected"),
    [
        ("random:0.3", {}, pytest.approx(0.3)),
        ("random:1", {}, 1),
        ("continue", {"bag": 100, "bust_chance": 0.9}, 0),
    ],
)
def test_known_answers(text, fields, expected):
    """Of the families that compare nothing; the others are held to fractions in test_ties.py."""
    assert make(text).act(seen(**fields), np.ones(1, bool)) == expected


@pytest.fixture(scope="module")
def real_rows():
    """Observations and first-marks from the middle of games at tables of 1 to 8."""
    batch = Batch(400, 1 + np.arange(400) % 8)
    table = Table(batch, [make("random:0.2")], np.zeros((400, 8), int))
    observations, actions = batch.reset(seed=0), np.zeros((400, 8), np.int8)
    for _ in range(6):
        table.decide(observations, actions)
        batch.step(actions, observations)
    flat = observations.reshape(-1, NUM_FEATURES)
    return flat, np.zeros(len(flat), bool)


@pytest.mark.parametrize("text", TEXTS)
def test_agents_answer_every_row_with_a_probability_by_that_row_alone(text, real_rows):
    flat, first = real_rows
    before, agent = flat.copy(), make(text)
    answer = agent.act(Observations(flat), first)
    assert answer.shape == first.shape
    assert answer.dtype == np.float32
    assert ((answer >= 0) & (answer <= 1)).all()
    np.testing.assert_array_equal(flat, before)
    order = np.random.default_rng(0).permutation(len(first))
    if not text.startswith("mixture"):
        np.testing.assert_array_equal(agent.act(Observations(flat[order]), ~first), answer[order])
    blank = Observations(np.zeros((3, NUM_FEATURES), np.float32))
    with np.errstate(all="raise"):
        assert np.isfinite(agent.act(blank, np.ones(3, bool))).all()


def test_catch_up_refuses_hidden_chests():
    with pytest.raises(ValueError, match=r"catch-up:10,1 looks at the rivals' chests"):
        make("catch-up:10,1").act(seen(hidden_chests=1), np.ones(1, bool))


@pytest.mark.parametrize("text", [*TEXTS, "bag:7.5", "random:0.125", "equilibrium:iello-2016-fr", "lone:everdeck"])
def test_texts_make_the_same_agent_again(text):
    assert str(make(text)) == str(copy.deepcopy(make(text))) == text


@pytest.mark.parametrize(("name", "family"), [*FAMILIES.items(), *SOLVED.items()])
def test_a_family_alone_has_its_defaults(name, family):
    assert str(make(name)) == str(make(f" {name} ")) == str(family())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"unknown agent ''; agents: random:probability \(random:.*; continue; .*mixture:low,high"),
        ("bags:3", "unknown agent 'bags:3'; agents: "),
        (":3", "unknown agent ':3'"),
        ("equilibrium:x", "unknown edition 'x'"),
        ("bag:", r"'' in 'bag:' is no number; bag:gems"),
        ("bag:many", r"'many' in 'bag:many' is no number; bag:gems"),
        ("bag:1,2", r"2 numbers in 'bag:1,2'; give all or none: bag:gems"),
        ("bag-or-traps:1", r"1 numbers in 'bag-or-traps:1'; give all or none: bag-or-traps:gems,traps"),
        ("continue:1", r"1 numbers in 'continue:1'; give all or none: continue"),
        ("random:1.5", r"'random:1.5': random: probability=1.5; 0 to 1 is allowed"),
        ("bag:-1", r"gems=-1.0; 0 to 1000 is allowed"),
        ("bag:nan", r"gems=nan; 0 to 1000 is allowed"),
        ("bag:inf", r"gems=inf; 0 to 1000 is allowed"),
        ("mixture:9,8", r"low=9, high=8; whole numbers, low <= high"),
        ("mixture:1.5,8", r"low=1.5, high=8; whole numbers, low <= high"),
    ],
)
def test_texts_that_make_no_agent(text, message):
    with pytest.raises(ValueError, match=message):
        make(text)


@pytest.mark.parametrize(
    ("agent", "players", "edition", "turns", "reason"),
    [
        ("difference", 3, "iello-2016-fr", 0, "tables of 2 to 2"),
        ("lone", 2, "iello-2016-fr", 0, "tables of 1 to 1"),
        ("equilibrium", 2, "iello-2016", 0, "isn't in the expedition that was solved"),
        ("equilibrium:incan-gold", 2, "incan-gold", 1, "first expedition only"),
    ],
)
def test_solved_agents_refuse_other_tables(agent, players, edition, turns, reason):
    batch = Batch(1, players, edition)
    rows = batch.reset(seed=1)
    for _ in range(turns):
        rows, _, _ = batch.step(np.ones((1, players), np.int8))
    with pytest.raises(ValueError, match=reason):
        make(agent).act(Observations(rows[0]), np.ones(players, bool))


def draws(agent, rows, first=True):
    agent.act(Observations(np.zeros((rows, NUM_FEATURES), np.float32)), np.full(rows, first))
    return agent.thresholds.copy()


def test_mixture_draws_a_threshold_per_game_and_keeps_it():
    agent = make("mixture:5,8", seed=1)
    drawn = draws(agent, 4_000)
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [5, 6, 7, 8]
    assert counts.min() > 900
    np.testing.assert_array_equal(draws(make("mixture:5,8", seed=1), 4_000), drawn)
    assert (draws(make("mixture:5,8", seed=2), 4_000) != drawn).any()
    again = draws(agent, 4_000, np.arange(4_000) < 2_000)
    np.testing.assert_array_equal(again[2_000:], drawn[2_000:])
    assert (again[:2_000] != drawn[:2_000]).mean() > 0.5


def test_mixture_takes_another_number_of_rows_and_rows_without_a_beginning():
    agent = make("mixture:5,8")
    drawn = draws(agent, 10, False)
    assert drawn.min() >= 5
    np.testing.assert_array_equal(draws(agent, 4, False), drawn[:4])
    longer = draws(agent, 20, False)
    np.testing.assert_array_equal(longer[:4], drawn[:4])
    assert longer.min() >= 5
    assert len(draws(agent, 0, False)) == 0


def test_mixture_leaves_at_its_own_threshold():
    agent = make("mixture:5,8")
    drawn = draws(agent, 50)
    for gems in (4, 6, 8):
        rows = Observations(np.repeat(seen(bag=gems).flat, 50, axis=0))
        np.testing.assert_array_equal(agent.act(rows, np.zeros(50, bool)), drawn <= gems)
