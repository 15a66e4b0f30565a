"""PPO: learning, schedules, resumption to the same bytes, saved policies."""

import json
import math
import threading
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tqdm import tqdm

from diamant_env.evaluation import evaluate
from diamant_env.opponents import EMPTY, make_agent
from diamant_env.opponents.inputs import CANONICAL, RAW
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.algorithms.regularised_nash import RegularisedNash
from train.ppo import Learner, Samples, main
from train.runs import evaluation, training_run
from train.runs.config import Config, NetworkConfig, PPOConfig
from train.runs.run_folder import POLICY, TIME, new_run_folder, read_json, save_policy
from train.runs.training_run import TrainingRun, train

SCALARS = (
    *("loss", "policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction"),
    *("explained_variance", "learning_rate"),
)
SMALL = {
    "threads": 1,
    "checkpoints": 6,
    "ppo": {
        "decisions": 12_000,
        "games": 30,
        "turns": 32,
        "minibatch": 256,
        "average": 0.5,
        "entropy": 0.02,
        "final_entropy": 0.0,
        "explore": 0.4,
    },
    "opponents": {"learner": 0.6, "snapshot_every": 1_500, "snapshot_places": 2},
    "network": {"hidden": [16]},
    "evaluation": {"curve_points": 0},
}


def small_run(folder: Path, **changes) -> tuple[Config, Path]:
    config = Config.model_validate({**SMALL, **changes})
    return config, new_run_folder(folder, config)


def test_ppo_learns(tmp_path):
    config, folder = small_run(
        tmp_path,
        ppo={"decisions": 200_000, "games": 128, "turns": 32, "minibatch": 1024, "learning_rate": 3e-3},
        opponents={},
        network={"hidden": [32, 32]},
    )
    agent = train(config, folder)
    (result,) = evaluate(agent, "random:0.5", 4_000).results
    assert result.win_share.low > 0.25 + 0.10
    assert not list(folder.glob("curve.*"))


@pytest.mark.parametrize(("trained", "evaluated"), [((3, 4, 5), 4), ((3,), 3), ((1, 6, 5), 6), ((1,), 2)])
def test_table_size_of_evaluation_is_a_trained_one(trained, evaluated):
    assert Config.model_validate({"game": {"num_players": trained}}).evaluation_players == evaluated


def test_averaged_weights(tmp_path):
    config, folder = small_run(tmp_path, ppo={"decisions": 100, "average": 0.5})
    learner = Learner(DiamantVecEnv(2, 2), PPOConfig(turns=16, minibatch=16), config.network, 0)
    run, biases = TrainingRun(config, folder, learner), []
    bias = learner.policy.action_net.bias
    for learner.decisions in (40, 50, 70, 100):
        with torch.no_grad():
            bias += learner.decisions
        run.average.add(learner.network(), learner.decisions)
        biases.append(bias.detach().numpy().copy())
    assert run.average.count == 3
    np.testing.assert_allclose(run.policy().layers[-1][1], np.mean(biases[1:], axis=0), rtol=1e-6)


def learn(model: Learner, decisions: int) -> None:
    while model.decisions < decisions:
        model.update(model.rollout())


def test_training_ends_at_the_budget_with_final_values():
    env = DiamantVecEnv(50, 4)
    config = PPOConfig(decisions=500, turns=64, minibatch=512, final_learning_rate=1e-4, entropy=0.1, final_entropy=0.0)
    model = Learner(env, config, NetworkConfig(hidden=(8,)), 0)
    model.learn()
    assert config.decisions <= model.decisions < config.decisions + env.num_envs  # within one turn
    assert (model.policy.optimizer.param_groups[0]["lr"], model.entropy_weight) == (1e-4, 0.1)
    model.learn()
    assert (model.policy.optimizer.param_groups[0]["lr"], model.entropy_weight) == (1e-4, 0.0)


def test_scalars():
    """The first step is on-policy; at a rate of 0 all are."""
    config = PPOConfig(decisions=10**9, turns=32, minibatch=64, epochs=2, learning_rate=1e-30, final_learning_rate=0)
    model = Learner(DiamantVecEnv(20, 3), config, NetworkConfig(hidden=(8,)), 0)
    samples = model.rollout()
    model.update(samples)
    assert model.log["approx_kl"] == pytest.approx(0, abs=1e-6)
    assert model.log["clip_fraction"] == 0
    expected = 1 - np.var(samples.returns - samples.values) / np.var(samples.returns)
    assert model.log["explained_variance"] == pytest.approx(expected, rel=1e-4)


def test_loss_weighs_its_parts():
    model = Learner(DiamantVecEnv(4, 3), PPOConfig(turns=16), NetworkConfig(hidden=(8,)), 0)
    model.value_weight = 0.25
    batch = Samples(*map(torch.from_numpy, model.rollout()))
    model.entropy_weight = 0.5
    loss, part = model.loss(batch)
    expected = part["policy_gradient_loss"] + 0.5 * part["entropy_loss"] + 0.25 * part["value_loss"]
    assert loss.item() == pytest.approx(expected.item())
    assert part["entropy_loss"] < -0.5


class Killed(Exception):
    """Simulated death of the process."""


def test_resume_gives_the_same_bytes(tmp_path, monkeypatch):
    """Snapshots, averaging, open decisions, minibatches, the curve and the anchor of R-NaD included."""
    learner = partial(RegularisedNash, weight=0.1, replacements=3)
    point = {"win_share": 0.25, "low": 0.2, "high": 0.3}
    monkeypatch.setattr(training_run, "curve_point", lambda *_: point)
    config, whole = small_run(tmp_path, evaluation={"curve_points": 3})
    train(config, whole, learner)
    config, broken = small_run(tmp_path, evaluation={"curve_points": 3})
    play, turns = DiamantVecEnv.play, []

    def dies(*args):
        turns.append(None)
        if len(turns) > 125:
            raise Killed
        return play(*args)

    with monkeypatch.context() as patch:
        patch.setattr(DiamantVecEnv, "play", dies)
        with pytest.raises(Killed):
            train(config, broken, learner)
    before = read_json(broken / TIME)
    train(config, broken, learner)
    found, expected = read_json(broken / TIME), read_json(whole / TIME)
    assert 0 < before["decisions"] < found["decisions"] == expected["decisions"]
    assert 0 < before["seconds"] < found["seconds"]
    for file in (POLICY, "curve.json"):
        assert (broken / file).read_bytes() == (whole / file).read_bytes()
    policies = sorted(path.name for path in (whole / "checkpoints").iterdir())
    assert len(policies) == SMALL["checkpoints"]
    for policy in policies:
        assert (broken / "checkpoints" / policy).read_bytes() == (whole / "checkpoints" / policy).read_bytes()


def test_numpy_policy_equals_torch_policy(tmp_path):
    for activation, inputs in (("relu", CANONICAL), ("tanh", RAW)):
        env = DiamantVecEnv(50, [3, 4, 5, 6, 8] * 10)
        config = PPOConfig(turns=16, minibatch=128, decisions=3000)
        model = Learner(env, config, NetworkConfig(hidden=(32, 16), activation=activation, inputs=inputs), 1)
        learn(model, 3000)
        config, folder = small_run(tmp_path)
        save_policy(folder / POLICY, model.network(), config, 1)
        agent = NetworkAgent.load(folder / POLICY)
        seen = model.observations[model.observations[:, 0] > 0]
        with torch.no_grad():
            distribution = model.policy.get_distribution(torch.from_numpy(model.inputs(seen)))
            expected = distribution.distribution.probs[:, 1].numpy()
        assert np.abs(agent.leave_probability(seen) - expected).max() < 1e-5
        assert np.ptp(expected) > 0.001


@pytest.fixture
def few_games(monkeypatch):
    monkeypatch.setattr(evaluation, "MEMBER_GAMES", 200)
    monkeypatch.setattr(evaluation, "CURVE_GAMES", 200)
    monkeypatch.setattr(tqdm, "monitor_interval", 0)  # no thread of its own


def test_run_folder_is_complete(tmp_path, capsys, few_games):
    words = "--ppo.decisions 6000 --ppo.games 20 --ppo.turns 16 --evaluation.games 200 --evaluation.num-players 5"
    words += " --game.edition everdeck/expeditions:2/hidden_rivals:1 --game.num-players 3 --game.reward score"
    changes = f"{words} --evaluation.curve-points 3 --seed 7 --name tiny".split()
    before = {*threading.enumerate()}
    assert main([*changes, "--out", str(tmp_path)]) == 0
    folder = tmp_path / "tiny-seed7"
    assert not {*threading.enumerate()} - before  # TensorBoard's
    names = {path.name for path in folder.iterdir()}
    assert names >= {
        *("config.toml", "versions.json", "checkpoints", "tensorboard", "policy.safetensors", "results.json"),
        *("curve.json", "curve.png", "time.json"),
    }
    curve = json.loads((folder / "curve.json").read_text())
    events = EventAccumulator(str(folder / "tensorboard")).Reload()
    shown = events.Scalars("eval/win_share")
    assert [one.step for one in shown] == [point["decisions"] for point in curve]
    assert [one.value for one in shown] == pytest.approx([point["win_share"] for point in curve])
    assert {*events.Tags()["scalars"]} == {"eval/win_share", *(f"train/{name}" for name in SCALARS)}
    results = json.loads((folder / "results.json").read_text())
    assert results["config"]["seed"] == 7
    assert results["edition"]["name"] == "everdeck/expeditions:2/hidden_rivals:1"
    assert Counter(row["against"] for row in results["results"][2:]) == {"4 × tiny": 16}  # two members need open chests
    decisions = [point["decisions"] for point in json.loads((folder / "curve.json").read_text())]
    assert decisions[0] == 0  # of the untrained policy
    assert [int(3 * (done / 6000) ** 0.5) for done in decisions[1:]] == [1, 2, 3]
    versions = json.loads((folder / "versions.json").read_text())
    assert "torch" in versions["packages"]
    assert versions["processor"]
    assert (versions["instruction_set"], versions["threads"]) == (torch.backends.cpu.get_cpu_capability(), 1)
    assert "win share" in capsys.readouterr().out
    assert main(["--resume", str(folder), "--no-evaluation"]) == 0
    assert main([*changes, "--out", str(tmp_path), "--no-evaluation"]) == 0
    assert (tmp_path / "tiny-seed7-2" / POLICY).read_bytes() == (folder / POLICY).read_bytes()


def test_interrupted_run_has_curve_and_resume_hint(tmp_path, monkeypatch, capsys, few_games):
    def killed(run):
        raise KeyboardInterrupt

    monkeypatch.setattr(TrainingRun, "save", killed)
    words = "--ppo.decisions 4000 --ppo.games 20 --ppo.turns 16 --evaluation.curve-points 4"
    assert main([*words.split(), "--checkpoints", "2", "--name", "killed", "--out", str(tmp_path / "my runs")]) == 130
    folder = tmp_path / "my runs" / "killed-seed0"
    assert f"stopped; resume with --resume '{folder}'" in capsys.readouterr().err
    points = json.loads((folder / "curve.json").read_text())
    assert all(point["decisions"] >= 250 * number**2 for number, point in enumerate(points))
    assert 2 <= len(points) <= 4
    assert (folder / "curve.png").stat().st_size > 5_000
    assert not (folder / POLICY).exists()


def test_rollout_without_complete_decision():
    """All learners are in camp at the end of every rollout."""
    seating = np.array([[EMPTY, 0, 0]])
    env = DiamantVecEnv(1, 3, opponents=[make_agent("continue")], seating=seating)
    model = Learner(env, PPOConfig(games=1, turns=2, minibatch=2, decisions=200), NetworkConfig(hidden=(4,)), 0)
    learn(model, 20)


def test_diverged_training_stops_and_saves_finite_policies(tmp_path, monkeypatch, capsys):
    loss, times = Learner.loss, []

    def break_down(model, batch):
        times.append(model)
        if len(times) == 3:
            with torch.no_grad():
                model.policy.mlp_extractor.value_net[0].weight[0, 0] = math.nan
        return loss(model, batch)

    monkeypatch.setattr(Learner, "loss", break_down)
    words = "--ppo.decisions 8000 --ppo.games 20 --ppo.turns 32 --network.hidden 8 --evaluation.curve-points 0"
    words += f" --checkpoints 100 --ppo.epochs 1 --out {tmp_path} --no-evaluation"
    assert main(words.split()) == 2
    assert "diverged" in capsys.readouterr().err
    (folder,) = tmp_path.iterdir()
    assert not (folder / "policy.safetensors").exists()
    saved = list((folder / "checkpoints").iterdir())
    assert len(saved) == 2
    for path in saved:
        assert all(np.isfinite(weight).all() for weight, _ in NetworkAgent.load(path).layers)
