"""Training on Ray: the same policy file, runners with games of their own, death and resumption."""

from __future__ import annotations

import os
import signal
from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("ray")
import ray
import torch
from gymnasium.spaces import Discrete
from ray.rllib.core.columns import Columns
from train.distributed.algorithm import SelfPlay, algorithm_config
from train.distributed.module import DecisionModule
from train.distributed.runner import SelfPlayRunner
from train.rllib import CHECKPOINT, load_checkpoint, main, train

from diamant_env import Batch
from diamant_env.observation import NUM_FEATURES, observation_space
from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from train import rllib
from train.runs.config import RayRun, read_config
from train.runs.run_folder import POLICY, new_run_folder, save_policy

SMALL = {
    "threads": 1,
    "checkpoints": 4,
    "ppo": {"decisions": 8_000, "games": 40, "turns": 16, "minibatch": 256, "epochs": 2},
    "opponents": {"learner": 0.5, "snapshots": 0.3, "scripted": 0.2, "snapshot_every": 1_000, "snapshot_places": 2},
    "network": {"hidden": [16], "activation": "tanh"},
    "judge": {"curve_points": 0},
}


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """Ray on this machine, with more cores than it has."""
    ray.init(address="local", num_cpus=6, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


def small(**changes) -> RayRun:
    return RayRun.model_validate({**SMALL, **changes})


def of_runners(algorithm: SelfPlay, question) -> list:
    return algorithm.env_runner_group.foreach_env_runner(question, local_env_runner=False)


def game_keys(algorithm: SelfPlay) -> list[set[int]]:
    return of_runners(algorithm, lambda runner: set(runner.env.batch.games.key.tolist()))


def assert_no_game_in_common(keys: list[set[int]]):
    for some, others in combinations(keys, 2):
        assert not some & others


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_the_exported_policy_gives_the_modules_probabilities(tmp_path, activation):
    """To 1e-6, on observations of real games, read from the file by NumPy alone."""
    run = small(network={"hidden": [64, 64], "activation": activation})
    torch.manual_seed(0)
    module = DecisionModule(
        observation_space=observation_space(),
        action_space=Discrete(2),
        model_config={"network": run.network.model_dump()},
    )
    with torch.no_grad():
        module.policy[-1].weight.mul_(100)  # as after training: probabilities from 0 to 1
    save_policy(tmp_path / POLICY, module.agent("test"), run, 0)
    batch = Batch(500, 4)
    seen = batch.reset(0)
    for _ in range(5):
        seen, _, _ = batch.step(np.zeros((500, 4), np.int8))
    flat = seen.reshape(-1, NUM_FEATURES)
    with torch.no_grad():
        logits = module.forward_inference({Columns.OBS: torch.from_numpy(flat)})[Columns.ACTION_DIST_INPUTS]
        expected = torch.softmax(logits, 1)[:, 1].numpy()
    assert np.abs(make(str(tmp_path / POLICY)).leave_probability(flat) - expected).max() < 1e-6
    assert np.ptp(expected) > 0.3


def test_samples_hold_every_decision_and_every_reward_once():
    """What a seat is paid adds up to one win a game, and a seat's games are continued where they were cut."""
    run = small(opponents={}, ray={"runners": 0})
    runner = SelfPlayRunner(config=algorithm_config(run), worker_index=0)
    runner.join(0, [])
    paid, ended, cuts = 0.0, 0, set()
    for _ in range(8):
        episodes = runner.sample()
        assert cuts <= {episode.get_observations(0).tobytes() for episode in episodes}
        cuts = {episode.get_observations(-1).tobytes() for episode in episodes if not episode.is_terminated}
        paid += sum(episode.get_return() for episode in episodes)
        ended += sum(episode.is_terminated for episode in episodes)
        for episode in episodes:
            assert (episode.get_observations(slice(0, len(episode)))[:, 0] == 1).all()
            probabilities = np.exp(episode.get_extra_model_outputs(Columns.ACTION_DIST_INPUTS))
            np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert ended > 40
    assert paid == pytest.approx(ended / 4)


def test_a_killed_runner_does_not_lose_the_run():
    """A real SIGKILL: the run goes on with the others, then with the runner that takes its place and plays anew."""
    algorithm = algorithm_config(small(ray={"runners": 2})).build_algo()
    try:
        keys = game_keys(algorithm)
        algorithm.train()
        pids = of_runners(algorithm, lambda runner: os.getpid())
        os.kill(pids[0], signal.SIGKILL)
        before = algorithm.decisions
        for _ in range(60):
            algorithm.train()
            now = of_runners(algorithm, lambda runner: os.getpid())
            if len(now) == 2 and algorithm.decisions > before:
                break
        assert len(set(now) - set(pids)) == 1
        assert pids[1] in now
        assert_no_game_in_common([*keys, *game_keys(algorithm)])
        networks = of_runners(algorithm, lambda runner: runner.league.networks())
        assert [network is None for network in networks[0]] == [network is None for network in networks[1]]
        after = algorithm.decisions
        algorithm.train()
        assert algorithm.decisions > after
    finally:
        algorithm.stop()


class Killed(Exception):
    """Stands for the moment at which the process dies."""


def test_a_run_that_died_goes_on_from_its_checkpoint_with_other_games(tmp_path, monkeypatch):
    config = small(ray={"runners": 2})
    folder = new_run_folder(tmp_path, config)
    keys, decisions, agents, learn_once, save = [], [], [], rllib.learn_once, rllib.save_checkpoint

    def watched(algorithm, name):
        keys.extend(game_keys(algorithm))
        decisions.append(algorithm.decisions)
        agents.append(algorithm.agent("learner"))
        learn_once(algorithm, name)

    def dies(*arguments):
        save(*arguments)
        raise Killed

    monkeypatch.setattr(rllib, "learn_once", watched)
    with monkeypatch.context() as patch:
        patch.setattr(rllib, "save_checkpoint", dies)
        with pytest.raises(Killed):
            train(config, folder)
    assert not (folder / POLICY).exists()
    saved = load_checkpoint(folder, config)
    first, rounds = len(keys), len(decisions)
    train(config, folder)
    checkpoint = min((folder / "checkpoints").iterdir())
    assert decisions[0] == 0
    assert decisions[rounds] == int(checkpoint.stem) > 0
    np.testing.assert_array_equal(agents[rounds].layers[0][0], NetworkAgent.load(checkpoint).layers[0][0])
    assert_no_game_in_common([set().union(*keys[:first]), *keys[first : first + 2]])
    assert NetworkAgent.load(folder / POLICY).metadata["decisions"] >= 8_000
    assert saved["algorithm"]["league"]["taken"] > 0
    assert saved["algorithm"]["learner_group"]["learner"]["optimizer"]


@pytest.mark.parametrize("ray_config", [{"runners": 0}, {"runners": 3, "learners": 2}])
def test_any_number_of_runners_and_learners(tmp_path, ray_config):
    """Players are divided among all runners; both learners keep the same weights."""
    config = small(ray=ray_config, game={"num_players": [3, 5]}, ppo={**SMALL["ppo"], "decisions": 2_000})
    folder = new_run_folder(tmp_path, config)
    agent = train(config, folder)
    saved = NetworkAgent.load(folder / POLICY)
    for layer, other in zip(agent.layers, saved.layers, strict=True):
        assert all(np.array_equal(*pair) for pair in zip(layer, other, strict=True))
    assert saved.metadata["config"]["ray"]["runners"] == ray_config["runners"]


def test_runners_share_the_games():
    run = small(ray={"runners": 3}, game={"num_players": [3, 5]})
    runners = [SelfPlayRunner(config=algorithm_config(run), worker_index=index) for index in (1, 2, 3)]
    for runner in runners:
        runner.join(0, [None, None])
    assert sum(runner.env.batch.num_games for runner in runners) == run.ppo.games
    assert all(set(runner.env.batch.num_players) == {3, 5} for runner in runners)
    assert_no_game_in_common([set(runner.env.batch.games.key.tolist()) for runner in runners])


def test_the_config_file_is_the_default_task():
    run, default = read_config("configs/rllib.toml", RayRun), read_config("configs/default.toml")
    assert (run.game, run.network, run.ray.runners) == (default.game, default.network, 2)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--set", "ray.runners=-1"], "ray.runners = -1: Input should be greater than or equal to 0"),
        (["--set", "ray.workers=2"], "unknown key 'ray.workers'"),
        (["--set", "ray.runners=50", "--set", "ppo.games=40"], "ppo.games = 40 among ray.runners = 50"),
        (["--set", "ray.learners=9", "--set", "ppo.minibatch=16"], "ppo.minibatch = 16 among ray.learners = 9"),
        *((["--set", key], "can't be set on Ray") for key in ("ppo.explore=0.5", "start=champion", "ppo.average=0.5")),
        (["--resume", "nowhere"], "nowhere is no run folder: it has no config.toml"),
    ],
)
def test_bad_input_at_the_command_line(arguments, complaint, tmp_path, capsys):
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    assert complaint in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_damaged_checkpoint_is_named(tmp_path, capsys):
    folder = new_run_folder(tmp_path, small())
    (folder / CHECKPOINT).write_bytes(b"not a checkpoint")
    assert main(["--resume", str(folder)]) == 2
    assert f"{folder / CHECKPOINT} is damaged" in capsys.readouterr().err


def test_a_folder_without_a_checkpoint_begins_anew(tmp_path, capsys, monkeypatch):
    def interrupted(config, folder):
        raise KeyboardInterrupt

    folder = new_run_folder(tmp_path, small())
    monkeypatch.setattr(rllib, "train", interrupted)
    assert main(["--resume", str(folder)]) == 130
    assert f"{folder} has no {CHECKPOINT} yet: the run begins anew" in capsys.readouterr().err


def test_runners_that_never_answer_end_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(SelfPlay, "training_step", lambda self: None)
    config = small(ray={"runners": 0})
    with pytest.raises(RuntimeError, match="no runner has answered 20 times in a row"):
        train(config, new_run_folder(tmp_path, config))
