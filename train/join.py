"""Put networks together, each for one table size: ``python -m train.join RUN_FOLDER --tables RUN_FOLDER …``.

What is learned at one table size does not fit what is learned at another; a policy may have a network for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional, arg

from diamant_env.opponents.network import NetworkAgent
from train.commands import clear_errors
from train.files import save_json
from train.run_folder import PARTS, POLICY, about_run, new_run_folder, open_run_folder, save_policy

COMMAND = "python -m train.join"


@dataclass(frozen=True)
class Arguments:
    """Join finished runs into one policy: at each table that one of --tables was trained at, that one plays.

    The new folder is that of a run, which train.evaluate, train.ship and the others take.
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
        ValueError: If a policy is damaged, was trained at several table sizes or at one that another was trained at,
            or has another activation than the first.
    """
    folders = (arguments.run, *arguments.tables)
    configs = [open_run_folder(folder) for folder in folders]
    networks = [NetworkAgent.load(folder / POLICY) for folder in folders]
    parts = [about_run(folder, config) for folder, config in zip(folders, configs, strict=True)]
    tables: dict[int, NetworkAgent] = {}
    for folder, config, network in zip(arguments.tables, configs[1:], networks[1:], strict=True):
        sizes = sorted(set(config.game.num_players))
        if len(sizes) > 1 or sizes[0] in tables:
            trained = " and ".join(map(str, sizes))
            raise ValueError(f"{folder} was trained at tables of {trained}; one size each, and each once, is allowed")
        if network.activation != networks[0].activation:
            raise ValueError(f"{folder} has the activation {network.activation}, not {networks[0].activation}")
        tables[sizes[0]] = network
    first = networks[0]
    layers = [(weight.T.copy(), bias) for weight, bias in first.layers]
    joined = NetworkAgent(layers, first.activation, tables={**first.tables, **tables})
    config = configs[0].model_copy(update={"name": arguments.name})
    folder = new_run_folder(arguments.out, config)
    totals = {key: sum(part[key] for part in parts) for key in ("decisions", "seconds")}
    save_json({**totals, "threads": config.threads}, folder / "time.json")
    save_json(parts, folder / PARTS)
    save_policy(folder / POLICY, joined, config, totals["decisions"])
    return folder


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    arguments = tyro.cli(Arguments, prog=COMMAND, args=argv)
    with clear_errors(COMMAND):
        print(f"The joined policy is in {join(arguments)}.")


if __name__ == "__main__":
    main()
