"""Tuning of the learning algorithms: command, published table, settings in use."""

import json
import re
from pathlib import Path

import measured_parts  # docs/measured_parts.py
import pytest

from diamant_env import Edition
from train import tune
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.suite import TASKS

PAGE = (Path(measured_parts.__file__).with_name("benchmark_tasks.md")).read_text(encoding="utf-8")


def test_command_selects_the_lowest_gain(tmp_path, monkeypatch, capsys):
    out, idle, learning = tmp_path / "tuning.json", {"learning_rate": 1e-9}, {"learning_rate": 1e-2}
    monkeypatch.setattr(tune, "CANDIDATES", {"ppo": [idle, learning]})
    monkeypatch.setattr(tune, "DECISIONS", 10_000)
    monkeypatch.setattr(tune, "PLAYERS", (2,))
    assert tune.main(["--out", str(out)]) == 0
    assert "ppo: learning_rate 0.01; mean deviation gain" in capsys.readouterr().out
    found = {row["settings"]["learning_rate"]: row["gains"]["2"] for row in json.loads(out.read_text())["candidates"]}
    assert max(found[1e-2]) < min(found[1e-9])
    monkeypatch.setattr(tune, "_measured", lambda **_: pytest.fail("measured again"))
    best, other = tune.tune(out)["ppo"]
    assert (best["settings"], other["settings"]) == (learning, idle)
    assert best["mean"] == pytest.approx(sum(found[1e-2]) / 2)
    monkeypatch.setattr(tune, "CANDIDATES", {"ppo": [learning]})
    assert [row["settings"] for row in tune.tune(out)["ppo"]] == [learning]
    assert len(json.loads(out.read_text())["candidates"]) == 2  # results of former candidates are kept
    monkeypatch.setattr(tune, "CANDIDATES", {"ppo": [{"learning_rate": 1e-3}]})
    (tmp_path / "is_a_file").touch()
    with pytest.raises(OSError, match="is_a_file"):  # before a candidate is measured
        tune.tune(tmp_path / "is_a_file" / "tuning.json")
    for other_file in ('{"rows": []}', "[1]"):
        out.write_text(other_file)
        assert tune.main(["--out", str(out)]) == 2
        assert "tuning.json has no results of python -m train.tune" in capsys.readouterr().err


def test_published_table_has_every_candidate_and_selects_the_settings_in_use():
    published = tune.ranked(measured_parts.load("tuning")["candidates"])
    assert set(published) == {name for name, each in ALGORITHMS.items() if each.kind == "learned"}
    table = re.search(r"<!-- generated: tuning -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)[1]
    for name, rows in published.items():
        assert len(rows) == 6
        assert all(row["settings"] in tune.CANDIDATES[name] and row["decisions"] == tune.DECISIONS for row in rows)
        selected = min(rows, key=lambda row: row["mean"])["settings"]
        assert re.search(rf"\| `{name}` \| \*\*(.*?)\*\*", table)[1] == tune.text_of(selected)
        config = BenchmarkConfig()
        in_use = (
            config.ppo.model_dump()
            | {"learner": config.league.learner}
            | getattr(ALGORITHMS[name].agent, "keywords", {})
        )
        assert selected.items() <= in_use.items(), name


def test_no_task_has_the_deck_or_the_seeds():
    deck = Edition.load(tune.EDITION)
    assert all(
        (task.game.judged_edition().treasures, task.game.judged_edition().traps) != (deck.treasures, deck.traps)
        for task in TASKS.values()
    )
    assert min(tune.SEEDS) >= max(task.seeds for task in TASKS.values())


def test_file_without_candidates_is_refused(tmp_path):
    (tmp_path / "tuning.json").write_text(json.dumps({"command": tune.COMMAND}))
    with pytest.raises(ValueError, match=r"tuning\.json has no results of python -m train\.tune"):
        tune.tune(tmp_path / "tuning.json")
