"""Invalid arguments of the `diamant` commands: status 2, one line on stderr, no file."""

import re
from pathlib import Path

import numba
import pytest

from diamant_env.commands import diamant

ROOT = Path(__file__).parents[2]
REFUSED = {
    "watch": [
        (["nobody"], "unknown agent 'nobody'"),
        (["ev"] * 9, "num_players=9; 1 to 8 players are allowed"),
        (["ev", "--seed", "-1"], "seed=-1; a whole number, 0 to"),
        (["ev", "--edition", "mine.toml"], "no edition file mine.toml"),
        (["--record", str(ROOT / "README.md")], "README.md exists already; name a new file"),
        (["--record", "nowhere/game.txt"], "there is no folder .*nowhere"),
    ],
    "evaluate": [
        (["bagg:18"], "unknown agent 'bagg:18'"),
        (["held-out"], "'held-out' is a pool, not one agent"),
        ([f"{'search:' * 3_000}ev"], "3000 times search: in an agent's text; at most 2 are allowed"),
        (["bag:18", "--games", str(10**30)], "a whole number, 1 to 100000000, is allowed"),
        (["bag:18", "--seed", "-1"], r"seed=-1; a whole number, 0 to 2\*\*64 - 1, is allowed"),
        (["bag:18", "--against", "heldout"], r"unknown agent 'heldout'; did you mean held-out\?$"),
        (["bag:18", "--against", "bag:3,bag:4"], "needs 3 distinct opponents; bag:3,bag:4 has 2"),
        (["ev", "--against", "held-out", "--players", "8", "--hidden-chests"], "without those that need open chests"),
        (["bag:18", "--out", "nowhere/x.json"], "there is no folder"),
        ([], "AGENT"),
    ],
    "exact": [
        (["--players", "2", "9"], "players=9; a whole number, 1 to 8, is allowed"),
        (["--players", "2", "1", "--reward", "margin"], "one player has none"),
        (["catch-up"], "hides them"),
    ],
    "page": [
        (["--port", "65536"], "--port=65536; a whole number, 0 to 65535, is allowed"),
        (["--agents", "nobody.zip"], "no agent 'nobody.zip': there is no file nobody.zip"),
        (["--edition", "iello"], "unknown edition 'iello'; did you mean"),
    ],
}


@pytest.mark.parametrize(
    ("command", "arguments", "reason"), [(name, *row) for name in REFUSED for row in REFUSED[name]]
)
def test_invalid_arguments(command, arguments, reason, tmp_path, monkeypatch, capsys):
    if command == "exact" and numba.config.DISABLE_JIT:
        pytest.skip("solving takes hours uncompiled")
    if command == "page":
        pytest.importorskip("uvicorn")
    monkeypatch.chdir(tmp_path)
    assert diamant.main([command, *arguments]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.startswith(f"diamant {command}: error: ")
    assert errors.count("\n") == 1
    assert re.search(reason, errors)
    assert not list(tmp_path.iterdir())
