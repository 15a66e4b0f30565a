"""Files of a training run, written atomically: configuration, versions, policies and checkpoint."""

from __future__ import annotations

import io
import json
import os
import platform
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock, Timeout
from matplotlib.figure import Figure

from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.files import write_atomic
from diamant_env.storage.results import processor, save_json, versions
from train.runs.arguments import AnyConfig, config_text, read_config
from train.runs.config import Config, Run

CONFIG, POLICY, CHECKPOINT, TIME = "config.toml", "policy.safetensors", "checkpoint.pt", "time.json"
LAST = "last.safetensors"
"""The last iterate of a policy whose weights are averaged."""


def new_run_folder(parent: Path, config: Run) -> Path:
    """Create a run folder named by name and seed, numbered if it exists; write configuration and versions."""
    base = f"{config.name}-seed{config.seed}"
    parent.mkdir(parents=True, exist_ok=True)
    for number in range(1, 10_000):
        folder = parent / (base if number == 1 else f"{base}-{number}")
        with suppress(FileExistsError):
            folder.mkdir()
            write_atomic(folder / CONFIG, config_text(config))
            save_json({**machine_and_versions(), **machine(config.threads)}, folder / "versions.json")
            return folder
    raise RuntimeError("no free name for the run folder")


def open_run_folder(
    folder: Path,
    kind: type[AnyConfig] = Config,  # type: ignore[assignment]
    trusted: Sequence[str] = (),
) -> AnyConfig:
    """Return the configuration of a run, see `read_config`."""
    if not (folder / CONFIG).is_file():
        raise FileNotFoundError(f"{folder} is not a run folder: {CONFIG} is missing")
    return read_config(folder / CONFIG, kind, trusted)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other commands, creating it if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock")  # released by the operating system when the process ends
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise BlockingIOError(f"{folder} is in use by another process: wait for it, or name another folder") from None
    try:
        for partial in folder.rglob(".*.partial"):  # of a process killed while writing
            partial.unlink(missing_ok=True)
        yield
    finally:
        lock.release()


def save_policy(path: Path, network: NetworkAgent, config: Run, decisions: int) -> None:
    """Write a policy file with the training configuration as metadata."""
    metadata = {"name": config.name, "seed": config.seed, "decisions": decisions}
    network.save(path, {**metadata, "config": config.model_dump(mode="json")})


def finished_policy(folder: Path, config: Run) -> NetworkAgent | None:
    """Return the policy of a finished run, or None."""
    if not (folder / POLICY).is_file():
        return None
    network = NetworkAgent.load(folder / POLICY)
    if type(config).model_validate(network.metadata["config"]) != config:
        raise ValueError(f"{folder / POLICY} has another configuration than {folder / CONFIG}, which was changed since")
    network.name = config.name
    return network


def save_figure(path: Path, figure: Figure) -> None:
    content = io.BytesIO()
    figure.savefig(content)
    write_atomic(path, content.getvalue())


class Checkpoints:
    """Evenly spaced policies of a run."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.folder = config, folder / "checkpoints"
        self.saved = 0

    def due(self, decisions: int) -> int:
        """Return the number of policies due after this number of decisions."""
        return min(decisions, self.config.ppo.decisions) * self.config.checkpoints // self.config.ppo.decisions

    def save(self, network: NetworkAgent, decisions: int) -> None:
        self.saved = self.due(decisions)
        save_policy(self.folder / f"{decisions:010d}.safetensors", network, self.config, decisions)


def save_checkpoint(folder: Path, config: Run, state: dict[str, Any]) -> None:
    """Write the state of a run, a tree of arrays and plain values, with its configuration, atomically."""
    content = io.BytesIO()
    torch.save({"config": config.model_dump(mode="json"), "state": as_tensors(state)}, content)
    write_atomic(folder / CHECKPOINT, content.getbuffer())


def load_checkpoint(folder: Path, config: Run) -> dict[str, Any] | None:
    """Return the saved state of a run, or None; loading executes no code."""
    path = folder / CHECKPOINT
    if not path.is_file():
        return None
    saved = torch.load(path, weights_only=True)
    if type(config).model_validate(saved["config"]) != config:  # keys of later versions get their defaults
        raise ValueError(f"{path} has another configuration than {folder / CONFIG}, which was changed since")
    return _mapped(saved["state"], torch.Tensor, torch.Tensor.numpy)


def as_tensors(tree: Any) -> Any:
    """Return a tree with arrays replaced by tensors."""
    return _mapped(tree, np.ndarray, torch.tensor)


def _mapped(tree: Any, kind: type, function: Any) -> Any:
    """Return a tree of dictionaries and sequences with a function applied to each leaf of a type."""
    if isinstance(tree, dict):
        return {key: _mapped(value, kind, function) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_mapped(value, kind, function) for value in tree]
    return function(tree) if isinstance(tree, kind) else tree


def read_json(path: Path) -> Any:
    if not path.is_file():
        raise FileNotFoundError(f"{path.parent} is not the folder of a finished run: {path.name} is missing")
    return json.loads(path.read_text("utf-8"))


def slug(text: str) -> str:
    """Return a text as a part of a path: other characters than letters, digits, _ and . become a single -."""
    return re.sub(r"[^\w.]+", "-", text)


def machine(threads: int) -> dict[str, Any]:
    """Return the machine, as far as the last bits of a trained network depend on it, with torch's threads."""
    capability = torch.backends.cpu.get_cpu_capability()
    return {"processor": processor(), "instruction_set": capability, "threads": threads}


@cache
def machine_and_versions() -> dict[str, Any]:
    """Return the platform and the versions of all packages, on which results may depend."""
    packages = {item.name: item.version for item in sorted(distributions(), key=lambda item: item.name.lower())}
    return {**versions(), "platform": platform.platform(), "cores": os.cpu_count(), "packages": packages}
