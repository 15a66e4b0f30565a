"""Decisions of any agents as arrays, to imitate or learn from: ``python -m train.export AGENT … --out FILE.npz``."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from numpy.typing import NDArray
from tqdm import tqdm
from tyro.conf import Positional, arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.judging.games import checked_names
from diamant_env.opponents.network import layout
from diamant_env.storage.files import write_whole
from diamant_env.storage.reading import parse_json
from diamant_env.storage.results import versions
from train.learning.dataset import play_decisions

COMMAND = "python -m train.export"
FORMAT = "diamant-decisions-1"


@dataclass(frozen=True)
class Arguments:
    """Write each decision that agents make over some games as a row of arrays, in a NumPy file.

    An agent is a text such as bag:18, the file of a trained policy (.safetensors), or the folder of its run. At each
    table distinct ones of the agents sit in random order; where they are fewer than the players, several copies do.

    Arrays (rows): observation float32 (rows, features), mask int8 (rows, 2), action int8 (0 = CONTINUE, 1 = LEAVE),
    leave_probability float32, return float32 (what the seat earned from this decision to the end of the game), agent
    (its position among the agents), game, seat, expedition, turn. Only seats that must decide have rows; they are
    sorted by game, turn and seat. game_seed uint64 (games,) brings each game's cards again in
    parallel_env().reset(seed=…), and metadata is a text in JSON. A game of 4 takes about 50 kB of memory.
    """

    agents: Annotated[tuple[str, ...], arg(metavar="AGENT …"), Positional]
    """The agents."""
    out: Annotated[Path, arg(metavar="FILE.npz")]
    """File to write, whole or not at all; one that is there is replaced."""
    games: int = 1000
    """Games to play."""
    players: int = 4
    """Players at each table, 1 to 8."""
    edition: str = "iello-2016"
    """Edition of the game."""
    reward: str = "score"
    """What returns are sums of: score, win or margin."""
    seed: int = 0
    """Seed of everything."""


def export(arguments: Arguments) -> dict[str, NDArray]:
    """Play, write the file and return its arrays.

    Raises:
        ValueError: If an argument is wrong; the message says what is allowed.
    """
    if not arguments.agents:
        raise ValueError("name at least one agent")
    names = checked_names(arguments.agents, arguments.games, max(2, arguments.players))
    if arguments.out.suffix != ".npz" or not arguments.out.absolute().parent.is_dir():
        raise ValueError(f"--out {arguments.out}: the name of a file in a folder that is there, ending in .npz")
    settings = {key: getattr(arguments, key) for key in ("games", "seed", "players", "edition", "reward")}
    with tqdm(total=arguments.games, unit="games", disable=None) as bar:
        arrays = play_decisions(arguments.agents, **settings, progress=bar)
    metadata = {"format": FORMAT, "agents": names, **settings, "layout": layout(), "versions": versions()}
    content = io.BytesIO()
    np.savez_compressed(content, metadata=np.array(json.dumps(metadata)), **arrays)  # type: ignore[arg-type]
    write_whole(arguments.out, content.getvalue())
    return arrays


def load_decisions(path: str | Path) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Return the arrays and the metadata of a file that this command wrote.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is damaged, another file, or its observations have another layout than this version's.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        metadata = parse_json(str(arrays.pop("metadata")))
        fits = (metadata["format"], metadata["layout"]) == (FORMAT, layout())
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is no file of decisions or is damaged: {error}") from None
    if not fits:
        raise ValueError(f"{path} has another format or layout than this version of diamant_env; export it anew")
    return arrays, metadata


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        arguments = tyro.cli(Arguments, prog=COMMAND, args=argv)
        arrays = export(arguments)
        say(f"{arguments.out}: {len(arrays['action']):,} decisions of {arguments.games:,} games")

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
