"""Invalid arguments of the commands: status 2, an error that names them, no file."""

import shlex
from pathlib import Path

import pytest

from diamant_env.commands import diamant
from train import benchmark, best_response, ppo

REFUSED = [
    (diamant, "watch nobody", "nobody"),
    (diamant, "watch ev --seed -1", "seed"),
    (diamant, "watch ev --edition mine.toml", "mine.toml"),
    (diamant, f"watch --record '{Path(__file__)}'", "test_refused.py"),
    (diamant, "watch --nothing", "--nothing"),
    (diamant, "evaluate", "AGENT"),
    (diamant, "evaluate held-out", "held-out"),
    (diamant, "evaluate bag:18 --games 0", "games"),
    (diamant, "evaluate bag:18 --against bag:3,bag:4", "bag:3,bag:4"),
    (diamant, "evaluate ev --against held-out --players 8 --edition iello-2016/hidden_chests:1", "held_out"),
    (diamant, "evaluate bag:18 --out nowhere/x.json", "nowhere"),
    (diamant, "exact --players 2 9", "players=9"),
    (diamant, "exact --players 2 1 --reward margin", "margin"),
    (diamant, "exact --players 3 --reward win --whole-game", "--whole-game"),
    (diamant, "exact --reward win --whole-game --edition iello-2016", "iello-2016"),
    (diamant, "exact catch-up", "catch-up"),
    (diamant, "page --port 65536", "port"),
    (diamant, "evalute bag:18", "evaluate"),
    (ppo, "--evaluation.num-players 8 --game.edition incan-gold", "evaluation.num_players"),
    (ppo, "--seed 0 --resume nowhere", "--seed"),
    (ppo, "--config nowhere.toml", "nowhere.toml"),
    (ppo, "--ppo.speed 3", "--ppo.speed"),
    (ppo, "--ppo.games 0", "games"),
    (ppo, "--game.num-players 3 4 5 --ppo.games 2", "ppo.games = 2"),
    (ppo, "--game.editions everdeck incan-gold --ppo.games 1", "game.editions"),
    (ppo, "--resume nowhere", "nowhere"),
    (ppo, "--runners 2", "runners"),
    (best_response, "bag --game.num-players 3 4", "game.num_players"),
    (best_response, "bag --pools nowhere.toml", "nowhere.toml"),
    (best_response, "ev catch-up --game.edition incan-gold", "catch-up:16,0.5"),
    (best_response, "bag --game.editions everdeck", "game.editions"),
    (best_response, "bag --ppo.explore 0.5", "ppo.explore"),
    (best_response, "bag --resume nowhere", "--resume"),
    (benchmark, "--tasks full4-win", "full-4-win"),
    (benchmark, "--algorithms pppo", "ppo"),
]


@pytest.mark.parametrize(("command", "line", "key"), REFUSED)
def test_invalid_arguments(command, line, key, tmp_path, monkeypatch, capsys):
    if line.startswith("page"):
        pytest.importorskip("uvicorn")
    monkeypatch.chdir(tmp_path)
    try:
        status = command.main(shlex.split(line))
    except SystemExit as end:  # of tyro
        status = end.code
    output, errors = capsys.readouterr()
    assert (status, output) == (2, "")
    assert key in errors
    if command is diamant:
        assert errors.startswith("diamant")
        assert "error: " in errors
        assert errors.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_invalid_file_is_named_with_its_key(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text("[ppo]\nlearning_rat = 3\ngames = 0")
    assert ppo.main(["--config", str(tmp_path / "mine.toml"), "--out", str(tmp_path / "runs")]) == 2
    errors = capsys.readouterr().err
    assert all(key in errors for key in (str(tmp_path / "mine.toml"), "ppo.games", "ppo.learning_rat"))
