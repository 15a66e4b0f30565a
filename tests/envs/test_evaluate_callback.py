"""`EvaluateCallback` of stable-baselines3."""

import pickle

import pytest

from diamant_env.evaluation import evaluate

sb3 = pytest.importorskip("stable_baselines3")
EventAccumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator").EventAccumulator
vec = pytest.importorskip("diamant_env.sb3")
AGAINST = "pool"


def learned(callback, wrapper=lambda env: env, seed=1, **settings):
    env = wrapper(vec.DiamantVecEnv(8, 3, opponents="bag:9"))
    model = sb3.PPO("MlpPolicy", env, seed=seed, n_steps=8, batch_size=32, n_epochs=1, **settings)
    return model.learn(200, callback=callback)


def share_of(agent):
    return evaluate(agent, AGAINST, 40, players=3).results[0].win_share.mean


def test_evaluates_at_interval_and_end(tmp_path):
    """TensorBoard has the same points."""
    callback = vec.EvaluateCallback(AGAINST, every=80, games=40, players=3, best=tmp_path / "best.zip")
    model = learned(callback, tensorboard_log=str(tmp_path))
    assert [one.steps for one in callback.curve] == [80, 160, 240, 256]
    events = EventAccumulator(str(tmp_path / "PPO_1")).Reload().Scalars("eval/win_share")
    assert [one.step for one in events] == [80, 160, 240, 256]
    assert [one.value for one in events] == pytest.approx([one.win_share for one in callback.curve])
    share = evaluate(model, AGAINST, 40, players=3).results[0].win_share
    assert callback.curve[-1][1:] == (share.mean, (share.high - share.low) / 2)
    assert share_of(str(tmp_path / "best.zip")) == max(one.win_share for one in callback.curve)


def test_each_training_has_its_own_curve_and_best(tmp_path):
    callback = vec.EvaluateCallback(AGAINST, every=80, games=40, players=3, best=tmp_path / "best.zip")
    learned(callback)
    first = callback.curve
    callback.curve[0] = callback.curve[0]._replace(win_share=1.0)  # a maximum that no later model reaches
    model = learned(callback, seed=2)
    assert [one.steps for one in callback.curve] == [80, 160, 240, 256]
    assert share_of(model) == callback.curve[-1].win_share
    assert share_of(str(tmp_path / "best.zip")) == max(one.win_share for one in callback.curve)
    model.learn(100, callback=callback, reset_num_timesteps=False)
    assert [one.steps for one in callback.curve] == [80, 160, 240, 256, 336, 384]
    model.learn(100, callback=callback)
    assert [one.steps for one in callback.curve] == [80, 128]
    assert [one.steps for one in first] == [80, 160, 240, 256]


def test_best_model_has_its_statistics(tmp_path):
    callback = vec.EvaluateCallback(AGAINST, every=80, games=40, players=3, best=tmp_path / "best.zip")
    normalize = sb3.common.vec_env.VecNormalize
    learned(callback, normalize)
    env = normalize.load(str(tmp_path / "best.pkl"), vec.DiamantVecEnv(8, 3))
    model = sb3.PPO.load(tmp_path / "best.zip", env)
    assert share_of(model) == max(one.win_share for one in callback.curve)


def test_pickles():
    callback = pickle.loads(pickle.dumps(vec.EvaluateCallback("pool", games=20, seed=3)))
    learned(callback)
    assert [one.steps for one in callback.curve] == [256]


@pytest.mark.parametrize(
    ("name", "value"), [("every", 0), ("against", "pond"), ("games", 0), ("best", "best.safetensors")]
)
def test_invalid_settings(name, value):
    with pytest.raises(ValueError, match=f"{name}|{value}"):
        vec.EvaluateCallback(**{name: value})
