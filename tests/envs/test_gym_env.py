"""Gymnasium environment: its checkers, infos, seeds and settings."""

import os

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from diamant_env import Edition, Observations
from diamant_env.gym_env import DiamantEnv
from tests.envs.test_gym_vector import Counting

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
pytestmark = pytest.mark.filterwarnings("error")
SETTINGS = [
    {},
    {"num_players": 1},
    {"num_players": 8, "seat": None, "reward": "win", "opponents": "mixture:5,15"},
    {"num_players": 3, "edition": "incan-gold", "reward": "margin", "opponents": ["bag:18", "cards:2"], "seat": 2},
    {"num_players": 2, "edition": "iello-2016/expeditions:1", "opponents": lambda obs: obs["bag"] >= 3},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_gymnasium_check_env(settings):
    check_env(gymnasium.make("diamant_env/Diamant-v0", **settings).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("settings", SETTINGS)
def test_stable_baselines3_check_env(settings):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make("diamant_env/Diamant-v0", **settings).unwrapped, warn=True)


def decision(observation) -> int:
    """Decide by the observation, often early, so that games continue without the learner."""
    obs = Observations(observation)
    return int(obs["bag"] >= 6 or obs["bust_chance"] > 0.2 or int(obs["turn"] + obs["chest"]) % 5 == 4)


def play(env, seed):
    """Play a game; return its observations, rewards and infos."""
    observation, info = env.reset(seed=seed)
    observations, rewards, infos, over = [observation], [], [info], False
    while not over:
        assert observation[0] == 1, "a step without a decision"
        observation, reward, over, truncated, info = env.step(decision(observation))
        assert truncated is False
        assert observation in env.observation_space
        observations.append(observation)
        rewards.append(reward)
        infos.append(info)
    return observations, rewards, infos


def test_infos():
    env, skipped = DiamantEnv(4, opponents=["random:0.3", Counting, "cards:3"], seat=3), 0
    for seed in range(8):
        _, rewards, infos = play(env, seed)
        assert {info["seat"] for info in infos} == {3}
        assert [info["score"] for info in infos] == np.cumsum([0, *rewards]).tolist()
        won = env.game.chest[3] == env.game.chest[:4].max()
        assert [info.get("is_success") for info in infos] == [None] * len(rewards) + [won]
        skipped += sum(info["turns"] for info in infos) - len(rewards)
    assert skipped > 20


def test_seats_are_uniform_and_unseeded_games_differ():
    env = DiamantEnv(4, seat=None)
    assert np.bincount([env.reset(seed=seed)[1]["seat"] for seed in range(400)]).min() > 70
    games = [play(env, None) for _ in range(20)]
    assert len({game[0].tobytes() for game, _, _ in games}) > 1
    assert len({infos[0]["seat"] for _, _, infos in games}) > 1
    assert not np.array_equal(play(DiamantEnv(), None)[0], play(DiamantEnv(), None)[0])


def test_ansi_shows_turns_without_learner():
    env = DiamantEnv(3, opponents="continue", render_mode="ansi")
    env.reset(seed=0)
    assert "Expedition 1 of 5, card 1" in env.render()
    _, _, _, _, info = env.step(1)
    assert info["turns"] > 1
    assert env.render().startswith("A second ")
    assert "Expedition 2 of 5, card 1" in env.render()
    assert DiamantEnv().render() is None


@pytest.mark.parametrize("many", [False, True])
def test_own_edition_survives_json(many):
    settings = {"edition": Edition("small", np.array([3, 5]), ("mud", "wind"), np.int64(2), expeditions=1)}
    if many:
        settings["autoreset_mode"] = "SameStep"
    make_env = gymnasium.make_vec if many else gymnasium.make
    env = make_env("diamant_env/Diamant-v0", **settings).unwrapped
    again = make_env(EnvSpec.from_json(env.spec.to_json())).unwrapped
    assert again.edition == env.edition
    assert again.metadata.get("autoreset_mode") == env.metadata.get("autoreset_mode")
    assert np.array_equal(again.reset(seed=3)[0], env.reset(seed=3)[0])
