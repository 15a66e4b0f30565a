"""Random search over the settings of the benchmark's learners."""

import json
from pathlib import Path

from train import tune
from train.benchmarking.algorithms import ALGORITHMS, TUNED

ROOT = Path(__file__).parents[2]


def test_algorithms_have_the_best_published_settings():
    assert tune.RANGES.keys() == {name for name, each in ALGORITHMS.items() if each.kind == "learned"}
    candidates = json.loads((ROOT / "docs" / "measured" / "tuning.json").read_text())["candidates"]
    for name in tune.RANGES:
        mine = [row for row in candidates if row["algorithm"] == name]
        assert [row["settings"] for row in mine] == tune.draw(name, 16)
        assert tune.draw(name, 5) == tune.draw(name, 16)[:5]  # more settings keep the first ones
        assert TUNED[name] == min(mine, key=lambda row: row["mean"])["settings"]


def test_measured_settings_are_skipped(tmp_path, capsys):
    words = ["--out", str(tmp_path / "tuning.json"), "--decisions", "300", "--rows", "16", "--network.hidden", "8"]
    assert tune.main([*words, "--algorithms", "a2c", "mirror-descent", "--number", "1"]) == 0
    rows = json.loads((tmp_path / "tuning.json").read_text())["candidates"]
    assert [(row["algorithm"], list(row["gains"])) for row in rows] == [
        ("a2c", ["2", "3"]),
        ("mirror-descent", ["2", "3"]),
    ]
    assert all(gain > 0 for row in rows for table in row["gains"].values() for gain in table)
    assert "[1/2] a2c" in capsys.readouterr().out
    assert tune.main([*words, "--algorithms", "a2c", "--number", "1"]) == 0
    assert json.loads((tmp_path / "tuning.json").read_text())["candidates"] == rows
    assert "[1/" not in capsys.readouterr().out
