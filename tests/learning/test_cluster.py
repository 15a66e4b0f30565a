"""Training and evaluation on Ray, independent of where jobs run."""

import os
import signal

import numpy as np
import pytest

from diamant_env.opponents.network import NetworkAgent
from train.cluster import ClusterLearner, Runner, map_on_ray, train
from train.league import tables_of
from train.ppo import Learner
from train.runs.config import Config
from train.runs.run_folder import CHECKPOINT, POLICY, new_run_folder

SMALL = {
    "checkpoints": 4,
    "ppo": {"decisions": 6_000, "games": 40, "turns": 16, "minibatch": 256, "epochs": 2, "explore": 0.3},
    "opponents": {"learner": 0.5, "snapshot_every": 1_000, "snapshot_places": 2},
    "network": {"hidden": [16], "activation": "tanh"},
    "evaluation": {"curve_points": 0},
}


@pytest.fixture(scope="module")
def two_nodes():
    """Start a cluster of two nodes on this machine."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    nodes.add_node(num_cpus=2)
    ray.init(address=nodes.address, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()
    nodes.shutdown()


def small(**changes) -> Config:
    return Config.model_validate({**SMALL, **changes})


def test_map_on_ray_yields_results_in_order(two_nodes):
    assert list(map_on_ray(os.path.basename, ["a/b", "c/d"])) == ["b", "d"]


def test_unreachable_cluster_is_one_error(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(ConnectionError, match="127"):
        list(map_on_ray(len, ["job"]))


def test_runners_split_games_with_distinct_keys():
    config = small(runners=3, game={"num_players": [3, 5]})
    games = [Runner(config, number).begin(0).env.batch for number in range(3)]
    games.append(Runner(config, 0).begin(100).env.batch)
    assert sum(batch.num_games for batch in games[:3]) == config.ppo.games
    assert all(set(batch.num_players) == {3, 5} for batch in games)
    keys = [key for batch in games for key in batch.games.key.tolist()]
    assert len(set(keys)) == len(keys)


def test_more_runners_than_games_are_refused():
    with pytest.raises(ValueError, match="runners"):
        small(runners=50)
    config = small(runners=15, game={"num_players": [3, 4], "editions": ["everdeck", "incan-gold"] * 5})
    sizes, editions = tables_of(config)
    assert len(set(zip(sizes, (edition.name for edition in editions), strict=True))) == 4  # by all runners together


def test_runner_plays_given_policy():
    config = small(opponents={})
    runner = Runner(config, 0)
    learner = Learner(runner.begin(0).env, config.ppo, config.network, 7)
    samples, made = runner.rollout(500, learner.policy.state_dict(), [])
    log_probs, values = learner.evaluate(samples.inputs)
    taken = log_probs[np.arange(len(samples.actions)), samples.actions]
    np.testing.assert_allclose(samples.log_probs, taken, atol=1e-6)
    np.testing.assert_allclose(samples.values, values, atol=1e-5)
    assert len(samples.actions) <= made


def test_run_survives_killed_runner_and_resumes(two_nodes, tmp_path, monkeypatch):
    """A runner gets SIGKILL and is restarted by Ray; then the command dies and the run is resumed."""
    config = small(runners=3)
    folder, rollout, pids, made = new_run_folder(tmp_path, config), ClusterLearner.rollout, [], []

    def watched(learner):
        if len(made) == 2:
            pids.append(two_nodes.get(learner.runners[0].pid.remote()))
            os.kill(pids[0], signal.SIGKILL)
        if len(made) == 5:
            pids.append(two_nodes.get(learner.runners[0].pid.remote()))
            raise KeyboardInterrupt
        made.append(learner.decisions)
        return rollout(learner)

    with monkeypatch.context() as patch:
        patch.setattr(ClusterLearner, "rollout", watched)
        with pytest.raises(KeyboardInterrupt):
            train(config, folder)
    assert pids[0] != pids[1]
    assert made == sorted(set(made))
    assert (folder / CHECKPOINT).is_file()
    agent = train(config, folder)
    saved = NetworkAgent.load(folder / POLICY)
    assert saved.metadata["decisions"] >= config.ppo.decisions
    for layer, other in zip(agent.weights(), saved.weights(), strict=True):
        assert all(np.array_equal(*pair) for pair in zip(layer, other, strict=True))
