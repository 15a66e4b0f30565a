"""Printing: in the output's encoding, after all is saved, and without an error on a closed pipe."""

import os
import sys
from pathlib import Path

import pytest

from diamant_env.storage.plain import plain
from train import ppo

ROOT = Path(__file__).parents[2]
TINY = [
    *("--ppo.decisions", "600", "--ppo.games", "8", "--ppo.turns", "16"),
    *("--judge.games", "100", "--judge.clone-games", "100", "--judge.curve-points", "0"),
]


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("0.312 ± 0.004, 3 × é …", "ascii", "0.312 +- 0.004, 3 x e ..."),
        ("0.312 ± 0.004, 3 × é …", "latin-1", "0.312 ± 0.004, 3 × é ..."),
        ("0.312 ± 0.004, 3 × é …", "utf-8", "0.312 ± 0.004, 3 × é …"),
        ("\udce9 \u65e5", "ascii", "? ?"),
        ("\udce9", "utf-8", "?"),
    ],
)
def test_what_an_encoding_lacks_is_paraphrased(text, encoding, expected):
    assert plain(text, encoding) == expected


@pytest.fixture
def closed_pipe(monkeypatch):
    """A closed pipe as stdout, in ASCII, as that of ``| head -1`` is."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        yield
        stream.flush()  # as Python does at the end: no error is left for it


def test_a_judged_run_is_saved_before_it_is_printed(tmp_path, closed_pipe):
    assert ppo.main([*TINY, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "default-seed0" / "results.json").stat().st_size > 100
