"""The sequential test of whether a policy gives away less than the champion."""

import numpy as np
import pytest

from train.gate import ERROR, LEAST, decide, main


def decided(mean, less, seed):
    """Play until it is decided."""
    random, found = np.random.default_rng(seed), np.zeros(0)
    while (answer := decide(found, less)) is None:
        found = np.append(found, random.normal(mean, 0.08, 256))
    return answer, len(found)


@pytest.mark.parametrize(("mean", "expected"), [(0.01, True), (0.0, False)])
def test_wrong_answers_are_as_rare_as_it_says(mean, expected):
    answers = [decided(mean, 0.01, seed) for seed in range(300)]
    wrong = sum(answer != expected for answer, _ in answers)
    assert wrong < 300 * ERROR + 4 * np.sqrt(300 * ERROR)
    assert np.mean([games for _, games in answers]) < 4 * LEAST


def test_a_large_difference_takes_the_least_games():
    assert decided(0.2, 0.01, 0) == (True, LEAST)
    assert decided(-0.2, 0.01, 0) == (False, LEAST)


def test_the_command_asks_at_each_table_size(capsys):
    """Copies of ev leave together: who stays alone wins most of their games."""
    few = ["--games", "512", "--batch", "512", "--pairs", "2", "--less", "0.05", "--players", "3"]
    assert main(["random:0.2", "--champion", "ev:0.75", *few]) == 0
    shown = capsys.readouterr().out
    assert "3 players: the candidate gives away less after 512 games" in shown
    assert "It may replace the champion." in shown
    assert main(["ev:0.75", "--champion", "random:0.2", *few]) == 0
    assert "It may not replace the champion." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ev", "--games", "100"], "games=100; at least 512 is needed"),
        (["ev", "--less", "0"], "less=0.0; at least 0.0001 is needed"),
        (["nobody"], "nobody"),
        (["search:ev"], "the agent itself is one"),
    ],
)
def test_what_it_refuses(arguments, named, capsys):
    assert main(arguments) == 2
    assert named in capsys.readouterr().err
