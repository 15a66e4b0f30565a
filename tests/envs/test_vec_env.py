"""VecEnv of stable-baselines3 over the batch engine."""

import gymnasium
import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.gym_env import DiamantEnv
from diamant_env.opponents import EMPTY, make_agent

sb3 = pytest.importorskip("diamant_env.sb3")
vec_env = pytest.importorskip("stable_baselines3.common.vec_env")


def test_equal_opponents_are_not_one():
    first, second = make_agent("mixture", 1), make_agent("mixture", 2)
    assert first == second
    assert sb3.DiamantVecEnv(1, 3, opponents=[first, second]).seated.seating.tolist() == [[EMPTY, 0, 1]]
    assert sb3.DiamantVecEnv(1, 3, opponents=[first, first]).seated.seating.tolist() == [[EMPTY, 0, 0]]


def same_step(num_envs, **settings):
    return sb3.GymnasiumVecEnv(
        gymnasium.make_vec("diamant_env/Diamant-3p-v0", num_envs=num_envs, autoreset_mode="SameStep", **settings)
    )


def test_infos_of_gymnasium_vec_env_equal_those_of_dummy_vec_env():
    ours, theirs = same_step(3, seat=None), vec_env.DummyVecEnv([lambda: DiamantEnv(3, seat=None)] * 3)
    for env in (ours, theirs):
        env.seed(5)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    assert ours.reset_infos == theirs.reset_infos
    random, ends = np.random.default_rng(0), 0
    for _ in range(60):
        actions = (random.random(3) < 0.3).astype(np.int64)
        found, expected = ours.step(actions), theirs.step(actions)
        for info, same in zip(found[3], expected[3], strict=True):
            assert {"TimeLimit.truncated": False, **info}.keys() == same.keys()
            assert all(np.array_equal(info[key], same[key]) for key in info)
        assert ours.reset_infos == theirs.reset_infos
        ends += int(found[2].sum())
    assert ends > 3


def test_options_of_gymnasium_are_used_once():
    env = same_step(2)
    env.reset()
    env.set_options([{}, {"reset_mask": np.array([True, False])}])
    with pytest.raises(ValueError, match="one dictionary for all rows"):
        env.reset()
    env.set_options({"reset_mask": np.array([True, False])})
    for same in ([False, True], [False, False]):
        before = env.envs.unwrapped.games["key"]
        env.reset()
        assert (env.envs.unwrapped.games["key"] == before).tolist() == same


@pytest.mark.parametrize("settings", [{}, {"edition": "iello-2016/hidden_rivals:1"}, {"reward": lambda gems, *_: gems}])
def test_infos(settings):
    env, batch = sb3.DiamantVecEnv(2, [3, 5], **settings), Batch(2, [3, 5])
    present = np.arange(5) < [[3], [5]]
    env.seed(7)
    env.reset()
    batch.reset(7)
    seats = [0, 1, 2, 0, 1, 2, 3, 4]
    begins = [{"seat": seat, "score": 0} for seat in seats]
    assert env.reset_infos == begins
    env.reset_infos = [{}] * 8
    while not batch.over.any():
        actions = np.random.default_rng(batch.games["turn"][0]).integers(0, 2, (2, 5), np.int8)
        ignored = 256 * ~batch.must_decide  # what a row in camp sends
        batch.step(actions)
        *_, infos = env.step((actions + ignored)[present])
        assert [info["seat"] for info in infos] == seats
        assert [info["score"] for info in infos] == batch.games["chest"][:, :5][present].tolist()
    assert max(info["score"] for info in infos) > 0
    ended = batch.over.repeat([3, 5])
    won = (batch.games["chest"] == batch.games["chest"].max(axis=1, keepdims=True))[:, :5][present]
    assert [info.get("is_success") for info in infos] == np.where(ended, won, None).tolist()
    assert [info.get("TimeLimit.truncated") for info in infos] == np.where(ended, False, None).tolist()
    assert env.reset_infos == np.where(ended, begins, {}).tolist()


def test_attributes_are_set_for_all_rows():
    for env in (sb3.DiamantVecEnv(2, 3), same_step(2)):
        with pytest.raises(ValueError, match="indices"):
            env.set_attr("render_mode", "changed", indices=[0])
        assert env.get_attr("render_mode") == [None] * env.num_envs
        env.set_attr("note", 3, indices=range(env.num_envs))
        env.set_attr("other", 4)
        assert env.get_attr("note") + env.get_attr("other") == [3] * env.num_envs + [4] * env.num_envs


@pytest.mark.parametrize(
    "make_env", [lambda: sb3.DiamantVecEnv(4, 3, reward="win"), lambda: same_step(4, reward="win")]
)
def test_evaluation_of_stable_baselines3(make_env, tmp_path):
    """`EvalCallback` and the learner count a win as a success."""
    learns = pytest.importorskip("stable_baselines3")
    model = learns.PPO("MlpPolicy", vec_env.VecMonitor(make_env()), n_steps=128, n_epochs=1, device="cpu", seed=0)
    evaluates = learns.common.callbacks.EvalCallback(
        vec_env.VecMonitor(make_env()), n_eval_episodes=12, eval_freq=128, log_path=tmp_path, deterministic=False
    )
    model.learn(128 * model.n_envs, callback=evaluates)
    returns = np.array(evaluates.evaluations_results)
    assert returns.shape == (1, 12)
    assert np.array_equal(evaluates.evaluations_successes, returns > 0)
    assert 0 < len(model.ep_success_buffer) < 100
    found, _ = learns.common.evaluation.evaluate_policy(
        model, vec_env.VecMonitor(make_env()), n_eval_episodes=8, return_episode_rewards=True
    )
    assert len(found) == 8


def test_maskable_ppo_trains_on_every_view():
    contrib = pytest.importorskip("sb3_contrib")
    singles = gymnasium.make_vec(
        "diamant_env/Diamant-v0", 2, vectorization_mode="sync", vector_kwargs={"autoreset_mode": "SameStep"}
    )
    views = (sb3.DiamantVecEnv(2, 3), same_step(4), sb3.GymnasiumVecEnv(singles))
    for env in (DiamantEnv(), "diamant_env/Diamant-3p-v0", *views):
        model = contrib.MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8, n_epochs=1, device="cpu")
        assert model.learn(32).num_timesteps >= 32
    single = DiamantEnv(num_players=1)
    single.reset(seed=0)
    assert single.action_masks().tolist() == [True, True]
    while not single.step(1)[2]:
        pass
    assert single.action_masks().tolist() == [True, False]


@pytest.mark.parametrize("opponents", [None, "bag:11"])
def test_decisions_are_those_of_learner_rows_inside(opponents):
    env = sb3.DiamantVecEnv(16, 4, opponents=opponents)
    seen, expected = env.reset(), 0
    assert len(seen) == (16 if opponents else 64)
    for _ in range(30):
        expected += int((seen[:, 0] == 1).sum())
        seen, _, _, _ = env.step(np.random.default_rng(expected).integers(0, 2, len(seen)))
        assert env.decisions == expected
    with pytest.raises(ValueError, match=r"actions\[\d+\] = 2"):
        env.step(np.full(len(seen), 2))
    assert env.decisions == expected
