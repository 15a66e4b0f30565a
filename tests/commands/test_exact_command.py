"""Command `diamant exact`."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

from diamant_env import Edition, evaluation, exact
from diamant_env.commands import diamant
from diamant_env.commands.exact import measure
from diamant_env.exact import equilibrium

PAGE = (Path(__file__).parents[2] / "docs" / "exact.md").read_text(encoding="utf-8")


def test_exact_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        evaluation.games, "progress_bar", partial(evaluation.games.progress_bar, mininterval=0, delay=0)
    )
    out = tmp_path / "results.json"
    words = ["ev:0", "--players", "1", "--out", str(out)]
    assert diamant.main(["exact", *words]) == 0
    output, progress = capsys.readouterr()
    assert re.search(r"equilibrium, iello-2016-fr, 1 players:.* 100%", progress, re.DOTALL)
    assert "17.339875" in output
    rows = {(row["agent"], row["players"]): row for row in json.loads(out.read_text())["rows"]}
    assert len(rows) == 2
    assert rows["ev:0", 1]["exploitability"] == pytest.approx(0, abs=1e-6)


def test_figures_of_the_page():
    for row in measure(["bag:5", "ev:0.75"], [2], "iello-2016-fr")[1:]:
        figures = " | ".join(f"{row[name]:.6f}" for name in ("all play it", "best response", "exploitability"))
        assert f"| `{row['agent']}` | {figures} |" in PAGE
    assert f"| {exact.solve_equilibrium(3).value:.6f} |" in PAGE


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
    assert diamant.main(["exact", "--players", "2", "--edition", str(tiny), "--whole-game"]) == 0
    assert "decks" in capsys.readouterr().out


def test_two_players_for_the_win(tmp_path, capsys):
    out, small = tmp_path / "results.json", tmp_path / "small.toml"
    Edition("small", (3, 5), ("snake", "mud"), trap_copies=2, expeditions=2).save(small)
    words = ["bag:5", "--edition", str(small), "--reward", "win", "--whole-game", "--out", str(out)]
    assert diamant.main(["exact", *words]) == 0
    assert "Whole game, win, exact" in capsys.readouterr().out
    solved, agent = json.loads(out.read_text())["rows"]
    assert solved["all play it"] == agent["all play it"] == 0.5
    assert agent["NashConv"] == pytest.approx(2 * agent["exploitability"])
    assert 0 < 0.5 - agent["against minimax"] <= agent["exploitability"] == agent["at most"]


def test_equilibrium_has_no_deviation_gain_in_the_one_expedition(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(equilibrium, "_MOST_UNSEEN", 0)  # no later expedition is solved
    few, out = tmp_path / "few.toml", tmp_path / "results.json"
    Edition("few", (3, 5), ("snake", "mud"), expeditions=4).save(few)
    words = ["equilibrium", "--players", "2", "--edition", str(few), "--out", str(out)]
    assert diamant.main(["exact", *words]) == 0
    content = json.loads(out.read_text())
    assert (content["arguments"]["edition"], content["arguments"]["reward"]) == (str(few), None)
    assert content["edition"]["treasures"] == [3, 5]
    first, second = content["rows"]
    assert second["all play it"] == pytest.approx(first["all play it"])
    assert second["exploitability"] == pytest.approx(0, abs=1e-6)
