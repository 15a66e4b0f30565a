"""Deep copies and pickles of environments: identical continuation, later games included."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo import AECEnv, ParallelEnv
from stable_baselines3.common.vec_env import VecEnv

from diamant_env import Batch, Edition, Game, diamant_v0
from diamant_env.sb3 import DiamantVecEnv

OWN = Edition("own", (5, 7, 11), ("mud", "wind"), trap_copies=9, expeditions=2)


def pickled(env):
    return pickle.loads(pickle.dumps(env))


def turn(env, random):
    """Play a turn of any environment class, resetting it after the end of a game; return the result."""
    choice = (random.random(8) < 0.2).astype(int)
    if isinstance(env, ParallelEnv):
        if not env.agents:
            return env.reset()
        return env.step(dict(zip(env.agents, choice.tolist(), strict=False))), env.render()
    if isinstance(env, AECEnv):
        if not env.agents:
            env.reset()
        last = env.last()
        env.step(None if last[2] else int(choice[0]))
        return env.agent_selection, last
    result = env.step(int(choice[0]) if isinstance(env, gymnasium.Env) else choice[: env.num_envs])
    return (result, env.reset()) if isinstance(env, gymnasium.Env) and result[2] else result


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@pytest.mark.parametrize(
    "make",
    [
        lambda: diamant_v0.parallel_env(3, observation=["bag", "turn"]),
        lambda: diamant_v0.parallel_env(3, OWN, render_mode="ansi", reward="margin"),
        diamant_v0.raw_env,
        diamant_v0.env,
        lambda: gymnasium.make("diamant_env/Diamant-v0", opponents="mixture", seat=None),
        lambda: gymnasium.make_vec("diamant_env/Diamant-v0", num_envs=3, opponents="ev", observation=["bag", "turn"]),
        lambda: DiamantVecEnv(2, 3, opponents="mixture", observation=["bag", "turn"]),
    ],
)
def test_copy_mid_game_continues_identically(make, duplicate):
    env, random = make(), np.random.default_rng(0)
    (env.reset() if isinstance(env, VecEnv) else env.reset(seed=1))
    for _ in range(30):
        turn(env, random)
    other, twin = duplicate(env), copy.deepcopy(random)
    different = set()
    for _ in range(150):
        shown = turn(env, random)
        assert data_equivalence(shown, turn(other, twin), exact=True)
        different.add(pickle.dumps(shown))
    assert len(different) > 20


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_copy_has_the_random_state_of_its_spaces(duplicate):
    # A shallow copy of PettingZoo's wrappers shares their environment.
    for make in (diamant_v0.parallel_env,) if duplicate is copy.copy else (diamant_v0.parallel_env, diamant_v0.env):
        env = make(num_players=2)
        space = env.action_space("player_1")
        space.seed(3)
        other = duplicate(env)
        same = other.action_space("player_1")
        assert same is other.unwrapped.action_spaces["player_1"]
        assert same is not space
        assert [space.sample() for _ in range(20)] == [same.sample() for _ in range(20)]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_environment_with_a_window_is_copied(duplicate, monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("diamant_env/Diamant-v0", render_mode="human").unwrapped
    env.reset(seed=1)
    other = duplicate(env)
    assert env.step(0)[0].tobytes() == other.step(0)[0].tobytes()
    pygame.quit()


def test_read_only_memory_is_copied():
    """Joblib, Ray and dask give read-only buffers to `pickle.loads`; compiled code would write into them."""
    batch, game = Batch(3, 2), Game(2)
    batch.reset(seed=0)
    for one, play in ((batch, lambda batch: batch.play(np.zeros((3, 2), int))), (game, lambda game: game.reveal(5))):
        buffers: list[pickle.PickleBuffer] = []
        dumped = pickle.dumps(one, protocol=5, buffer_callback=buffers.append)
        frozen = [bytes(buffer) for buffer in buffers]
        before, loaded = [bytearray(each) for each in frozen], pickle.loads(dumped, buffers=frozen)
        play(loaded)
        assert frozen == before
        assert pickle.dumps(loaded) != pickle.dumps(pickle.loads(dumped, buffers=frozen))
