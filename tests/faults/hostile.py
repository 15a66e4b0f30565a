"""Random damage, and files crafted as an attacker would."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import torch


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
    saved, objects, bomb = io.BytesIO(), io.BytesIO(), io.BytesIO()
    torch.save({"config": Runs(mark)}, saved)
    np.savez(objects, config=np.array([Runs(mark)], object))
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("run/data/0", bytes(1 << 30))
    return {
        "nothing": b"",
        "a pickle": pickle.dumps(Runs(mark)),
        "a pickle in a zip archive, as torch.save writes it": saved.getvalue(),
        "objects in npz": objects.getvalue(),
        "a pickle behind it": good + pickle.dumps(Runs(mark)),
        "a zip bomb": bomb.getvalue(),
        "a long number": b"a = " + b"9" * 1_000_000,
        "many lines": b"\n" * (5 << 20),
        "many keys": "\n".join(f"a{i} = 1" for i in range(100_000)).encode(),
        "not UTF-8": b"\xff\xfe\xfd name = 1",
    }
