"""Damaged and crafted policy files: a ValueError, or the same policy; no code runs."""

import io
import os
import pickle
from pathlib import Path

import numpy as np
import torch

from diamant_env import NUM_FEATURES
from diamant_env.opponents.network import NetworkAgent, digest_of_tensors
from tests.support.play import SCALE


class Runs:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self.mark),)


def mutated(random: np.random.Generator, content: bytes) -> bytes:
    at = int(random.integers(len(content)))
    length = int(random.integers(1, 65))
    before, behind = content[:at], content[at + 1 :]
    damaged = [
        before + bytes([content[at] ^ 1 << int(random.integers(8))]) + behind,  # a flipped bit
        before,  # truncated
        before + content[at + length :],  # a gap
        before + random.bytes(length) + content[at:],  # an insertion
        before + bytes(min(4096, len(content) - at)) + content[at + 4096 :],  # zeros, as after a power failure
    ]
    return damaged[random.integers(len(damaged))]


def crafted(good: bytes, mark: Path) -> list[bytes]:
    """Return files that would create the folder `mark` if code in them ran."""
    saved, objects = io.BytesIO(), io.BytesIO()
    torch.save({"config": Runs(mark)}, saved)
    np.savez(objects, config=np.array([Runs(mark)], object))
    pickled = pickle.dumps(Runs(mark))
    return [b"", pickled, good + pickled, saved.getvalue(), objects.getvalue()]


def test_damaged_policy_file_is_an_error_and_runs_no_code(tmp_path):
    random, path, mark = np.random.default_rng(0), tmp_path / "policy.safetensors", tmp_path / "ran"
    shapes = [((4, NUM_FEATURES), 4), ((2, 4), 2)]
    layers = [tuple(random.normal(size=size).astype(np.float32) for size in shape) for shape in shapes]
    NetworkAgent(layers).save(path)
    good, digest = path.read_bytes(), digest_of_tensors(NetworkAgent.load(path).tensors())
    refused = 0
    for content in [*crafted(good, mark), *(mutated(random, good) for _ in range(300 * SCALE))]:
        path.write_bytes(content)
        try:
            assert digest_of_tensors(NetworkAgent.load(path).tensors()) == digest
        except ValueError:
            refused += 1
    assert refused > 250
    assert not mark.exists()
