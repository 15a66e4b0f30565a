"""Bytes that no program of ours has written: files with random damage, and files made to do harm."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

_HUGE = 2**62


def mutated(random: np.random.Generator, content: bytes) -> bytes:
    """Return a content with one random damage."""
    at, other = random.integers(len(content), size=2).tolist()
    low, high = sorted((at, other))
    length = int(random.integers(1, 65))
    before, behind = content[:at], content[at + 1 :]
    damaged = [
        before + bytes([content[at] ^ 1 << int(random.integers(8))]) + behind,  # a bit
        before + random.bytes(1) + behind,  # a byte
        before,  # the end is missing
        before + content[at + length :],  # something is missing
        before + random.bytes(length) + content[at:],  # something is there that does not belong
        before + bytes(min(4096, len(content) - at)) + content[at + 4096 :],  # zeros, as after a power failure
        before + content[at : at + length] + content[at:],  # something stands there twice
        # Two parts have changed places.
        content[:low] + content[high : high + length] + content[low:high] + content[high + length :],
    ]
    return damaged[random.integers(len(damaged))]


class Runs:
    """What a pickle of it does when it is opened: it makes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self.mark),)


def hostile_contents(good: bytes, mark: Path) -> dict[str, bytes]:
    """Return files that are made to do harm; a good file is what some of them begin with.

    Args:
        good: What the loader takes.
        mark: What a pickle would make if it ran.
    """
    objects, one = io.BytesIO(), io.BytesIO()
    np.savez(objects, config=np.array([Runs(mark)], object))
    np.save(one, np.array([Runs(mark)], object), allow_pickle=True)
    deep = "[" * 100_000
    found = {
        "nothing": b"",
        "a byte": b"\x00",
        "zeros": bytes(1 << 20),
        "ones": b"\xff" * (1 << 20),
        "noise": np.random.default_rng(0).bytes(1 << 20),
        "a pickle": pickle.dumps(Runs(mark)),
        "an old pickle": pickle.dumps(Runs(mark), protocol=0),
        "objects in npz": objects.getvalue(),
        "objects in npy": one.getvalue(),
        "a zip bomb": _bomb("policy/0.weight.npy"),
        "a zip bomb of config": _bomb("config.json"),
        "a zip of links": _links(),
        "a huge npy": _npy_header(_HUGE) + bytes(64),
        "a negative npy": _npy_header(-4) + bytes(64),
        "deep JSON": (deep + "]" * 100_000).encode(),
        "deep JSON that does not end": deep.encode(),
        "deep JSON tables": b'{"a":' * 100_000,
        "deep TOML": f"a = {deep}".encode(),
        "deep TOML tables": ("[" + ".".join(["a"] * 100_000) + "]").encode(),
        "deep inline TOML": ("a = " + "{a = " * 50_000).encode(),
        "a long number": b"a = " + b"9" * 1_000_000,
        "a long JSON number": b'{"a": ' + b"9" * 1_000_000 + b"}",
        "a long line": b"x" * (10 << 20),
        "many lines": b"\n" * (5 << 20),
        "many keys": "\n".join(f"a{i} = 1" for i in range(100_000)).encode(),
        "UTF-16": "diamant record 1\nseed = 1".encode("utf-16"),
        "not UTF-8": b"\xff\xfe\xfd name = 1",
        "surrogates": b"name = '\xed\xa0\x80'",
        "NUL": b"name = \x00",
        "a byte order mark": b"\xef\xbb\xbf" + good,
        "CR LF": good.replace(b"\n", b"\r\n"),
        "NaN": b'{"a": NaN, "b": Infinity}',
        "twice": good + good,
        "half": good[: len(good) // 2],
        "a byte more": good + b"\x00",
        "a byte less": good[:-1],
        "upside down": good[::-1],
        "a pickle behind it": good + pickle.dumps(Runs(mark)),
        "an HTML page": b"<!DOCTYPE html><html><body>404</body></html>",
        "a link of git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 123\n",
    }
    for name, header in _headers().items():
        found[name] = struct.pack("<Q", len(header)) + header + bytes(64)
    for length in (0, 1, 2**31, 2**40, 2**63, 2**64 - 1):
        found[f"a header of {length:,} bytes"] = struct.pack("<Q", length) + b"{}" + bytes(100)
    return found


def _headers() -> dict[str, bytes]:
    """Return headers of safetensors files that lie."""
    said = {
        "offsets beyond the file": ("F32", [4], [0, 2**60]),
        "offsets below 0": ("F32", [4], [-16, 0]),
        "offsets the wrong way": ("F32", [4], [16, 0]),
        "a shape that overflows": ("F32", [2**32, 2**32, 2**32], [0, 64]),
        "a shape of 2^62": ("F32", [_HUGE], [0, 64]),
        "a negative shape": ("F32", [-4, -4], [0, 64]),
        "another dtype": ("BF16", [32], [0, 64]),
        "an unknown dtype": ("O8", [8], [0, 64]),
        "a dtype that is a number": (7, [16], [0, 64]),
        "offsets that are texts": ("F32", [16], ["0", "64"]),
        "offsets with a fraction": ("F32", [16], [0.5, 64.5]),
        "a shape of many 1": ("F32", [1] * 10_000 + [16], [0, 64]),
    }
    found = {
        name: json.dumps({"0.weight": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode()
        for name, (dtype, shape, offsets) in said.items()
    }
    one = {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]}
    found["overlapping tensors"] = json.dumps({"0.weight": one, "0.bias": one}).encode()
    found["metadata that nest"] = json.dumps({"__metadata__": {"diamant": "[" * 100_000}}).encode()
    found["a header of 950 kB"] = json.dumps({str(i): one for i in range(13_000)}).encode()
    return found


@cache
def _bomb(name: str) -> bytes:
    """A small archive that unpacks to a gigabyte."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(name, "w", force_zip64=True) as file,
    ):
        file.write(_npy_header(1 << 28))
        for _ in range(256):
            file.write(bytes(1 << 20))
    return packed.getvalue()


def _links() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("../../outside", "/outside", "a/../../b"):
            archive.writestr(name, b"outside")
    return packed.getvalue()


def _npy_header(size: int) -> bytes:
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},)}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def special_files(folder: Path) -> dict[str, Callable[[Path], object]]:
    """Return what makes something at a path that is no file of bytes."""
    folder.mkdir()
    return {
        "a folder": lambda path: path.mkdir(),
        "a link to itself": lambda path: path.symlink_to(path),
        "a link to nowhere": lambda path: path.symlink_to(folder / "nowhere"),
        "a link to a folder": lambda path: path.symlink_to(folder),
        "/dev/null": lambda path: path.symlink_to("/dev/null"),
        "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
        "a pipe": lambda path: os.mkfifo(path),
    }
