"""The Gymnasium environment refuses what makes no sense, and says what was given and what is allowed."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from diamant_env.gym_env import DiamantEnv
from diamant_env.opponents.scripted.thresholds import BagAgent

BAD = [
    ({"seat": 4}, "seat=4; None or a whole number, 0 to 3, is allowed"),
    ({"seat": -1}, "seat=-1; None or"),
    ({"opponents": "bug:18"}, r"unknown agent 'bug:18'; agents: random.*or a text such as.*policy file"),
    ({"opponents": ["random"]}, "1 opponents; give one for all rivals, or one for each of the 3"),
    ({"num_players": 1, "opponents": ["random"]}, "1 opponents; give one for all rivals, or one for each of the 0"),
    ({"num_players": 1, "opponents": "bug"}, "unknown agent 'bug'"),
    ({"opponents": 7}, "opponents: 7 plays nothing; allowed: a text"),
    ({"opponents": None}, "opponents: None plays nothing"),
    ({"opponents": BagAgent}, "BagAgent'> plays nothing"),
    ({"expeditions": 0}, "expeditions=0; None or a whole number, 1 to 15, is allowed"),
    ({"expeditions": 15}, "can't be played"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        DiamantEnv(**settings)


@pytest.mark.parametrize("action", [2, -1, 0.0, "1", None, [1], np.array([1]), np.float32(1)])
def test_bad_actions_are_refused(action):
    env = DiamantEnv()
    env.reset(seed=0)
    before = env.game
    with pytest.raises(ValueError, match=r"allowed: 0 \(CONTINUE\) and 1 \(LEAVE\)"):
        env.step(action)
    assert env.game == before


def test_calls_out_of_order_are_refused():
    env = DiamantEnv(render_mode="ansi")
    for call in (lambda: env.step(0), env.render):
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
            call()
    env.reset(seed=0)
    while not env.step(0)[2]:
        pass
    with pytest.raises(gymnasium.error.ResetNeeded, match="no game is being played"):
        env.step(0)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1"])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed="):
        DiamantEnv().reset(seed=seed)


@pytest.mark.parametrize("answer", [[2.0] * 3, [0.5], [np.nan] * 3])
def test_bad_opponents_are_named(answer):
    def bad_opponent(obs):
        return answer

    env = DiamantEnv(opponents=bad_opponent)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"bad_opponent.* must return 3 probabilities between 0 and 1"):
        env.step(0)
