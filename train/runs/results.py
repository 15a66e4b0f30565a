"""What is written as JSON or as a picture, and under which name."""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from diamant_env.storage.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_json(content: object, path: str | Path) -> None:
    """Write dataclasses, arrays and what JSON knows; NaN and infinities become null."""
    text = json.dumps(to_json(content), indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(path, text + "\n")


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a picture as a PNG, or in the format that the suffix says."""
    content = io.BytesIO()
    figure.savefig(content, format=Path(path).suffix.removeprefix(".") or "png", dpi=120)
    write_whole(path, content.getvalue())


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
