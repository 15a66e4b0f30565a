"""Damaged and crafted files of every kind: one-line errors, bounded memory, no code execution."""

import hashlib
import io
import json
import os
import pickle
import resource
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from diamant_env import NUM_FEATURES, Edition
from diamant_env.exact import equilibrium
from diamant_env.exact.moves import start_of_expedition
from diamant_env.exact.tree import build_tree
from diamant_env.opponents.network import NetworkAgent
from diamant_env.records import GameRecord, GameSession
from tests.runs.test_checkpoint import CONFIG as RUN
from tests.support.play import SCALE
from train.ppo import train
from train.runs.arguments import read_config
from train.runs.run_folder import CHECKPOINT, CONFIG, POLICY, load_checkpoint, new_run_folder

MEMORY = 1 << 30  # bytes that opening a small file may take
KINDS = ("checkpoint", "policy", "record", "configuration", "solution")
SMALL = Edition("small", treasures=(5, 7, 11), traps=("snake", "fire"), trap_copies=2, expeditions=2)


@dataclass(frozen=True)
class Stored:
    """Kind of stored file.

    Attributes:
        path: A valid file; the files that it needs are beside it.
        load: Returns the content as text, "" for a cache miss.
        may_differ: Whether damage can yield other valid content: text without a digest.
    """

    path: Path
    load: Callable[[], str]
    may_differ: bool = False


def stored(place: Path) -> dict[str, Stored]:
    """Write one file of each kind."""
    run, game = new_run_folder(place, RUN), place / "game.json"
    train(RUN, run)
    GameSession("iello-2016", ["random:0.3"] * 3, 5).play_out().write(game)
    tree = build_tree(start_of_expedition(SMALL, 2), SMALL)
    values, size = equilibrium._file_of(tree.start, tree.edition, equilibrium.EQUILIBRIUM), 1 + tree.boxes.size
    equilibrium.save_numbers(values, np.full(size, 1.5))
    assert values is not None

    def policy() -> str:
        agent = NetworkAgent.load(run / POLICY)
        leave = agent.leave_probability(np.ones((3, NUM_FEATURES), np.float32))
        assert ((leave >= 0) & (leave <= 1)).all(), f"it leaves with probability {leave}"
        return fingerprint(agent.layers)

    def solution() -> str:
        found = equilibrium.load_numbers(values, size)
        return "" if found is None else fingerprint(found)

    return {
        "checkpoint": Stored(run / CHECKPOINT, lambda: fingerprint(load_checkpoint(run, RUN))),
        "policy": Stored(run / POLICY, policy),
        "record": Stored(game, lambda: fingerprint(GameRecord.read(game).to_json()), may_differ=True),
        "configuration": Stored(run / CONFIG, lambda: repr(read_config(run / CONFIG)), may_differ=True),
        "solution": Stored(values, solution),
    }


def fingerprint(content: Any) -> str:
    """Return a digest of a value, independent of its container."""

    def plain(value: Any) -> object:
        return value.hex() if isinstance(value, bytes) else (str(value.dtype), value.tolist())

    return hashlib.sha256(json.dumps(content, sort_keys=True, default=plain).encode()).hexdigest()


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


@cache
def zip_bomb() -> bytes:
    """Return a small archive of a GiB of zeros."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("run/data/0", bytes(1 << 30))
    return content.getvalue()


def crafted(good: bytes, mark: Path) -> dict[str, bytes]:
    """Return crafted files.

    Args:
        good: A valid file, the start of some of them.
        mark: The folder that appears if code from one of them runs.
    """
    saved, objects = io.BytesIO(), io.BytesIO()
    torch.save({"config": Runs(mark)}, saved)
    np.savez(objects, config=np.array([Runs(mark)], object))
    return {
        "nothing": b"",
        "a pickle": pickle.dumps(Runs(mark)),
        "a pickle in a zip archive, as torch.save writes it": saved.getvalue(),
        "objects in npz": objects.getvalue(),
        "a pickle behind it": good + pickle.dumps(Runs(mark)),
        "a zip bomb": zip_bomb(),
        "a long number": b"a = " + b"9" * 1_000_000,
        "many lines": b"\n" * (5 << 20),
        "many keys": "\n".join(f"a{i} = 1" for i in range(100_000)).encode(),
        "not UTF-8": b"\xff\xfe\xfd name = 1",
    }


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    place = tmp_path_factory.mktemp("kinds")
    (place / "cache").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equilibrium, "cache_folder", lambda: place / "cache")
        found = stored(place)
        assert tuple(found) == KINDS
        yield found


@contextmanager
def limited_memory():
    """Allow this process `MEMORY` more bytes."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def outcome(kind: Stored, wanted: str | None) -> str | None:
    """Open a file once; return the problem, if any. `wanted` is None where any content is valid."""
    try:
        found = kind.load()
        if found not in (wanted, "") and wanted is not None:
            return "other content was loaded without an error"
    except (ValueError, OSError) as error:
        if len(str(error).splitlines()) > 1:
            return f"its error has several lines: {error}"
    except BaseException as error:
        return f"it raised {type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("name", KINDS)
def test_damaged_file_is_an_error_and_runs_no_code(kinds, name, tmp_path):
    kind, mark, random = kinds[name], tmp_path / "ran", np.random.default_rng(0)
    good, wanted, found = kind.path.read_bytes(), None if kind.may_differ else kind.load(), []
    damaged = {f"damage number {number}": mutated(random, good) for number in range(200 * SCALE)}
    contents = {**crafted(good, mark), **damaged}
    with limited_memory():
        for title, content in contents.items():
            kind.path.write_bytes(content)
            if problem := outcome(kind, wanted):
                found.append(f"{title}: {problem}")
            if mark.exists():
                found.append(f"{title}: code from the file ran")
    kind.path.write_bytes(good)
    assert found == []
