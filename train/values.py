"""Training of value networks for truncated roll-outs of a policy: ``python -m train.values RUN_FOLDER``.

The networks, one per table size, are added to the policy's file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from tyro.conf import Positional, arg

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.values import Values
from train.learning.values import fit_values, play_starts
from train.runs.config import Config
from train.runs.run_folder import POLICY, locked, open_run_folder

COMMAND = "python -m train.values"


@dataclass(frozen=True)
class Arguments:
    """Add value networks to the policy of a finished run, one for each table size of its training.

    They are fitted to self-play games in all published editions with open chests.
    """

    run: Annotated[Path, arg(metavar="RUN_FOLDER"), Positional]
    """Folder of a finished run, whose policy.safetensors is overwritten."""
    games: int = 320_000
    """Games at each table size."""
    seed: int = 0
    """Seed of games and training."""


def learn_values(arguments: Arguments) -> dict[int, float]:
    """Fit the value networks and write them into the policy's file.

    Returns:
        Explained variance of the final win share in held-out games, by table size.

    Raises:
        FileNotFoundError: If the folder has no finished run.
        ValueError: If the policy is damaged, there are too few games, or it was trained at tables of one alone.
    """
    if arguments.games < 100:
        raise ValueError(f"games={arguments.games}; at least 100 are needed")
    config: Config = open_run_folder(arguments.run)
    if max(config.game.num_players) < 2:
        raise ValueError(f"{arguments.run} was trained at tables of one player, who always wins")
    with locked(arguments.run):
        network = NetworkAgent.load(arguments.run / POLICY)
        networks, explained = {}, {}
        for players in sorted({*config.game.num_players} - {1}):
            games, learning = np.random.SeedSequence((arguments.seed, players)).spawn(2)
            starts = play_starts(network, players, arguments.games, games)
            networks[players], explained[players] = fit_values(starts, learning)
            say(f"{players} players: {explained[players]:.3f} of the variance of the win share is explained.")
        network.values = Values(networks)
        network.save(arguments.run / POLICY, network.metadata)
    return explained


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        arguments = tyro.cli(Arguments, prog=COMMAND, args=argv)
        learn_values(arguments)
        say(f"The values are in {arguments.run / POLICY}.")

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
