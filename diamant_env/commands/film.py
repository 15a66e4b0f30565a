"""Command ``diamant film tests/records/games/by-hand-two-snakes.txt game.gif``."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diamant_env.commands.terminal import new_file, new_parser, say
from diamant_env.drawing.scene import Scene
from diamant_env.records import GameRecord
from diamant_env.storage.files import write_whole

COMMAND = "diamant film"
_LAST = 4.0  # seconds of the last picture


def pictures_of(record: GameRecord) -> Iterator[NDArray[np.uint8]]:
    """Yield a picture of the table at the start and after each turn, uint8 (height, width, 3).

    Raises:
        ImportError: If pygame-ce isn't installed.
        DamagedRecord: If the record is inconsistent.
    """
    from diamant_env.drawing.picture import draw_table, pixels_of

    scene = Scene()
    for game in record.watch():
        scene.follow(game.state)
        yield pixels_of(draw_table(game.state, record.edition, scene, record.names))


def write_film(pictures: Sequence[NDArray[np.uint8]], path: Path, seconds: float = 1.5, width: int = 960) -> None:
    """Write pictures as a GIF, atomically.

    Args:
        pictures: Pictures of equal size.
        path: Path of the file; an existing one is replaced.
        seconds: Duration of each picture; the last one lasts four seconds.
        width: Width of the film in pixels.

    Raises:
        ImportError: If Pillow is missing.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError('a film needs Pillow: pip install "diamant-env[film]"') from error
    size = (width, round(pictures[0].shape[0] * width / pictures[0].shape[1]))
    images = [Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS) for picture in pictures]
    first, *others = [image.quantize(128, dither=Image.Dither.NONE) for image in images]
    stand = [seconds] * len(others) + [_LAST]
    durations = [max(20, 10 * round(100 * each)) for each in stand]  # GIF resolution: 10 ms
    film = io.BytesIO()
    first.save(film, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    write_whole(path, film.getvalue())


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    parser = new_parser(COMMAND, "Turn a recorded game into a GIF.", "")
    add = parser.add_argument
    add("game", type=Path, metavar="GAME.txt", help="a record, such as diamant watch --record writes")
    add("film", type=new_file, metavar="FILM", help="the new file to write; it ends in .gif")
    add("--seconds", type=float, default=1.5, help="for each turn (1.5)")
    options = parser.parse_args(argv)
    if options.film.suffix.lower() != ".gif":
        raise ValueError(f"{options.film}: the film's name must end in .gif")
    if not 0.02 <= options.seconds <= 60:
        raise ValueError(f"--seconds {options.seconds}; 0.02 to 60 are allowed")
    pictures = list(pictures_of(GameRecord.read(options.game)))
    write_film(pictures, options.film, options.seconds)
    say(f"{options.film}: {len(pictures)} pictures, {options.film.stat().st_size / 1e6:.1f} MB")
    return 0
