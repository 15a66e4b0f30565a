"""Invalid arguments of the commands of `train/`: status 2, one message, nothing written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from train import benchmark, best_response, ppo

REFUSED = {
    ppo: [
        (
            ["--judge.num-players", "8", "--game.edition", "incan-gold"],
            "or set judge.num_players to another table size",
        ),
        (["--seed", "0", "--resume", "nowhere"], "--resume keeps the run's settings and folder: --seed can't be given"),
        (["--ppo.games=128", "--out", "x", "--resume", "nowhere"], "folder: --ppo.games=128, --out can't be given"),
        (["--config", "nowhere.toml"], "no configuration file nowhere.toml"),
        (["--ppo.speed", "3"], "Unrecognized options: --ppo.speed, 3"),
        (["--ppo.games", "0"], "error for PPOConfig games Input should be greater than or equal to 1"),
        (["--game.num-players", "3", "4", "5", "--ppo.games", "2"], "ppo.games = 2 is too few for 3 table sizes"),
        (
            ["--game.editions", "everdeck", "incan-gold", "--ppo.games", "1"],
            "too few for 6 table sizes with 2 entries of game.editions: at least",
        ),
        (["--resume", "nowhere"], "nowhere is no run folder: it has no config.toml"),
        (["--runners", "2"], "runners = 2; python -m train.cluster trains with more than one"),
    ],
    best_response: [
        (["nobody"], "unknown agent 'nobody'"),
        (["bag", "--game.num-players", "3", "4"], "game.num_players = [3, 4]: one table size of 2 to 8 is needed"),
        (["bag", "--pools", "nowhere.toml"], "no pool 'nowhere.toml'"),
        (["ev", "catch-up", "--game.edition", "incan-gold"], "catch-up:16,0.5 reads the rivals' chests"),
        (["bag", "--game.editions", "everdeck"], "game.editions and ppo.average are settings of self-play"),
        (["bag", "--resume", "nowhere"], "--resume takes its agents from the folders"),
    ],
    benchmark: [
        (["--tasks", "full4-win"], "unknown task 'full4-win'; did you mean full-4-win"),
        (["--algorithms", "pppo"], "unknown algorithm 'pppo'; did you mean ppo"),
    ],
}


@pytest.mark.parametrize(
    ("command", "arguments", "reason"), [(command, *row) for command, rows in REFUSED.items() for row in rows]
)
def test_invalid_arguments(command, arguments, reason, tmp_path, capsys):
    out = [] if "--resume" in arguments else ["--out", str(tmp_path / "runs")]
    assert command.main([*arguments, *out]) == 2
    errors = capsys.readouterr().err
    assert reason in " ".join(errors.replace("│", "").split())  # without the frame of tyro's messages
    assert not list(tmp_path.iterdir())


def test_dangling_parent_is_named(tmp_path, capsys):
    (tmp_path / "runs").symlink_to(tmp_path / "unmounted")
    assert ppo.main(["--out", str(tmp_path / "runs")]) == 2
    assert f"'{tmp_path / 'runs'}'" in capsys.readouterr().err


def test_invalid_file_is_named_with_its_key(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text("[ppo]\nlearning_rat = 3\ngames = 0")
    assert ppo.main(["--config", str(tmp_path / "mine.toml"), "--out", str(tmp_path / "runs")]) == 2
    errors = capsys.readouterr().err
    assert f"{tmp_path / 'mine.toml'}: ppo.games = 0: Input should be greater than or equal to 1; " in errors
    assert "unknown key ppo.learning_rat; did you mean learning_rate or " in errors


WITHOUT = """
import sys
from importlib.machinery import PathFinder

def find_spec(name, *more, find=PathFinder.find_spec):
    return None if name in ("pydantic", "tyro") else find(name, *more)

PathFinder.find_spec = find_spec
"""


@pytest.mark.parametrize("command", ["ppo", "best_response", "benchmark", "cluster"])
def test_missing_libraries_name_the_extra(command, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root}"}
    words = [sys.executable, "-m", f"train.{command}", "--help"]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'train needs pydantic, tyro: pip install -c constraints.txt -e ".[train]"\n'
