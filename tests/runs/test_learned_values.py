"""Command `train.values`: calibrated values, same bytes for the same seed."""

from pathlib import Path

import numpy as np
import pytest

from diamant_env.opponents.layers import transposed
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.values import inputs, shares_of
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.storage.results import save_json
from tests.support.play import games
from train.learning import values
from train.learning.values import fit_values, play_starts
from train.ppo import Learner
from train.runs.config import Config, PPOConfig
from train.runs.run_folder import POLICY, new_run_folder, save_policy
from train.values import main

SEEDS = np.random.SeedSequence(3)


def finished_run(folder: Path, name: str, players: list[int], seed: int = 0) -> Path:
    """Write the run folder of an untrained network."""
    config = Config(name=name, seed=seed, game={"num_players": players}, network={"hidden": [8]})
    run = new_run_folder(folder, config)
    model = Learner(DiamantVecEnv(2, 2), PPOConfig(turns=16, minibatch=16), config.network, len(name) + seed)
    save_policy(run / POLICY, model.network(), config, 100)
    save_json({"decisions": 100, "seconds": 2.0, "threads": 1}, run / "time.json")
    return run


def test_values_are_calibrated_on_fresh_games(tmp_path):
    """Calibration in eight bins of the expected share, and explained variance."""
    agent = NetworkAgent.load(finished_run(tmp_path, "a", [3]) / POLICY)
    learned, fresh = (play_starts(agent, 3, games(4000), np.random.SeedSequence(seed)) for seed in (1, 2))
    layers, explained = fit_values(learned, SEEDS)
    expected = shares_of(transposed(layers), inputs(fresh.chests, fresh.public))
    variance = ((fresh.shares - 1 / 3) ** 2).mean()
    assert 1 - ((fresh.shares - expected) ** 2).mean() / variance == pytest.approx(explained, abs=0.05)
    assert explained > 0.15
    for bunch in np.array_split(np.argsort(expected.ravel()), 8):
        true = fresh.shares.ravel()[bunch]
        error = 2 * true.std() / np.sqrt(len(bunch))  # doubled: starts of one game are correlated
        assert true.mean() == pytest.approx(expected.ravel()[bunch].mean(), abs=4 * error + 0.01)


def test_held_out_games_are_whole(monkeypatch):
    def learn(model, train, held_out, random):
        parts.extend({int(game) for game in shares[:, 0]} for _, shares in (train, held_out))
        return values.layers_of(model)

    parts = []
    monkeypatch.setattr(values, "_learn", learn)
    numbers = np.repeat(np.arange(200), 4)  # four starts of each game, whose first share is its number
    shares = np.stack([numbers, np.zeros(800)], axis=1).astype(np.float32)
    fit_values(values.Starts(np.zeros((800, 2), np.float32), np.ones((800, 7), np.float32), shares, numbers), SEEDS)
    train, held_out = parts
    assert not train & held_out
    assert len(train | held_out) == 200
    assert 5 < len(held_out) < 40


def test_same_seed_gives_same_bytes(tmp_path, capsys):
    runs = [finished_run(tmp_path, "a", [1, 3, 4]) for _ in range(3)]
    before = NetworkAgent.load(runs[0] / POLICY)
    for run, seed in zip(runs, ("0", "0", "1"), strict=True):
        assert main([str(run), "--games", "140", "--seed", seed]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("3 players: 0.")
    assert lines[1].startswith("4 players: 0.")
    one, same, other = ((run / POLICY).read_bytes() for run in runs)
    assert one == same != other
    after = NetworkAgent.load(runs[0] / POLICY)
    assert after.values.networks.keys() == {3, 4}
    np.testing.assert_array_equal(after.layers[0][0], before.layers[0][0])
    assert after.metadata["decisions"] == before.metadata["decisions"]
    assert main([str(runs[0]), "--games", "50"]) == 2
    assert "games=50; at least 100 are needed" in capsys.readouterr().err
    assert main([str(tmp_path / "typo")]) == 2
    assert not (tmp_path / "typo").exists()


def test_run_of_one_player_is_refused(tmp_path, capsys):
    folder = finished_run(tmp_path, "alone", [1])
    assert main([str(folder), "--games", "100"]) == 2
    assert "was trained at tables of one player" in capsys.readouterr().err
