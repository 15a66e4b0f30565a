"""Invalid arguments of the commands of `train/`: status 2, one message, nothing written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from train import benchmark, best_response, ppo

REFUSED = [
    (ppo, "--evaluation.num-players 8 --game.edition incan-gold", "evaluation.num_players"),
    (ppo, "--seed 0 --resume nowhere", "--seed"),
    (ppo, "--config nowhere.toml", "nowhere.toml"),
    (ppo, "--ppo.speed 3", "--ppo.speed"),
    (ppo, "--ppo.games 0", "games"),
    (ppo, "--game.num-players 3 4 5 --ppo.games 2", "ppo.games = 2"),
    (ppo, "--game.editions everdeck incan-gold --ppo.games 1", "game.editions"),
    (ppo, "--resume nowhere", "nowhere"),
    (ppo, "--runners 2", "runners"),
    (best_response, "nobody", "nobody"),
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
def test_invalid_arguments(command, line, key, tmp_path, capsys):
    out = [] if "--resume" in line else ["--out", str(tmp_path / "runs")]
    try:
        status = command.main([*line.split(), *out])
    except SystemExit as end:  # of tyro
        status = end.code
    assert status == 2
    assert key in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_invalid_file_is_named_with_its_key(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text("[ppo]\nlearning_rat = 3\ngames = 0")
    assert ppo.main(["--config", str(tmp_path / "mine.toml"), "--out", str(tmp_path / "runs")]) == 2
    errors = capsys.readouterr().err
    assert all(key in errors for key in (str(tmp_path / "mine.toml"), "ppo.games", "ppo.learning_rat"))


WITHOUT = """
import sys
from importlib.machinery import PathFinder

def find_spec(name, *more, find=PathFinder.find_spec):
    return None if name in ("pydantic", "tyro") else find(name, *more)

PathFinder.find_spec = find_spec
"""


def test_missing_libraries_name_the_extra(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root}"}
    words = [sys.executable, "-m", "train.ppo", "--help"]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert ".[train]" in done.stderr
