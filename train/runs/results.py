"""Pictures and names of results."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from diamant_env.storage.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a picture as a PNG, or in the format that the suffix says."""
    content = io.BytesIO()
    figure.savefig(content, format=Path(path).suffix.removeprefix(".") or "png", dpi=120)
    write_whole(path, content.getvalue())


def slug(text: str) -> str:
    """Return a text as a part of a path: each run of other characters than letters, digits, _ and . becomes a -."""
    return re.sub(r"[^\w.]+", "-", text)
