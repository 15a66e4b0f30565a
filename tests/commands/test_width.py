"""Output at a terminal of 80 columns and in a pipe: no line too wide, no figure folded or shortened."""

import io
import sys

import pytest

from diamant_env import EDITIONS, Edition
from diamant_env.commands import diamant, exact
from diamant_env.judging import hold_tournament
from diamant_env.judging.decisions import DecisionLoss, DecisionLosses
from diamant_env.judging.evaluation import Result
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.text_reports import results_report
from tests.support.play import review_few

LONG = "a_long_module_of_agents:a_function_of_the_same_length"
AGENTS = ["ev", "solo-grab:7,13", "ev-others-stay:0.25", *(f"bag-or-traps:{bag},3" for bag in range(10, 25))]
SIZE = {"edition": "iello-2016-fr", "players": 2, "nodes": 2_985_984, "seconds": 2.5}
FIGURES = {"all play it": 17.339875, "best response": 19.602787, "exploitability": 1.110192, "NashConv": 2.220383}
INTERVAL = Estimate(-123.4567, -123.9875, -122.9875)


def exact_report() -> tuple[object, list[str]]:
    rows = [{**SIZE, **FIGURES, "agent": agent} for agent in ("equilibrium", "search:champion", LONG)]
    figures = [*(f"{figure:.6f}" for figure in FIGURES.values()), "2,985,984"]
    return exact.rows_report(rows, "One expedition"), figures * 3


def tournament_report() -> tuple[object, list[str]]:
    found = hold_tournament(AGENTS, 400)
    figures = [f"{each.score.mean:.2f} ({each.score.low:.2f} to {each.score.high:.2f})" for each in found.standings]
    return found, [*figures, *(str(place) for place in range(1, len(AGENTS) + 1))]


def decisions_report() -> tuple[object, list[str]]:
    loss = DecisionLoss(LONG, f"copies of {LONG}", "score", 4, 20, 1_234, INTERVAL, INTERVAL, 5, 6)
    return DecisionLosses([loss]), ["-123.4567 (-123.9875 to -122.9875)", "-123.457 (-123.987 to -122.987)", "1,234"]


def evaluate_report() -> tuple[object, list[str]]:
    fields = dict.fromkeys(Result.__dataclass_fields__, "") | {"agent": "ev", "measured": LONG, "against": LONG}
    fields |= {"players": 4, "games": 500, "win_share": INTERVAL, "score": INTERVAL, "left_out": (), "p_value": 0.1}
    return results_report([Result(**fields)]), ["-123.457 ± 0.531", "-123.46 ± 0.53"]


@pytest.mark.parametrize("made", [exact_report, tournament_report, decisions_report, evaluate_report])
def test_reports(made, monkeypatch):
    report, figures = made()
    piped = str(report)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    shown = str(report)
    assert max(map(len, shown.splitlines())) <= 80
    for text in (piped, shown):
        assert "…" not in text
        assert all(text.count(figure) >= figures.count(figure) for figure in figures)
    assert made is tournament_report or LONG in piped


@pytest.mark.parametrize("command", ["", *diamant.SUBCOMMANDS])
def test_help(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert diamant.main([*filter(None, [command]), "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_games(monkeypatch, capsys, tmp_path):
    """Long names of agents and traps, eight expeditions, every key and the review."""
    review_few(monkeypatch)
    monkeypatch.syspath_prepend(tmp_path)
    module, name = LONG.split(":")
    (tmp_path / f"{module}.py").write_text(f"def {name}(obs):\n    return 0 * obs['bag'] + 0.2\n", encoding="utf-8")
    box, traps = tmp_path / "box.toml", ("a trap with a long name", "another", "snake", "fire", "mummy")
    Edition("box", EDITIONS["iello-2016"].treasures, traps, relics=(5, 5), expeditions=8).save(box)
    seated = [LONG, LONG, "solo-grab:7,13", "ev-others-stay:0.25", "ev"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("o\na\nt\nh\nzzz\nc\nl\n" + "c\nl\n" * 200))
    for command in (["watch", *seated], ["play", "--opponents", *seated]):
        assert diamant.main([*command, "--edition", str(box), "--seed", "3"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "> " not in line]
    assert max(map(len, lines)) <= 80
    assert sum("####" in line for line in lines) > 3
