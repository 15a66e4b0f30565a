"""Invalid arguments of the `diamant` commands: status 2, one line on stderr, no file."""

from pathlib import Path

import pytest

from diamant_env.commands import diamant

REFUSED = [
    "watch nobody",
    "watch ev --seed -1",
    "watch ev --edition mine.toml",
    f"watch --record {Path(__file__)}",
    "watch --record nowhere/game.txt",
    "watch --nothing",
    "evaluate",
    "evaluate held-out",
    "evaluate bag:18 --games 0",
    "evaluate bag:18 --against bag:3,bag:4",
    "evaluate ev --against held-out --players 8 --edition iello-2016/hidden_chests:1",
    "evaluate bag:18 --out nowhere/x.json",
    "exact --players 2 9",
    "exact --players 2 1 --reward margin",
    "exact --players 3 --reward win --whole-game",
    "exact --reward score --whole-game",
    "exact --reward win --whole-game --edition iello-2016",
    "exact catch-up",
    "page --port 65536",
    "page --agents nobody.zip",
    "page --edition iello",
    "evalute bag:18",
]


@pytest.mark.parametrize("line", REFUSED)
def test_invalid_arguments(line, tmp_path, monkeypatch, capsys):
    command, *arguments = line.split()
    if command == "page":
        pytest.importorskip("uvicorn")
    monkeypatch.chdir(tmp_path)
    assert diamant.main([command, *arguments]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.startswith("diamant")
    assert "error: " in errors
    assert errors.count("\n") == 1
    assert not list(tmp_path.iterdir())
