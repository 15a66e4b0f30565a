"""Files of a training run: configuration, versions, policies and the checkpoint, each written whole or not at all."""

from __future__ import annotations

import io
import os
import platform
import re
import zipfile
from collections.abc import Iterator
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
from diamant_env.storage.files import write_whole
from diamant_env.storage.reading import parse_json, read_bytes, read_text
from diamant_env.storage.results import save_json, versions
from train.runs.config import AnyConfig, Config, Run, config_text, read_config

CONFIG, POLICY, CHECKPOINT = "config.toml", "policy.safetensors", "checkpoint.pt"
START = "start.safetensors"
"""Copy of the network that the run started from: what `Config.start` names may change later."""
_LARGEST = 1 << 28  # bytes of a checkpoint; a run has some megabytes


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


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, made if it is not there, so that no other command writes into it; BlockingIOError if one does."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")  # the operating system releases it when the process ends, however it ends
        lock.acquire(timeout=0)
    except Timeout:
        raise BlockingIOError(f"{folder} is in use by another process: wait for it, or name another folder") from None
    except OSError as error:
        raise OSError(f"can't write results into the folder {folder}: {error.strerror or error}") from None
    try:
        for left in folder.rglob(".*.partial"):  # by a process that was killed while it wrote
            left.unlink(missing_ok=True)
        yield
    finally:
        lock.release()


def save_policy(path: Path, network: NetworkAgent, config: Run, decisions: int) -> None:
    """Write a policy that `NetworkAgent.load` opens, with what it was trained on."""
    about = {"name": config.name, "seed": config.seed, "decisions": decisions}
    network.save(path, {**about, "config": config.model_dump(mode="json")})


def save_figure(path: Path, figure: Figure) -> None:
    """Write a figure in the format of its file's name, without the date."""
    content, kind = io.BytesIO(), path.suffix[1:]
    figure.savefig(content, format=kind, metadata={"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(kind))
    write_whole(path, content.getvalue())


class Checkpoints:
    """Policies kept on the way, evenly spaced over the run."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.folder = config, folder / "checkpoints"
        self.kept = 0

    def due(self, decisions: int) -> int:
        """Return the number of policies that should have been kept by this number of decisions."""
        return min(decisions, self.config.ppo.decisions) * self.config.checkpoints // self.config.ppo.decisions

    def keep(self, network: NetworkAgent, decisions: int) -> None:
        """Save the policy."""
        self.kept = self.due(decisions)
        save_policy(self.folder / f"{decisions:010d}.safetensors", network, self.config, decisions)


def save_checkpoint(folder: Path, config: Run, state: dict[str, Any]) -> None:
    """Write the state of a run, a tree of arrays and plain values, with its configuration; whole or not at all."""
    content = io.BytesIO()
    torch.save({"config": config.model_dump(mode="json"), "state": as_tensors(state)}, content)
    write_whole(folder / CHECKPOINT, content.getbuffer())


def load_checkpoint(folder: Path, config: Run) -> dict[str, Any] | None:
    """Return the last saved state of a run, None if it was killed before the first; the file runs no code.

    Raises:
        ValueError: If the file is damaged or belongs to another configuration.
    """
    path = folder / CHECKPOINT
    if not path.is_file():
        return None
    try:
        content = io.BytesIO(read_bytes(path, _LARGEST))
        if wrong := zipfile.ZipFile(content).testzip():  # torch itself checks no CRC
            raise ValueError(f"{wrong} has another checksum")
        content.seek(0)
        saved = torch.load(content, weights_only=True)
        # Keys that are new since then have their defaults.
        belongs = type(config).model_validate(saved["config"]) == config
        state = _mapped(saved["state"], torch.Tensor, torch.Tensor.numpy)
    except Exception as error:  # any, of a crafted file
        raise ValueError(f"{path} is damaged: {error or type(error).__name__}") from None
    if not belongs:
        raise ValueError(f"{path} belongs to another configuration than the one in {folder}, which was changed since")
    return state


def as_tensors(tree: Any) -> Any:
    """Return a tree with tensors for its arrays."""
    return _mapped(tree, np.ndarray, torch.tensor)


def _mapped(tree: Any, kind: type, function: Any) -> Any:
    """Return a tree of dictionaries and sequences with each leaf of a kind replaced by what a function makes of it."""
    if isinstance(tree, dict):
        return {key: _mapped(value, kind, function) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_mapped(value, kind, function) for value in tree]
    return function(tree) if isinstance(tree, kind) else tree


def read_json(path: Path) -> Any:
    """Return what is in a file of a finished run; FileNotFoundError or ValueError if it is not there or damaged."""
    if not path.is_file():
        raise FileNotFoundError(f"{path.parent} has no finished run: it has no {path.name}")
    try:
        return parse_json(read_text(path))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def slug(text: str) -> str:
    """Return a text as a part of a path: each run of other characters than letters, digits, _ and . becomes a -."""
    return re.sub(r"[^\w.]+", "-", text)


@cache
def machine_and_versions() -> dict[str, Any]:
    """Return what a run's result may depend on beside its configuration: the machine and every package."""
    packages = {item.name: item.version for item in sorted(distributions(), key=lambda item: item.name.lower())}
    return {**versions(), "platform": platform.platform(), "cores": os.cpu_count(), "packages": packages}
