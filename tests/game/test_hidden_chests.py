"""Hidden chests: an option of every view, the default of the editions that say so."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Observations, diamant_v0
from diamant_env.opponents import Table, make

SECRET = ["hidden_chests", "lead", "rival_chest", "rival_relics"]


@pytest.mark.parametrize("make_env", [diamant_v0.parallel_env, diamant_v0.env, diamant_v0.raw_env])
@pytest.mark.parametrize("name", ["schmidt-2005", "incan-gold"])
@pytest.mark.parametrize("option", [None, False, True])
def test_the_option_goes_before_the_edition(make_env, name, option):
    env = pickle.loads(pickle.dumps(make_env(num_players=3, edition=name, hidden_chests=option)))
    started = env.reset(seed=1)
    first = started[0]["player_0"] if started else env.observe("player_0")  # the turn-based views return nothing
    assert Observations(first)["hidden_chests"] == (EDITIONS[name].hidden_chests if option is None else option)
    assert Observations(env.state())["hidden_chests"] == 0


@pytest.mark.parametrize(("option", "hides"), [(None, [1, 0, 0]), (True, [1, 1, 1]), (False, [0, 0, 0])])
def test_one_option_for_a_batch_of_several_editions(option, hides):
    batch = Batch(3, 3, ["incan-gold", "schmidt-2005", "iello-2016"], hidden_chests=option)
    assert Observations(batch.reset(1)[:, 0])["hidden_chests"].tolist() == hides
    assert [edition.hidden_chests for edition in batch.editions] == [bool(hide) for hide in hides]


@pytest.mark.parametrize("edition", ["incan-gold", "iello-2016"])
def test_hidden_chests_hide_nothing_else_and_the_same_games_are_played(edition):
    shown, hidden = (Batch(20, 4, edition, hidden_chests=hide) for hide in (False, True))
    rows, dark, rng = shown.reset(1), hidden.reset(1), np.random.default_rng(1)
    differed = dict.fromkeys(SECRET, False)
    while not shown.over.all():
        bright_obs, dark_obs = Observations(rows), Observations(dark)
        for name in bright_obs:
            if name in SECRET:
                differed[name] |= not np.array_equal(bright_obs[name], dark_obs[name])
            else:
                assert np.array_equal(bright_obs[name], dark_obs[name])
        assert not any(dark_obs[name].any() for name in SECRET[1:])
        assert (dark_obs["hidden_chests"] == 1).all()
        assert hidden.state().tobytes() == shown.state().tobytes()
        actions = (rng.random((20, 4)) < 0.2).astype(np.int8)
        (rows, *paid), (dark, *the_same) = shown.step(actions), hidden.step(actions)
        assert [array.tobytes() for array in paid] == [array.tobytes() for array in the_same]
        assert shown.games.tobytes() == hidden.games.tobytes()
    assert all(differed.values())


def test_the_state_shows_all_chests():
    env = diamant_v0.parallel_env(num_players=3, edition="incan-gold")
    env.reset(seed=1, options={"deck": [11, "relic", "snake", 5]})
    env.step({"player_0": 0, "player_1": 1, "player_2": 0})
    observations, *_ = env.step({"player_0": 0, "player_2": 1})
    state = Observations(env.state())
    assert state["rival_chest"].tolist()[:2] == [3 + 2, 3 + 5]
    assert (state["rival_relics"].tolist()[:2], state["lead"]) == ([0, 1], -8)
    own = Observations(observations["player_2"])
    assert (own["chest"], own["relics"], own["relics_taken"]) == (8, 1, 1)


@pytest.mark.parametrize("option", [1, 0, "yes", [True, False]])
def test_other_values_are_refused(option):
    for make_env in (lambda **given: Batch(2, 3, **given), diamant_v0.parallel_env):
        with pytest.raises(ValueError, match=r"hidden_chests=.*; True, False and None are allowed"):
            make_env(hidden_chests=option)


def test_an_agent_that_needs_the_chests_refuses_the_table():
    batch = Batch(2, 3, "incan-gold")
    table = Table(batch, [make("bag:18"), make("catch-up:10,1")], [[0, 1, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match="catch-up:10,1 looks at the rivals' chests, and this table hides them"):
        table.leave_probabilities(batch.reset(1))
    open_batch = Batch(2, 3, "incan-gold", hidden_chests=False)
    assert Table(open_batch, table.agents, table.seating).leave_probabilities(open_batch.reset(1)).shape == (2, 3)
