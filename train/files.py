"""How files are written: whole or not at all."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whenever the process is killed, the old or the new content is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def save_json(content: object, path: str | Path) -> None:
    """Write dataclasses, arrays and what JSON knows; a number that is none (NaN) becomes null."""
    text = json.dumps(to_json(content), indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(Path(path), (text + "\n").encode())


def slug(text: str) -> str:
    """Return a text as a part of a path: each run of other characters than letters, digits, _ and . becomes a -."""
    return re.sub(r"[^\w.]+", "-", text)


def to_json(content: Any) -> Any:
    """Return content that `json` can write."""
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
