"""Random search over the settings of the benchmark's learners."""

import json
from pathlib import Path

from train import tune
from train.benchmarking.algorithms import ALGORITHMS, TUNED

ROOT = Path(__file__).parents[2]


def test_settings_are_within_ranges_and_extend():
    assert tune.RANGES.keys() == {name for name, each in ALGORITHMS.items() if each.kind == "learned"}
    for name, further in tune.RANGES.items():
        drawn = tune.draw(name, 16)
        assert drawn[:5] == tune.draw(name, 5)
        assert len({json.dumps(settings) for settings in drawn}) == 16
        for settings in drawn:
            assert settings.keys() == {*tune.SHARED, *further}
            for key, values in (tune.SHARED | further).items():
                inside = (
                    settings[key] in values if isinstance(values, list) else values[0] <= settings[key] <= values[1]
                )
                assert inside, (name, key)


def test_algorithms_have_the_best_published_settings():
    candidates = json.loads((ROOT / "docs" / "measured" / "tuning.json").read_text())["candidates"]
    for name in tune.RANGES:
        mine = [row for row in candidates if row["algorithm"] == name]
        assert [row["settings"] for row in mine] == tune.draw(name, 16)
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
