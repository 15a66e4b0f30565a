"""Put networks together, each for one table size: ``python -m train.join RUN_FOLDER --tables RUN_FOLDER …``.

What is learned at one table size does not fit what is learned at another; a policy may have a network for each.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from tyro.conf import Positional, arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.values import Values
from diamant_env.storage.results import save_json
from train.runs.command_line import change_keys
from train.runs.config import Config
from train.runs.lock import held
from train.runs.run_folder import PARTS, POLICY, about_run, new_run_folder, open_run_folder, parts_of, save_policy

COMMAND = "python -m train.join"
# Keys of the configuration that must be equal in all runs of a policy.
ALIKE = (
    "seed",
    "game.edition",
    "game.reward",
    "game.expeditions",
    "game.blank",
    "network.activation",
    "network.inputs",
)


@dataclass(frozen=True)
class Arguments:
    """Join finished runs into one policy: at each table that one of --tables was trained at, that one plays.

    The new folder is that of a run, which diamant evaluate, train.ship and the others take.
    """

    run: Annotated[Path, arg(metavar="RUN_FOLDER"), Positional]
    """The folder of the run that plays all other tables."""
    tables: Annotated[tuple[Path, ...], arg(metavar="RUN_FOLDER …")]
    """The folders of runs, each trained at one table size, a different one."""
    name: str = "joined"
    """Of the joined run."""
    out: Path = Path("runs")
    """Where its folder is made."""


def join(arguments: Arguments) -> Path:
    """Join and return the new folder.

    Raises:
        FileNotFoundError: If a folder has no finished run.
        ValueError: If a policy is damaged, the runs don't belong together, one was joined itself, or a run of `tables`
            was trained at several sizes or at one that another was trained at.
    """
    folders = (arguments.run, *arguments.tables)
    for folder in folders:
        if parts_of(folder):
            raise ValueError(f"{folder} was joined from other runs; name those")
    configs: list[Config] = [open_run_folder(folder) for folder in folders]
    sizes = sizes_of(folders, configs)
    first, *own = (NetworkAgent.load(folder / POLICY) for folder in folders)
    parts = [about_run(folder, config) for folder, config in zip(folders, configs, strict=True)]
    parts = [parts[0], *(parts[1 + place] for place in np.argsort(sizes))]
    values = first.values.weights() if first.values else {}
    for size, network in zip(sizes, own, strict=True):
        values.pop(size, None)  # they are those of another policy
        values |= network.values.weights() if network.values else {}
    joined = NetworkAgent(
        first.weights(),
        first.activation,
        tables=dict(zip(sizes, own, strict=True)),
        inputs=first.inputs,
        values=Values(values) if values else None,
    )
    config = change_keys(configs[0], (f"name={json.dumps(arguments.name)}",))
    totals = {key: sum(part[key] for part in parts) for key in ("decisions", "seconds")}
    folder = new_run_folder(arguments.out, config)
    with held(folder):
        save_json(parts, folder / PARTS)
        save_json({**totals, "threads": config.threads}, folder / "time.json")
        save_policy(folder / POLICY, joined, config, totals["decisions"])
    return folder


def sizes_of(folders: Sequence[Path], configs: Sequence[Config]) -> list[int]:
    """Return the table size of each run but the first; ValueError if one has several or the runs don't fit."""
    sizes: list[int] = []
    for folder, config in zip(folders[1:], configs[1:], strict=True):
        trained = sorted(set(config.game.num_players))
        if len(trained) > 1 or trained[0] in sizes:
            at = " and ".join(map(str, trained))
            raise ValueError(f"{folder} was trained at tables of {at}; one size each, and each once, is allowed")
        for what in ALIKE:
            ours, theirs = attrgetter(what)(configs[0]), attrgetter(what)(config)
            if ours != theirs:
                raise ValueError(f"{folder} has {what} = {theirs}, {folders[0]} has {ours}; they must be the same")
        sizes.append(trained[0])
    return sizes


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        say(f"The joined policy is in {join(tyro.cli(Arguments, prog=COMMAND, args=argv))}.")

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
