"""Damaged and crafted files: one-line errors, bounded memory, no code execution."""

from __future__ import annotations

import os
import resource
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from diamant_env.exact import equilibrium
from tests.faults.hostile import crafted, mutated
from tests.faults.stored import Stored, stored
from tests.support.play import SCALE

MEMORY = 1 << 30  # bytes that opening a small file may take
KINDS = ("checkpoint", "policy", "record", "configuration", "solution")


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
