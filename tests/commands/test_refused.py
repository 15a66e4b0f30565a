"""What the commands of `diamant` refuse: status 2, nothing but one line that says why, and no file."""

from __future__ import annotations

import re
from pathlib import Path

import numba
import pytest

from diamant_env.commands import diamant

ROOT = Path(__file__).parents[2]
GAME = str(ROOT / "tests" / "records" / "games" / "iello-2016-3-players-seed-2026.txt")
REFUSED = {
    "play": [
        (["--opponents", "nobody"], "unknown agent 'nobody'"),
        (["--opponents", *["ev"] * 8], "9 players; 1 to 8 fit at a table"),
        (["--opponents", "bag:many"], "'many' in 'bag:many' is no number"),
        (["--opponents", "ev", "catch-up", "--edition", "incan-gold"], "catch-up.* looks at the rivals' chests"),
        (["--opponents", "catch-up", "--hidden-chests"], "this table hides them; seat another agent"),
        (["--edition", "diamond"], "unknown edition 'diamond'; published editions: iello-2016"),
        (["--seed", "x"], "--seed: x; a whole number from 0"),
        (["--seed", "-1"], "--seed: -1; a whole number from 0"),
        (["--seed", str(2**64)], "a whole number from 0"),
        (["--record", str(ROOT / "README.md")], "README.md: this is there already; name a new file"),
        (["--record", "nowhere/game.txt"], "there is no folder .*nowhere"),
        (["--opponent-count", "3"], "unrecognized arguments: --opponent-count"),
        (["--opponents", "runs/none.safetensors"], "no trained policy"),
    ],
    "watch": [
        (["ev"] * 9, "9 players; 1 to 8"),
        (["--speed", "-1"], "--speed: -1"),
        (["--speed", "nan"], "--speed: nan"),
    ],
    "film": [
        ([GAME, "game.avi"], r"must end in \.gif"),
        ([GAME, GAME], "this is there already; name a new file"),
        (["nowhere.txt", "game.gif"], r"nowhere\.txt"),
        ([__file__, "game.gif"], "line 1"),
        ([GAME, "nowhere/game.gif"], "there is no folder"),
        ([GAME, "game.gif", "--seconds", "0"], r"--seconds 0\.0"),
        ([GAME, "game.gif", "--last", "nan"], "--last nan"),
        ([GAME, "game.gif", "--width", "10"], "--width 10"),
        ([GAME], "required"),
    ],
    "evaluate": [
        (["ev", "--per-decision", "gems"], "--per-decision: invalid choice: 'gems'"),
        (["ev", "--per-decision", "score", "--against", "pool"], "the players of the equilibrium sit there"),
        (["ev", "--per-decision", "win", "--against", "intruder:bag"], "copies around an intruder are not judged"),
        (["ev", "--per-decision", "win", "--edition", "incan-gold"], "no loss in win share in incan-gold: the chests"),
        (["ev", "--per-decision", "win", "--hidden-chests"], "no loss in win share in iello-2016: the chests"),
        (["ev", "--per-decision", "score", "--hidden-chests"], "hidden_chests=True; with 'score' chests are open"),
        (["ev", "--per-decision", "win", "--games", "0"], "games=0; a whole number, 1 to 100000, is allowed"),
        (["ev", "--per-decision", "score", "--players", "1"], "players=1; a whole number, 2 to 8"),
        (["ev", "--per-decision", "score", "--edition", "x"], "unknown edition 'x'"),
        (["ev", "--games", "0"], "games=0; a whole number, 1 to 100000000, is allowed"),
    ],
    "exact": [
        (["nobody"], "unknown agent 'nobody'"),
        (["--edition", "x", "--players", "2"], "unknown edition 'x'"),
        (["--players", "9"], "1 to 8 are allowed"),
        (["catch-up"], "hides them"),
        (["--lone", "x"], "unknown edition 'x'"),
        (["--values", GAME], "2026.txt is no folder"),
        (["--values", GAME + "/values"], "2026.txt is no folder"),
    ],
}


@pytest.mark.parametrize(
    ("command", "arguments", "reason"), [(name, *row) for name in REFUSED for row in REFUSED[name]]
)
def test_what_is_refused(command, arguments, reason, tmp_path, monkeypatch, capsys):
    if command == "exact" and numba.config.DISABLE_JIT:
        pytest.skip("solving takes hours uncompiled")
    if command == "film":
        pytest.importorskip("pygame")
        pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    assert diamant.main([command, *arguments]) == 2
    said, errors = capsys.readouterr()
    assert said == ""
    assert errors.startswith(f"diamant {command}: error: ")
    assert errors.count("\n") == 1
    assert re.search(reason, errors)
    assert not list(tmp_path.iterdir())
