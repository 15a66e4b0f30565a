"""`JudgeCallback` of stable-baselines3."""

import pytest

from diamant_env.judging import evaluate

sb3 = pytest.importorskip("stable_baselines3")
vec = pytest.importorskip("diamant_env.sb3")


def learned(callback, steps=200):
    env = vec.DiamantVecEnv(8, 3, opponents="bag:9")
    return sb3.PPO("MlpPolicy", env, seed=1, n_steps=8, batch_size=32, n_epochs=1).learn(steps, callback=callback)


def test_judges_at_interval_and_end(tmp_path):
    judge = vec.JudgeCallback("pool", every=80, games=40, players=3, best=tmp_path / "best.zip")
    model = learned(judge)
    assert [one.steps for one in judge.curve] == [80, 160, 240, 256]
    last = evaluate(model, "pool", 40, players=3).results[0].win_share
    assert judge.curve[-1].win_share == last.mean
    assert judge.curve[-1].half_width == pytest.approx((last.high - last.low) / 2)
    best = evaluate(str(tmp_path / "best.zip"), "pool", 40, players=3).results[0].win_share.mean
    assert best == max(one.win_share for one in judge.curve)


def test_invalid_settings():
    with pytest.raises(ValueError, match="every=0; at least 1 step"):
        vec.JudgeCallback(every=0)
    for wrong, message in {
        ("against", "pond"): "against 'pond': no such pool",
        ("games", 0): "games=0",
        ("best", "best.safetensors"): "best='best.safetensors'; a .zip file",
    }.items():
        with pytest.raises(ValueError, match=message):
            vec.JudgeCallback(every=40, **dict([wrong]))
