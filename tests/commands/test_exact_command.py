"""Command `diamant exact`."""

from __future__ import annotations

import json
import re
from functools import partial

import numba
import pytest

from diamant_env import Edition, exact, judging
from diamant_env.commands import diamant

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes hours uncompiled")


def test_exact_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(judging.games, "progress_bar", partial(judging.games.progress_bar, mininterval=0, delay=0))
    out = tmp_path / "results.json"
    words = ["ev:0", "--players", "1", "--out", str(out)]
    assert diamant.main(["exact", *words]) == 0
    output, progress = capsys.readouterr()
    assert re.search(r"equilibrium, iello-2016-fr, 1 players:.* 100%", progress, re.DOTALL)
    assert "17.339875" in output
    rows = {(row["agent"], row["players"]): row for row in json.loads(out.read_text())["rows"]}
    assert len(rows) == 2
    assert rows["ev:0", 1]["exploitability"] == pytest.approx(0, abs=1e-6)


def test_small_whole_game(tmp_path, capsys):
    out, tiny = tmp_path / "results.json", tmp_path / "tiny.toml"
    Edition("tiny", (5,), ("mud",), expeditions=2).save(tiny)
    words = ["random:0.3", "--players", "2", "3", "--edition", str(tiny), "--reward", "win", "--out", str(out)]
    assert diamant.main(["exact", *words]) == 0
    assert "Small whole game, win, exact" in capsys.readouterr().out
    rows = {(row["agent"], row["players"]): row for row in json.loads(out.read_text())["rows"]}
    for players in (2, 3):
        assert rows["equilibrium", players]["NashConv"] == pytest.approx(0, abs=1e-12)
        assert rows["random:0.3", players]["exploitability"] > 0.1


def test_whole_game_option_reaches_equilibrium_and_agents(tmp_path):
    out, tiny = tmp_path / "results.json", Edition("tiny", (5,), ("mud",), expeditions=2)
    tiny.save(tmp_path / "tiny.toml")
    words = ["bag:5", "--players", "1", "--edition", str(tmp_path / "tiny.toml"), "--whole-game", "--out", str(out)]
    assert diamant.main(["exact", *words]) == 0
    equilibrium, agent = json.loads(out.read_text())["rows"]
    expected = exact.solve_lone(tiny, whole_game=True).value
    assert expected > exact.solve_lone(tiny).value + 1
    assert equilibrium["all play it"] == agent["best response"] == pytest.approx(expected, abs=1e-12)
