"""Decisions as arrays: what each row says, checked by playing the games again; the file; a clone made from it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tyro")

from diamant_env import NUM_FEATURES, Observations
from diamant_env.diamant_v0 import parallel_env
from diamant_env.opponents import make
from diamant_env.opponents.network import layout
from train import export
from train.export import Arguments, load_decisions
from train.learning import dataset as decisions
from train.learning.dataset import play_decisions

ROOT = Path(__file__).parents[2]
AGENTS = ("ev:0.75", "bag:18", "random:0.3")
DTYPES = {
    "observation": "float32", "mask": "int8", "action": "int8", "leave_probability": "float32", "return": "float32",
    "agent": "int16", "game": "int32", "seat": "int8", "expedition": "int8", "turn": "int16", "game_seed": "uint64",
}  # fmt: skip


@pytest.mark.parametrize("reward", ["score", "win", "margin"])
@pytest.mark.parametrize(("players", "edition"), [(3, "iello-2016"), (4, "incan-gold")])
def test_rows_are_what_a_single_environment_plays(reward, players, edition):
    data = play_decisions(AGENTS, 12, 7, players, edition, reward)
    env = parallel_env(players, edition, reward=reward)
    row = 0
    for game, seed in enumerate(data["game_seed"]):
        seen, _ = env.reset(seed=int(seed))
        rows, earned = [], []
        while env.agents:
            inside = [seat for seat in range(players) if seen[f"player_{seat}"][0]]
            actions = {}
            for seat in inside:
                assert (data["game"][row], data["seat"][row]) == (game, seat)
                assert (data["expedition"][row], data["turn"][row]) == (env.game["expedition"], env.game["turn"])
                np.testing.assert_array_equal(data["observation"][row], seen[f"player_{seat}"])
                actions[f"player_{seat}"] = int(data["action"][row])
                rows.append((row, seat, len(earned)))
                row += 1
            seen, rewards, *_ = env.step(actions)
            earned.append([rewards[f"player_{seat}"] for seat in range(players)])
        for each, seat, step in rows:
            assert data["return"][each] == pytest.approx(sum(turn[seat] for turn in earned[step:]), abs=1e-4)
    assert row == len(data["action"])
    assert data["mask"].min() == 1


def test_probabilities_are_those_of_the_agent():
    data = play_decisions(AGENTS, 50, 1, players=3)
    for number, text in enumerate(AGENTS):
        own = data["agent"] == number
        leave = make(text).act(Observations(data["observation"][own]), np.zeros(own.sum(), bool))
        np.testing.assert_allclose(data["leave_probability"][own], leave, atol=1e-6)
    random = data["agent"] == 2
    assert data["action"][random].mean() == pytest.approx(0.3, abs=0.1)
    for game in range(50):  # distinct agents at each table
        here = data["game"] == game
        assert len({*zip(data["agent"][here], data["seat"][here], strict=True)}) == 3
    assert len({*zip(data["agent"], data["seat"], strict=True)}) == 9


def test_shapes_seeds_and_several_parts(monkeypatch):
    data = play_decisions(("mixture", "ev"), 30, 3, players=4)
    assert {name: str(array.dtype) for name, array in data.items()} == DTYPES
    assert data["observation"].shape == (len(data["action"]), NUM_FEATURES)
    again, other = (play_decisions(("mixture", "ev"), 30, seed, players=4) for seed in (3, 4))
    for name, array in data.items():
        np.testing.assert_array_equal(array, again[name])
    assert not np.array_equal(data["game_seed"], other["game_seed"])
    monkeypatch.setattr(decisions, "_SIDE_BY_SIDE", 8)
    parts = play_decisions(("ev",), 30, 3)
    monkeypatch.undo()
    whole = play_decisions(("ev",), 30, 3)
    for name, array in whole.items():
        np.testing.assert_array_equal(array, parts[name])


def test_file(tmp_path, capsys):
    path = tmp_path / "some.npz"
    export.main(["ev:0.75", "bag:18", "--games", "20", "--players", "5", "--reward", "win", "--out", str(path)])
    assert capsys.readouterr().out.startswith(f"{path}: ")
    content = path.read_bytes()
    arrays, metadata = load_decisions(path)
    assert set(arrays) == set(DTYPES)
    assert metadata["agents"] == ["ev:0.75", "bag:18"]
    told = {name: metadata[name] for name in ("games", "players", "edition", "reward", "seed")}
    assert told == {"games": 20, "players": 5, "edition": "iello-2016", "reward": "win", "seed": 0}
    assert metadata["versions"]["numpy"] == np.__version__
    assert [file.name for file in tmp_path.iterdir()] == ["some.npz"]
    export.export(Arguments(("ev:0.75", "bag:18"), path, 20, 5, reward="win"))
    assert path.read_bytes() == content


def test_files_that_are_none(tmp_path):
    path = tmp_path / "some.npz"
    with pytest.raises(FileNotFoundError):
        load_decisions(path)
    path.write_bytes(b"PK\3\4 no")
    with pytest.raises(ValueError, match="no file of decisions"):
        load_decisions(path)
    for arrays, message in (
        ({"action": np.zeros(3)}, "no file of decisions"),
        ({"metadata": json.dumps({"format": export.FORMAT, "layout": [["chest", 1, 32]]})}, "another format or layout"),
        ({"metadata": json.dumps({"format": "diamant-decisions-9", "layout": layout()})}, "another format or layout"),
    ):
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=message):
            load_decisions(path)


def test_a_clone_agrees(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    path, policy = tmp_path / "bag.npz", tmp_path / "clone.safetensors"
    export.export(Arguments(("bag:8",), path, games=150))
    monkeypatch.setattr("sys.argv", ["clone_an_agent.py", str(path), str(policy)])
    runpy.run_path(str(ROOT / "examples" / "clone_an_agent.py"), run_name="__main__")
    arrays, _ = load_decisions(path)
    leave = make(str(policy)).act(Observations(arrays["observation"]), np.zeros(len(arrays["action"]), bool))
    assert ((leave > 0.5) == arrays["action"]).mean() > 0.97
