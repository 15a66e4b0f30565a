"""Results as JSON, versions of packages, and the processor's name."""

from __future__ import annotations

import json
import math
import platform
import subprocess
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from diamant_env.storage.files import write_atomic

_PACKAGES = ("diamant-env", "numpy", "numba", "scipy")


def save_json(content: object, path: str | Path) -> None:
    """Write the JSON value of `to_json`."""
    text = json.dumps(to_json(content), indent=1, ensure_ascii=False, allow_nan=False)
    write_atomic(path, text + "\n")


def to_json(content: Any) -> Any:
    """Return dataclasses, arrays and paths as a JSON value; NaN and infinities become null."""
    if is_dataclass(content) and not isinstance(content, type):
        content = asdict(content)
    if isinstance(content, dict):
        return {str(key): to_json(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [to_json(value) for value in content]
    if isinstance(content, (np.ndarray, np.generic)):
        return to_json(content.tolist())
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return str(content) if isinstance(content, Path) else content


def versions() -> dict[str, str]:
    """Return the versions of Python and packages, and the commit of a checkout, with "+" if modified."""
    result = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            result[package] = metadata.version(package)
    root = Path(__file__).parents[2]
    if (root / "pyproject.toml").is_file():  # not for a package installed inside another checkout
        command = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12"]
        with suppress(OSError, subprocess.SubprocessError):
            output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout
            result["commit"] = output.strip()
    return result


def processor() -> str:
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
