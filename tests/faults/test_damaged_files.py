"""Damaged and crafted files: one-line errors, bounded memory, no code execution."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from diamant_env.exact import equilibrium
from tests.faults.child import in_child
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


def damage(kind: Stored, number: int) -> list[str]:
    """Open damaged files; return the problems."""
    good, wanted, random = kind.path.read_bytes(), kind.load(), np.random.default_rng(0)
    found = []
    for at in range(number):
        content = mutated(random, good)
        kind.path.write_bytes(content)
        if problem := outcome(kind, wanted if content != good and not kind.may_differ else None):
            found.append(f"damage number {at}: {problem}")
    return found


@pytest.mark.parametrize("name", KINDS)
def test_random_damage_is_detected(kinds, name):
    good = kinds[name].path.read_bytes()
    found = in_child(partial(damage, kinds[name], 200 * SCALE), memory=MEMORY)
    kinds[name].path.write_bytes(good)
    assert found == ("", [])


def open_crafted(kind: Stored, contents: dict[str, bytes], place: Path) -> list[str]:
    """Open crafted files; return the problems."""
    mark, found = place / "ran", []
    for title, content in contents.items():
        kind.path.write_bytes(content)
        if problem := outcome(kind, None):
            found.append(f"{title}: {problem}")
        if mark.exists():
            found.append(f"{title}: code from the file ran")
    return found


@pytest.mark.parametrize("name", KINDS)
def test_crafted_files_run_no_code(kinds, name, tmp_path):
    path = kinds[name].path
    good = path.read_bytes()
    contents = crafted(good, tmp_path / "ran")
    found = in_child(partial(open_crafted, kinds[name], contents, tmp_path), memory=MEMORY)
    path.write_bytes(good)
    assert found == ("", [])
