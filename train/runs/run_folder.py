"""What a training run leaves on disk, and how: each file whole or not at all."""

from __future__ import annotations

import json
import os
import platform
import re
from contextlib import suppress
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from diamant_env.opponents.network import FORMAT, NetworkAgent, digest, layout
from diamant_env.storage.files import write_whole
from diamant_env.storage.reading import parse_json, read_text
from diamant_env.storage.results import save_json, versions
from train.runs.config import AnyConfig, Config, Run, config_json, config_text, read_config

CONFIG, POLICY = "config.toml", "policy.safetensors"
START = "start.safetensors"
"""The network that the run started from: what `Config.start` names may change later."""


def new_run_folder(parent: Path, config: Run) -> Path:
    """Create the folder of a run: its name and seed, with a number if that is taken; write config and versions."""
    base = f"{config.name}-seed{config.seed}"
    for number in range(1, 10_000):
        folder = parent / (base if number == 1 else f"{base}-{number}")
        with suppress(FileExistsError):
            folder.mkdir(parents=True)
            write_whole(folder / CONFIG, config_text(config))
            save_json(machine_and_versions(), folder / "versions.json")
            return folder
    raise RuntimeError("no free name for the run folder")


def open_run_folder(folder: Path, kind: type[AnyConfig] = Config) -> AnyConfig:  # type: ignore[assignment]
    """Return the configuration of a run, of the kind that trains it; FileNotFoundError or ValueError if it has none."""
    if not (folder / CONFIG).is_file():
        raise FileNotFoundError(f"{folder} is no run folder: it has no {CONFIG}")
    return read_config(folder / CONFIG, kind)


def about_run(folder: Path, config: Config) -> dict[str, Any]:
    """Return what a model card says about the training; FileNotFoundError if the run is not finished."""
    time, found = (read_json(folder / name) for name in ("time.json", "versions.json"))
    try:
        about = {"config": config_json(config), "commit": found.get("commit", "unknown")}
        return about | {
            "platform": found["platform"],
            **{key: time[key] for key in ("decisions", "seconds", "threads")},
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"time.json or versions.json in {folder} is damaged: {error!r}") from None


def read_json(path: Path) -> Any:
    """Return what is in a file of a finished run; errors are those of `about_run`."""
    if not path.is_file():
        raise FileNotFoundError(f"{path.parent} has no finished run: it has no {path.name}")
    try:
        return parse_json(read_text(path))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def slug(text: str) -> str:
    """Return a text as a part of a path: each run of other characters than letters, digits, _ and . becomes a -."""
    return re.sub(r"[^\w.]+", "-", text)


def machine_and_versions() -> dict[str, Any]:
    """Return what a run's result may depend on beside its configuration: the machine and every package."""
    return {
        **versions(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "packages": _packages(),
    }


@cache
def _packages() -> dict[str, str]:
    """Return the version of every installed package: found once, since that takes a tenth of a second."""
    return {item.name: item.version for item in sorted(distributions(), key=lambda item: item.name.lower())}


def save_policy(path: Path, network: NetworkAgent, config: Run, decisions: int) -> None:
    """Write a policy that `NetworkAgent.load` opens, with what it was trained on."""
    tensors = network.tensors()
    metadata = {
        "format": FORMAT,
        "layout": layout(),
        "activation": network.activation,
        "inputs": network.inputs,
        "name": config.name,
        "seed": config.seed,
        "decisions": decisions,
        "config": config.model_dump(mode="json"),
        "sha256": digest(tensors),
    }
    # One text, since the library writes several in no particular order.
    write_whole(path, save(tensors, {"diamant": json.dumps(metadata)}))
