"""Random damage, and files crafted as an attacker would."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np


def mutated(random: np.random.Generator, content: bytes) -> bytes:
    """Return the content with one random error."""
    at = int(random.integers(len(content)))
    length = int(random.integers(1, 65))
    before, behind = content[:at], content[at + 1 :]
    damaged = [
        before + bytes([content[at] ^ 1 << int(random.integers(8))]) + behind,  # a flipped bit
        before,  # truncated
        before + content[at + length :],  # a gap
        before + random.bytes(length) + content[at:],  # an insertion
        before + bytes(min(4096, len(content) - at)) + content[at + 4096 :],  # zeros, as after a power failure
        before + content[at : at + length] + content[at:],  # a repetition
    ]
    return damaged[random.integers(len(damaged))]


class Runs:
    """Pickle that creates a folder when loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self.mark),)


def crafted(good: bytes, mark: Path) -> dict[str, bytes]:
    """Return crafted files.

    Args:
        good: A valid file, the start of some of them.
        mark: The folder that appears if code from one of them runs.
    """
    objects = io.BytesIO()
    np.savez(objects, config=np.array([Runs(mark)], object))
    deep = "[" * 100_000
    found = {
        "nothing": b"",
        "a pickle": pickle.dumps(Runs(mark)),
        "a pickle in a zip archive, as torch.save writes it": _archive("run/data.pkl", pickle.dumps(Runs(mark))),
        "objects in npz": objects.getvalue(),
        "a pickle behind it": good + pickle.dumps(Runs(mark)),
        "a zip bomb": _archive("run/data/0", bytes(1 << 30)),
        "deep JSON": (deep + "]" * 100_000).encode(),
        "deep JSON tables": b'{"a":' * 100_000,
        "a long number": b"a = " + b"9" * 1_000_000,
        "many lines": b"\n" * (5 << 20),
        "many keys": "\n".join(f"a{i} = 1" for i in range(100_000)).encode(),
        "not UTF-8": b"\xff\xfe\xfd name = 1",
        "NaN": b'{"a": NaN, "b": Infinity}',
    }
    for name, entry in _LYING.items():
        header = json.dumps({"0.weight": dict(zip(("dtype", "shape", "data_offsets"), entry, strict=True))}).encode()
        found[name] = struct.pack("<Q", len(header)) + header + bytes(64)
    for length in (0, 2**31, 2**63, 2**64 - 1):
        found[f"a header of {length:,} bytes"] = struct.pack("<Q", length) + b"{}" + bytes(100)
    return found


_LYING = {
    "offsets beyond the file": ("F32", [4], [0, 2**60]),
    "offsets below 0": ("F32", [4], [-16, 0]),
    "offsets the wrong way": ("F32", [4], [16, 0]),
    "a shape that overflows": ("F32", [2**32, 2**32, 2**32], [0, 64]),
    "a negative shape": ("F32", [-4, -4], [0, 64]),
    "another dtype": ("BF16", [32], [0, 64]),
    "an unknown dtype": ("O8", [8], [0, 64]),
    "offsets that are texts": ("F32", [16], ["0", "64"]),
}
"""Invalid entries of safetensors headers."""


def _archive(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(name, content)
    return packed.getvalue()
