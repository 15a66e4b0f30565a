"""Output at a terminal of 80 columns and in a pipe: no line too wide, no figure folded or shortened."""

import io
import sys

import pytest

from diamant_env.commands import diamant
from diamant_env.commands.command import run_command
from diamant_env.editions import EDITIONS, RESEARCH
from diamant_env.judging.evaluation import Result
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.text_reports import results_report
from diamant_env.opponents.registry import FAMILIES, describe

LONG = "a_long_module_of_agents:a_function_of_the_same_length"
INTERVAL = Estimate(-123.4567, -123.9875, -122.9875)


def evaluate_report() -> tuple[object, list[str]]:
    fields = dict.fromkeys(Result.__dataclass_fields__, "") | {"agent": "ev", "measured": LONG, "against": LONG}
    fields |= {"players": 4, "games": 500, "win_share": INTERVAL, "score": INTERVAL, "left_out": (), "p_value": 0.1}
    return results_report([Result(**fields)]), ["-123.457 ± 0.531", "-123.46 ± 0.53"]


def test_long_name_is_replaced_as_a_whole():
    fields = dict.fromkeys(Result.__dataclass_fields__, "") | {
        "agent": LONG,
        "measured": LONG,
        "players": 4,
        "games": 9,
    }
    fields |= {"win_share": INTERVAL, "score": INTERVAL, "left_out": (), "p_value": 0.1}
    text = str(results_report([Result(**fields | {"against": f"3 × {other}"}) for other in (LONG, f"{LONG}2")]))
    assert "3 × the agent " in text
    assert f"3 × {LONG}2" in text


def test_reports(monkeypatch):
    report, figures = evaluate_report()
    piped = str(report)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    shown = str(report)
    assert max(map(len, shown.splitlines())) <= 80
    for text in (piped, shown):
        assert "…" not in text
        assert all(text.count(figure) >= figures.count(figure) for figure in figures)
    assert LONG in piped


@pytest.mark.parametrize("command", ["", *diamant.SUBCOMMANDS])
def test_help(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert diamant.main([*filter(None, [command]), "--help"]) == 0
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 80
    if "--edition" in output:
        assert all(name in output for name in [*EDITIONS, *RESEARCH])
    if "AGENT" in output:
        assert all(describe(family) in " ".join(output.split()) for family in FAMILIES.values())


def test_symbols_at_an_ascii_terminal(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert run_command("diamant", lambda: print("0.995 ± 0.023, 2 × ev … −1 é")) == 0
    assert stream.buffer.getvalue().decode().strip() == "0.995 +- 0.023, 2 x ev ... -1 ?"
