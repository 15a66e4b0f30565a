"""One network per table size: trained apart, saved together, resumed to the same bytes."""

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.ppo import main
from train.responding.search import shape_of
from train.runs.arguments import read_config
from train.runs.config import Config
from train.runs.run_folder import CHECKPOINT, CONFIG, POLICY, TIME, finished_policy, read_json

WORDS = (
    "--per-table --game.num-players 4 2 4 3 --ppo.decisions 600 --ppo.games 12 --ppo.turns 8 --network.hidden 4 "
    "--name small --no-judge --judge.curve-points 1 --judge.curve-games 100 --checkpoints 2"
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    assert main([*WORDS.split(), "--out", str(place)]) == 0
    return place / "small-seed0"


def observations(players):
    """Return observations of the first turn and after one seat has left."""
    batch = Batch(4, players)
    rows = [batch.reset(seed=players).reshape(4 * players, -1)]
    leaves = np.zeros((4, players), np.int8)
    leaves[:, 0] = 1
    rows.append(batch.step(leaves)[0].reshape(4 * players, -1))
    return np.concatenate(rows)


def test_each_table_size_has_the_network_of_its_run(run):
    policy = NetworkAgent.load(run / POLICY)
    own = {players: NetworkAgent.load(run / f"{players}-players" / POLICY) for players in (2, 3, 4)}
    rows = [observations(players) for players in own]
    expected = [own[players].leave_logit(each) for players, each in zip(own, rows, strict=True)]
    order = np.random.default_rng(0).permutation(sum(map(len, rows)))
    np.testing.assert_array_equal(policy.leave_logit(np.concatenate(rows)[order]), np.concatenate(expected)[order])
    for players, each in zip(own, rows, strict=True):
        np.testing.assert_array_equal(policy.for_players(players).leave_logit(each), own[players].leave_logit(each))
    assert not np.allclose(own[2].leave_logit(rows[1]), expected[1])
    np.testing.assert_array_equal(policy.leave_logit(observations(5)), own[2].leave_logit(observations(5)))
    assert shape_of(policy.for_players(3)) == Config.model_validate({"network": {"hidden": [4]}}).network


def test_time_is_the_sum_and_every_run_is_judged_at_its_tables(run):
    times = [read_json(run / f"{players}-players" / TIME) for players in (2, 3, 4)]
    for key in ("decisions", "seconds"):
        assert read_json(run / TIME)[key] == sum(time[key] for time in times)
    assert NetworkAgent.load(run / POLICY).metadata["decisions"] == read_json(run / TIME)["decisions"] >= 1800
    for players in (2, 3, 4):
        config = read_config(run / f"{players}-players" / CONFIG)
        assert (config.per_table, config.game.num_players, config.judged_players) == (False, (players,), players)


def test_resume_gives_the_same_bytes(run, tmp_path, monkeypatch, capsys):
    """The run is interrupted after the first checkpoint of the second table size."""
    play, broken = DiamantVecEnv.play, tmp_path / run.name

    def interrupted(env, actions):
        if (broken / "3-players" / CHECKPOINT).is_file():
            raise KeyboardInterrupt
        return play(env, actions)

    with monkeypatch.context() as patch:
        patch.setattr(DiamantVecEnv, "play", interrupted)
        assert main([*WORDS.split(), "--out", str(tmp_path)]) == 130
    assert not (broken / "3-players" / POLICY).exists()
    assert main(["--resume", str(broken), "--no-judge"]) == 0
    assert (broken / POLICY).read_bytes() == (run / POLICY).read_bytes()
    policy = NetworkAgent.load(run / POLICY)
    policy.for_players(3).save(broken / POLICY, policy.metadata)  # as train.values rewrites it
    changed = (broken / POLICY).read_bytes()
    for checkpoint in broken.rglob(CHECKPOINT):
        checkpoint.unlink()
    capsys.readouterr()
    assert main(["--resume", str(broken), "--no-judge"]) == 0
    assert (broken / POLICY).read_bytes() == changed
    assert "restarts" not in capsys.readouterr().err
    assert str(finished_policy(broken, read_config(broken / CONFIG))) == "small"
    for old, new, complaint in [
        ("decisions = 600", "decisions = 700", "policy.safetensors has another configuration"),
        ("runners = 1", "runners = 2", "runners = 2; python -m train.cluster trains with more than one"),
    ]:
        (broken / CONFIG).write_text((broken / CONFIG).read_text().replace(old, new))
        assert main(["--resume", str(broken), "--no-judge"]) == 2
        assert complaint in capsys.readouterr().err
