"""Command `diamant play`: whole games by scripted keys, advice, review, interruption."""

import io
import itertools
import re
import sys

import numpy as np
import pytest

from diamant_env import EDITIONS
from diamant_env.commands import diamant
from diamant_env.records import GameRecord
from tests.support.play import review_few

PROMPT = "Continue or leave?"
QUIET = ["--opponents", "ev", "bag:18", "traps", "--seed", "3"]


@pytest.fixture
def play(monkeypatch, capsys):
    """Play with these keys; return exit status, stdout and stderr."""

    def run(keys: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(keys))
        return diamant.main(["play", "--no-review", *(arguments or QUIET)]), *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("edition", "opponents"),
    [
        ("iello-2016", "ev bag:18 traps"),
        ("incan-gold", "ev ev cards:3 follow bag random oppose"),
        ("schmidt-2005", "continue bag:9"),
        ("everdeck-relics", ""),
    ],
)
def test_game_at_the_terminal(play, edition, opponents, tmp_path):
    keys = np.random.default_rng(len(edition)).choice(["c", "", "l", "o", "t", "h", "continue", "LEAVE", "z"], 2000)
    path = tmp_path / "game.txt"
    arguments = ["--edition", edition, "--seed", "5", "--record", str(path), "--opponents", *opponents.split()]
    code, output, errors = play("\n".join(keys), *arguments)
    assert (code, errors) == (0, "")
    record = GameRecord.read(path)
    assert record.names == ("a person", *opponents.split())
    assert (record.edition, record.seed) == (EDITIONS[edition], 5)
    assert output.count("=== Expedition ") == 5
    assert ("it takes at least 3 players" in output) == (not opponents)
    decisions = sum(0 in (*turn.continuing, *turn.leaving) for turn in record.turns)
    others = sum(key in "othz" for key in output_keys(output))
    assert output.count(PROMPT) == decisions + others
    rows = summary_rows(output)
    assert [int(row[-2]) for row in rows] == sorted(record.chests, reverse=True)
    for row in rows:
        assert sum(int(cell) for cell in row[-7:-2] if cell != "bust") == int(row[-2])
    busts = sum(len(turn.continuing) for turn, end in itertools.pairwise(record.turns) if end.bust)
    assert sum(row[-7:-2].count("bust") for row in rows) == busts
    own = next(row for row in rows if row[0] == "you")
    assert (int(own[-2]), int(own[-1])) == (record.chests[0], record.relics[0])
    assert ("you" in output.splitlines()[-2]) == (0 in record.winners)


def output_keys(output: str) -> list[str]:
    return [key or "c" for key in re.findall(rf"{re.escape(PROMPT)}.*> (\w*)\n", output)]


def summary_rows(output: str) -> list[list[str]]:
    lines = output.split("=== The game is over")[1].splitlines()[2:]
    return [line.split() for line in lines[: lines.index("")]]


def test_advice_key(play):
    _, output, _ = play("c\na\nhint\nq\ny\n")
    assert output.count("The champion would continue (") == 2
    assert output.count("if you continue now  you win ") == output.count("if you leave now     you win ") == 2
    _, output, _ = play("a\nq\ny\n", "--opponents", "ev", "--edition", "incan-gold")
    assert "The champion would continue (" in output
    assert "The chests are hidden, so the game can" in output


def test_review_after_the_game(monkeypatch, capsys):
    review_few(monkeypatch)
    for keys, options, reviewed in (("c\n" * 200, [], True), ("c\n" * 200, ["--no-review"], False), ("c\n", [], False)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(keys))
        assert diamant.main(["play", *QUIET, *options]) == 0
        output = capsys.readouterr().out
        assert bool(re.search(r"\n\n(?:In your|You made) \d+ decisions.*\nYour chance to win ", output)) == reviewed


@pytest.mark.parametrize("keys", ["", "l\nl\nc\no\n"])
def test_end_of_input_stops_and_records(play, keys, tmp_path):
    code, output, errors = play(keys, *QUIET, "--record", str(tmp_path / "game.txt"))
    assert (code, errors) == (0, "")
    path = tmp_path / "game.txt"
    assert re.search(rf"Stopped in expedition \d of 5\.\nThe game so far is recorded in {path}\.\n$", output)
    record = GameRecord.read(path)
    assert not record.finished
    assert output.count("\n>> ") == sum(not turn.bust for turn in record.turns) - 1


def test_ctrl_c_at_a_terminal(play, monkeypatch, tmp_path):
    def interrupted(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    code, output, _ = play("", *QUIET, "--record", str(tmp_path / "game.txt"))
    assert code == 130
    assert "\033[31m[LAVA PIT]\033[0m" in output
    assert "Stopped in expedition 1 of 5.\n" in output
    assert not GameRecord.read(tmp_path / "game.txt").finished
