"""Parallel environment beyond PettingZoo's tests: idle seats, infos, chosen positions."""

import numpy as np
import pytest

from diamant_env import diamant_v0
from tests.support.play import Play
from tests.support.side_by_side import as_dicts


def game_of(env) -> dict:
    return as_dicts(env.game[None])[0]


@pytest.mark.parametrize(("one", "junk"), [(1, "x"), (np.int8(1), None), (np.array(1), 2), (True, np.nan)])
def test_integer_types_and_idle_actions(one, junk):
    env = diamant_v0.parallel_env(num_players=3)
    env.reset(seed=3)
    env.step({"player_0": one, "player_1": 0, "player_2": 0})
    env.step({"player_0": junk, "player_1": 0, "player_2": 0})
    assert env.game["inside"][:3].tolist() == [0, 1, 1]
    assert env.game["turn"] == 3


@pytest.mark.parametrize("mask", ["observation", "none"])
def test_placement_of_action_mask(mask):
    env = diamant_v0.parallel_env(num_players=3, mask=mask)
    observations, infos = env.reset(seed=3)
    seen = [(observations, infos)]
    observations, _, _, _, infos = env.step({"player_0": 1, "player_1": 0, "player_2": 0})
    seen.append((observations, infos))
    for (observations, infos), active in zip(seen, [[1, 1, 1], [0, 1, 1]], strict=True):
        for seat, agent in enumerate(env.agents):
            assert env.observation_space(agent).contains(observations[agent])
            assert infos[agent] == {"active": active[seat]}
            if mask == "observation":
                assert observations[agent]["action_mask"].tolist() == [1, active[seat]]
                assert observations[agent]["observation"][0] == active[seat]


def test_chosen_position_is_played_on():
    play = Play([11, "snake", "relic"], 3).all_continue(2)
    env = diamant_v0.parallel_env(num_players=3, render_mode="ansi")
    observations, infos = env.restore(play.game)
    assert [row.tobytes() for row in observations.values()] == [play.position.observe(i).tobytes() for i in range(3)]
    assert infos["player_2"]["action_mask"].tolist() == [1, 1]
    assert "card 3\n  path   [RELIC]\n" in env.render()
    _, rewards, *_ = env.step({"player_0": 0, "player_1": 0, "player_2": 1})
    assert list(rewards.values()) == [0, 0, 3 + 2 + 5]
    before, broken = game_of(env), play.game
    broken["bag"] = -1
    for wrong in (broken, play.game[["bag"]], None, Play([5], 2).game):
        with pytest.raises(ValueError, match=r"is no valid state|expected"):
            env.restore(wrong)
        assert game_of(env) == before
    env.restore(Play([5] * 5, 3).all_leave(5).game)
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})
