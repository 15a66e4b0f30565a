"""Games in shards, and jobs on Ray: where they run changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from train.distributed import cluster as on_ray
from train.distributed.cluster import map_on_ray, require_ray

from diamant_env.judging import sharding
from diamant_env.judging.games import play, seeds_for
from diamant_env.judging.lineups import deal
from diamant_env.judging.tournament import hold_tournament
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.network import NetworkAgent
from train import best_response, rllib

AGENTS = ("mixture:5,15", "ev:0.75", "bag:6", "random:0.3", "traps:3")


@pytest.fixture(scope="module")
def cluster():
    """Ray on this machine, with more cores than it has, since tests wait more than they work."""
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=4, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


def test_one_shard_is_what_plain_play_gives():
    seating = deal(10, 3, 5, np.random.default_rng(0))
    whole = play(AGENTS, seating, 57, seeds_for(0, "test"))
    played = sharding.play_sharded(AGENTS, seating, 57, seeds_for(0, "test"))
    for name in ("seating", "shares", "scores", "keys"):
        np.testing.assert_array_equal(getattr(played, name), getattr(whole, name))


def test_shards_play_every_game_once_at_its_table(monkeypatch):
    monkeypatch.setattr(sharding, "TABLES", 4)
    seating = deal(10, 3, 5, np.random.default_rng(0))
    ended = []
    progress = type("Bar", (), {"update": lambda self, games: ended.append(games)})()
    played = sharding.play_sharded(AGENTS, seating, 57, seeds_for(0, "test"), progress=progress)
    assert ended == [4 * 6, 3 * 6 + 5, 2 * 5]
    assert len(np.unique(played.keys)) == 57
    np.testing.assert_allclose(played.shares.sum(axis=1), 1)
    first = play(AGENTS, seating[:4], 24, seeds_for(0, "test").spawn(3)[0])
    np.testing.assert_array_equal(played.scores[np.arange(57) % 10 < 4], first.scores)


def test_a_tournament_on_ray_has_the_same_bytes(cluster, monkeypatch):
    """Agents that draw and a network among them; more shards than cores."""
    monkeypatch.setattr(sharding, "TABLES", 20)
    random = np.random.default_rng(0)
    layers = [(random.normal(size=(n, m)).astype(np.float32), np.zeros(n, np.float32)) for n, m in SHAPES]
    agents = [*AGENTS, NetworkAgent(layers, "tanh", "network")]
    here, there = (hold_tournament(agents, 300, 3, map_shards=map_shards) for map_shards in (map, map_on_ray))
    assert here.standings == there.standings
    assert here.beats.tobytes() == there.beats.tobytes()


SHAPES = ((8, NUM_FEATURES), (2, 8))


def test_a_search_for_best_responses_on_ray_has_the_same_bytes(cluster, tmp_path):
    (tmp_path / "few.toml").write_text('agents = ["bag:5", "cards:7"]')
    small = (
        "ppo.decisions=4000",
        "ppo.games=40",
        "ppo.turns=16",
        "ppo.minibatch=256",
        "network.hidden=[16]",
        "seeds=2",
    )
    games = ("pick_games=100", "report_games=200", "game.num_players=[3]", f'pools=["{tmp_path / "few.toml"}"]')
    policies = []
    for name, ray in (("here", False), ("there", True)):
        given = best_response.Arguments(("bag:9",), set=(*small, *games), out=tmp_path / name, ray=ray)
        best_response.respond(given)
        runs = sorted((tmp_path / name).rglob("*.safetensors"))
        policies.append([(run.relative_to(tmp_path / name), run.read_bytes()) for run in runs])
    assert len(policies[0]) == 3
    assert policies[0] == policies[1]


def test_jobs_come_back_in_order_and_errors_as_they_were(cluster):
    def slow_first(job):
        import time

        time.sleep(0.3 * (job == 0))
        if job == 9:
            raise ValueError("job 9 is wrong")
        return job * job

    assert list(map_on_ray(slow_first, range(5))) == [0, 1, 4, 9, 16]
    with pytest.raises(ValueError, match=r"^job 9 is wrong$"):
        list(map_on_ray(slow_first, [1, 9]))


def test_a_job_whose_process_is_killed_is_done_again(cluster, tmp_path):
    def dies_once(job):
        import os
        import signal
        from pathlib import Path

        mark = Path(job)
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    assert list(map_on_ray(dies_once, [str(tmp_path / "mark")])) == ["done"]


def test_a_cluster_that_does_not_answer(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(ConnectionError, match=r"no Ray cluster answers at RAY_ADDRESS=127\.0\.0\.1:1"):
        list(map_on_ray(len, ["job"]))


def test_without_ray(monkeypatch, capsys):
    monkeypatch.setattr(on_ray.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"Ray is not installed.*constraints-distributed.txt"):
        require_ray()
    assert rllib.main([]) == 2
    assert "Ray is not installed" in capsys.readouterr().err
