"""The command line of a training run: what `train.ppo` and `train.rllib` share."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import tyro
from pydantic import ValidationError
from tyro.conf import arg

from diamant_env.commands.terminal import say
from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.reading import parse_toml
from train.runs.checkpoint import CHECKPOINT
from train.runs.config import AnyConfig, Config, explain, read_config
from train.runs.lock import held
from train.runs.report import check_line_ups, report_run
from train.runs.run_folder import CONFIG, POLICY, new_run_folder, open_run_folder

Experiment = TypeVar("Experiment", bound=Config)


def optional(metavar: str) -> Any:
    """Return how the help shows an option that may be left out: without "(default: None)"."""
    return arg(metavar=metavar, help_behavior_hint="")


ConfigFile = Annotated[Path | None, optional("FILE.toml")]
Changes = Annotated[tuple[str, ...], arg(metavar="KEY=VALUE"), tyro.conf.UseAppendAction]
"""For `change_keys`; the option may be repeated."""


@dataclass
class Arguments:
    """Train a PPO agent by self-play and judge it against the scripted baselines."""

    config: ConfigFile = None
    """The experiment; if none is named, default.toml in configs, on Ray rllib.toml."""
    set: Changes = ()
    """Change one key, e.g. --set ppo.decisions=100000 --set seed=3; may be repeated."""
    out: Path = Path("runs")
    """Where the run's own folder is made."""
    resume: Annotated[Path | None, optional("FOLDER")] = None
    """Go on with the run in this folder; the configuration is the one it has."""
    judge: bool = True
    """Judge the agent at the end."""


def run_experiment(
    argv: Sequence[str] | None,
    command: str,
    kind: type[Experiment],
    default: Path,
    train: Callable[[Experiment, Path], NetworkAgent],
    check: Callable[[Experiment], object] = check_line_ups,
    checkpoint: str = CHECKPOINT,
) -> None:
    """Run a command that trains.

    Args:
        argv: The command line, by default that of the process.
        command: What the user typed, for the help.
        kind: The class of its configurations.
        default: The experiment that is run if none is named.
        train: Trains in a run folder, or goes on there, and returns the policy.
        check: Raises a ValueError if a new run can't be trained or judged, before its folder is made.
        checkpoint: The name of the file from which it goes on.
    """
    arguments = tyro.cli(Arguments, args=argv, prog=command)
    if arguments.resume is None:
        config = change_keys(read_config(arguments.config or default, kind), arguments.set)
        check(config)
        folder = new_run_folder(arguments.out, config)
    else:
        config, folder = _resumed(arguments, arguments.resume, kind, checkpoint), arguments.resume
    try:
        with held(folder):
            network = train(config, folder)
            if arguments.judge:
                report_run(network, config, folder)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"go on with --resume {folder}") from None
    say(f"The run is in {folder}, its policy in {folder / POLICY}.")


def _resumed(arguments: Arguments, folder: Path, kind: type[Experiment], checkpoint: str) -> Experiment:
    """Return the configuration of the run that the arguments go on with."""
    config = open_run_folder(folder, kind)
    if arguments.set or arguments.config is not None:
        raise ValueError(f"--resume goes on with {folder / CONFIG}: give no --config and no --set")
    if not (folder / checkpoint).is_file():
        print(f"{folder} has no {checkpoint} yet: the run begins anew", file=sys.stderr)
    return config


def change_keys(config: AnyConfig, changes: tuple[str, ...]) -> AnyConfig:
    """Return the configuration with keys changed, each given as ``section.key=value`` in TOML; else a ValueError."""
    values = config.model_dump(mode="json")
    for change in changes:
        key, equals, text = change.partition("=")
        *sections, name = key.strip().split(".")
        section: Any = values
        for part in sections:
            section = section.get(part) if isinstance(section, dict) else None
        if not equals or not isinstance(section, dict):
            raise ValueError(f"--set {change}: expected section.key=value with sections {', '.join(values)}")
        try:
            section[name] = parse_toml(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            section[name] = text
        except ValueError as error:
            raise ValueError(f"--set {change}: {error}") from None
    try:
        return type(config).model_validate(values)
    except ValidationError as error:
        raise ValueError(f"--set {' '.join(changes)}: {explain(error)}") from None
