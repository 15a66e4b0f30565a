"""Command `diamant film`: frames and timing of a recorded game."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from diamant_env.commands import diamant, film
from diamant_env.opponents import make
from tests.support.record import record_of

pytest.importorskip("pygame")
Image = pytest.importorskip("PIL.Image")
RECORD = record_of([make("cards:1"), make("cards:2")], notes=["short"])


@pytest.fixture
def shoot(capsys):
    """Run the command; return exit status, stdout and stderr."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        return diamant.main(["film", *map(str, arguments)]), *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def pictures():
    return list(film.pictures_of(RECORD))


def test_film_has_a_frame_per_turn(shoot, tmp_path, pictures):
    assert len(pictures) == 11  # the start and what each of two decisions in five expeditions led to
    assert all((one != other).any() for one, other in pairwise(pictures))
    path, game = tmp_path / "game.gif", tmp_path.parent / "game.txt"
    RECORD.write(game)
    code, said, errors = shoot(game, path, "--seconds", "0.5")
    assert (code, errors) == (0, "")
    assert said.startswith(f"{path}: ")
    with Image.open(path) as made:
        assert made.n_frames == len(pictures)
        durations = []
        for frame in range(made.n_frames):
            made.seek(frame)
            durations.append(made.info["duration"])
        assert durations == [500] * (len(pictures) - 1) + [4000]
        shown = np.asarray(made.convert("RGB").resize((96, 64)), float)
        meant = np.asarray(Image.fromarray(pictures[-1]).resize((96, 64)), float)
        assert np.abs(shown - meant).mean() < 12
    assert [file.name for file in tmp_path.iterdir()] == ["game.gif"]
