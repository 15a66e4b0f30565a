"""Arrays that begin at a cache line: a record or a row of them then lies in as few lines as it can."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Bytes of a cache line."""


def aligned(shape: int | tuple[int, ...], dtype: Any) -> NDArray:
    """Return an array of zeros that begins at a cache line."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size].view(dtype).reshape(shape)
