"""Policies with a network for each table size: joined, saved, opened, trained on, answered and shipped."""

import json
from pathlib import Path

import numpy as np
import pytest
from train.join import Arguments, join, main

from diamant_env import Batch
from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.games import seeds_for
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents import make
from diamant_env.opponents.inputs import CANONICAL
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.storage.results import save_json
from train.learning.self_play import SelfPlayPPO
from train.ppo import main as train_main
from train.responding.config import SearchConfig
from train.responding.search import learn
from train.runs.config import Config, PPOConfig
from train.runs.model_card import card_text
from train.runs.networks import start_of
from train.runs.run_folder import POLICY, new_run_folder, save_policy
from train.ship import Arguments as ShipArguments
from train.ship import ship


def finished_run(folder: Path, name: str, players: list[int], seed: int = 0, activation: str = "relu", **ppo) -> Path:
    """Leave an untrained network as if it were a run's."""
    config = Config.model_validate(
        {
            "name": name,
            "seed": seed,
            "game": {"num_players": players},
            "ppo": ppo,
            "network": {"hidden": [8], "activation": activation},
        }
    )
    run = new_run_folder(folder, config)
    model = SelfPlayPPO(DiamantVecEnv(2, 2), PPOConfig(turns=16, minibatch=16), config.network, len(name) + seed)
    save_policy(run / POLICY, model.network(), config, 100)
    save_json({"decisions": 100, "seconds": 2.0, "threads": 1}, run / "time.json")
    return run


@pytest.fixture
def runs(tmp_path) -> list[Path]:
    return [finished_run(tmp_path, name, sizes) for name, sizes in (("a", [3, 4]), ("bb", [3]), ("ccc", [5, 5]))]


def joined(runs: list[Path], name: str = "joined") -> Path:
    return join(Arguments(runs[0], tuple(runs[1:]), name, runs[0].parent))


def test_each_network_plays_its_table_and_the_first_all_others(runs):
    agent = make(str(joined(runs)))
    for players, run in ((3, runs[1]), (4, runs[0]), (5, runs[2]), (8, runs[0])):
        seen = Batch(20, players).reset(0).reshape(-1, 90)
        np.testing.assert_array_equal(agent.leave_probability(seen), make(str(run)).leave_probability(seen))
        assert agent.at(players).leave_probability(seen).tolist() == agent.leave_probability(seen).tolist()


def test_tables_of_several_sizes_are_played_at_once(runs):
    agent = make(str(joined(runs)))
    seen = Batch(30, np.arange(30) % 4 + 2).reset(0).reshape(-1, 90)
    one_by_one = [agent.leave_probability(row[None])[0] for row in seen]
    np.testing.assert_allclose(agent.leave_probability(seen), one_by_one, rtol=1e-5)


def test_a_joined_run_counts_all_its_parts_and_cannot_be_resumed(runs, capsys):
    folder = joined(runs)
    assert make(str(folder)).metadata["decisions"] == 300
    assert train_main(["--resume", str(folder)]) != 0
    assert "was joined from other runs; there is nothing to train" in capsys.readouterr().err


def test_what_does_not_fit_is_refused(tmp_path, runs, capsys):
    for players, activation, message in (
        ([3, 4], "relu", "trained at tables of 3 and 4; one size each, and each once"),
        ([7], "tanh", "has network.activation = tanh, .* has relu; they must be the same"),
    ):
        other = finished_run(tmp_path, "other", players, activation=activation)
        with pytest.raises(ValueError, match=message):
            joined([*runs, other])
    assert main([str(runs[0]), "--tables", str(tmp_path / "nowhere")]) == 2
    assert "nowhere is no run folder" in capsys.readouterr().err
    for others, message in (
        ([runs[1], runs[1]], "trained at tables of 3; one size each, and each once"),
        ([finished_run(tmp_path, "later", [8], seed=7)], "has seed = 7, .* has 0; they must be the same"),
        ([joined(runs, "both")], "was joined from other runs; name those"),
    ):
        with pytest.raises(ValueError, match=message):
            joined([runs[0], *others])
    (runs[1] / "time.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no finished run: it has no time\.json"):
        joined(runs)
    (runs[1] / "time.json").write_text("{}")
    with pytest.raises(ValueError, match=r"time\.json or versions\.json in .* is damaged"):
        joined(runs)
    with pytest.raises(ValueError, match="name = 'a/b': String should match pattern"):
        joined([runs[0], runs[2]], "a/b")
    assert not (tmp_path / "joined-seed0").exists()


def test_a_damaged_file_says_what_is_wrong(tmp_path, runs):
    network = NetworkAgent.load(joined(runs) / POLICY)
    layers = [(weight.T.copy(), bias) for weight, bias in network.layers]
    with pytest.raises(ValueError, match="a network for tables of 9; 1 to 8 players are possible"):
        NetworkAgent(layers, inputs=CANONICAL, tables={9: network.at(3)})
    raw = [(np.zeros((2, NUM_FEATURES), np.float32), np.zeros(2, np.float32))]
    for own in (network, NetworkAgent(layers, "tanh", inputs=CANONICAL), NetworkAgent(raw)):
        with pytest.raises(
            ValueError, match="for tables of 3 has tables itself, or not the activation relu and the inp"
        ):
            NetworkAgent(layers, inputs=CANONICAL, tables={3: own})
    network.tables = {9: network.at(3)}
    save_policy(tmp_path / "nine.safetensors", network, Config(), 0)
    with pytest.raises(ValueError, match="tensors for tables of '9'; 1 to 8 players are possible"):
        NetworkAgent.load(tmp_path / "nine.safetensors")


def test_a_run_starts_from_the_network_of_its_table(runs):
    keys = {"start": str(joined(runs)), "network": {"hidden": [8]}}
    start = start_of(Config.model_validate({**keys, "game": {"num_players": [3]}}))
    np.testing.assert_array_equal(start.layers[0][0], make(str(runs[1])).layers[0][0])
    with pytest.raises(ValueError, match=r"own for tables of 3; from it .* at one table size"):
        start_of(Config.model_validate({**keys, "game": {"num_players": [3, 4]}}))
    start_of(Config.model_validate({**keys, "game": {"num_players": [4, 6]}}))


def test_a_response_starts_from_the_network_of_its_table(runs):
    agent = make(str(joined(runs)))
    ppo = PPOConfig(decisions=200, games=4, turns=16, minibatch=32)
    config = SearchConfig(ppo=ppo, checkpoints=1, value_first=1.0)
    found = learn(DeviationGame(agent, 3, "iello-2016", "win"), config, seeds_for(0), agent.at(3))
    np.testing.assert_array_equal(found[-1][1].layers[0][0], make(str(runs[1])).layers[0][0])


def test_a_joined_run_is_shipped_with_its_parts_on_the_card(tmp_path, runs):
    again = [finished_run(tmp_path, name, sizes, 1) for name, sizes in (("a", [3, 4]), ("bb", [3]), ("ccc", [5, 5]))]
    folders = [joined(runs, "small"), joined([again[0], again[2], again[1]], "small")]
    few = {"games": 24, "intruder_games": 8, "out": tmp_path / "shipped"}
    card = ship(ShipArguments(folders[0], (folders[1],), **few))
    text = card.read_text(encoding="utf-8")
    assert "| all others | `a` |" in text
    assert "| 3 players | `bb` |" in text
    assert "| 5 players | `ccc` |" in text
    assert text == card_text(json.loads(card.with_suffix(".json").read_text(encoding="utf-8")))
    other = finished_run(tmp_path, "bb", [3], 2, epochs=9)
    differing = [finished_run(tmp_path, "a", [3, 4], 2), other, finished_run(tmp_path, "ccc", [5, 5], 2)]
    with pytest.raises(ValueError, match="with another seed"):
        ship(ShipArguments(folders[0], (joined(differing, "small"),), **few))
