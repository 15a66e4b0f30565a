"""Hidden chests: an option of every view, the default of the editions that say so."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from diamant_env import EDITIONS, NUM_FEATURES, Batch, Observations, diamant_v0, from_observation
from diamant_env.opponents import Table, make
from tests.support.play import PUBLISHED, every

HIDDEN_BY_DEFAULT = ["incan-gold"]
OPTIONS = [None, False, True]


@every(PUBLISHED)
@pytest.mark.parametrize("option", OPTIONS)
def test_the_option_goes_before_the_edition(edition, option):
    hides = edition.name in HIDDEN_BY_DEFAULT if option is None else option
    batch = Batch(30, 3, edition, hidden_chests=option)
    rows, rng = batch.reset(1), np.random.default_rng(1)
    rivals = np.zeros(2, bool)
    for _ in range(25):
        obs = Observations(rows[:, 1])
        assert (obs["hidden_chests"] == hides).all()
        rivals |= np.array([obs["rival_chest"].any(), obs["lead"].any()])
        rows, _, _ = batch.step((rng.random((30, 3)) < 0.3).astype(np.int8))
    assert (rivals != hides).all()
    assert batch.editions[0].hidden_chests is hides


@pytest.mark.parametrize("make_env", [diamant_v0.parallel_env, diamant_v0.env, diamant_v0.raw_env])
@pytest.mark.parametrize("name", ["schmidt-2005", "incan-gold"])
@pytest.mark.parametrize("option", OPTIONS)
def test_every_environment_takes_the_option(make_env, name, option):
    env = make_env(num_players=3, edition=name, hidden_chests=option)
    env = pickle.loads(pickle.dumps(env))
    started = env.reset(seed=1)
    first = started[0]["player_0"] if started else env.observe("player_0")  # the turn-based views return nothing
    assert Observations(first)["hidden_chests"] == (EDITIONS[name].hidden_chests if option is None else option)
    assert Observations(env.state())["hidden_chests"] == 0


def test_the_state_shows_all_chests():
    env = diamant_v0.parallel_env(num_players=3, edition="incan-gold")
    env.reset(seed=1, options={"deck": [11, "relic", "snake", 5]})
    env.step({"player_0": 0, "player_1": 1, "player_2": 0})
    observations, *_ = env.step({"player_0": 0, "player_2": 1})
    state = Observations(env.state())
    assert state["rival_chest"].tolist()[:2] == [3 + 2, 3 + 5]
    assert state["rival_relics"].tolist()[:2] == [0, 1]
    assert state["lead"] == -8
    seen = Observations(observations["player_0"])
    assert not any(seen[name].any() for name in ("rival_chest", "rival_relics", "lead"))
    own = Observations(observations["player_2"])
    assert (own["chest"], own["relics"], own["relics_taken"]) == (8, 1, 1)


def test_the_same_games_are_played():
    """Hiding the chests changes what is seen, not what happens."""
    shown, hidden = (Batch(40, 4, "incan-gold", hidden_chests=hide) for hide in (False, True))
    shown.reset(3)
    hidden.reset(3)
    rng = np.random.default_rng(2)
    while not shown.over.all():
        actions = (rng.random((40, 4)) < 0.2).astype(np.int8)
        for array, other in zip(shown.step(actions)[1:], hidden.step(actions)[1:], strict=True):
            assert array.tobytes() == other.tobytes()
        assert shown.games.tobytes() == hidden.games.tobytes()


def test_one_option_for_a_batch_of_several_editions():
    names = ["incan-gold", "schmidt-2005", "iello-2016"]
    for option, hides in [(None, [1, 0, 0]), (True, [1, 1, 1]), (False, [0, 0, 0])]:
        rows = Batch(3, 3, names, hidden_chests=option).reset(1)
        assert Observations(rows[:, 0])["hidden_chests"].tolist() == hides


@pytest.mark.parametrize("option", [1, 0, "yes", [True, False]])
def test_other_values_are_refused(option):
    with pytest.raises(ValueError, match=r"hidden_chests=.*; True, False and None are allowed"):
        Batch(2, 3, hidden_chests=option)
    with pytest.raises(ValueError, match=r"hidden_chests=.*; True, False and None are allowed"):
        diamant_v0.parallel_env(hidden_chests=option)


def test_an_agent_that_needs_the_chests_refuses_the_table():
    batch = Batch(2, 3, "incan-gold")
    table = Table(batch, [make("bag:18"), make("catch-up:10,1")], [[0, 1, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match="catch-up:10,1 looks at the rivals' chests, and this table hides them"):
        table.leave_probabilities(batch.reset(1))
    open_batch = Batch(2, 3, "incan-gold", hidden_chests=False)
    assert Table(open_batch, table.agents, table.seating).leave_probabilities(open_batch.reset(1)).shape == (2, 3)


def test_a_game_is_not_rebuilt_from_what_hides_the_chests():
    rows = Batch(2, 3, "schmidt-2005", hidden_chests=True).reset(1)[:, 0]
    assert rows.shape == (2, NUM_FEATURES)
    with pytest.raises(ValueError, match="hide the rivals' chests"):
        from_observation(rows, [1, 2], "schmidt-2005")
