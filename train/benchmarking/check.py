"""Entries of the benchmark as files: a policy with a statement of its origin, scored here again.

An entry is a folder with ``entry.json`` and a policy file. Nothing in it runs code: policies are safetensors, ONNX or
the text of an agent of the package.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from diamant_env.opponents import make
from diamant_env.opponents.registry import SHIPPED, is_scripted
from diamant_env.storage.reading import parse_json
from diamant_env.storage.results import to_json
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import Algorithm, BenchmarkRun, cpu_seconds
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.entry import without_search
from train.benchmarking.results import RESULT, read_result, write_result
from train.benchmarking.suite import TASKS

ENTRY = "entry.json"
_FILES = (".safetensors", ".onnx")


class Entry(BaseModel):
    """Statement of an entry: one run of one algorithm on one task."""

    model_config = ConfigDict(strict=True, extra="forbid")

    policy: str
    """Name of the policy file in the folder, or the text of an agent of the package such as ``ev:0.75``."""
    task: str
    task_version: int
    """`train.benchmarking.suite.BenchmarkTask.version`."""
    algorithm: str = Field(pattern=r"^[\w.-]+$", max_length=100)
    seed: int = Field(ge=0)
    decisions: int = Field(ge=0)
    """Decisions of the learning seats, 0 for agents that did not learn."""
    commit: str
    """Commit of the training's code, with its repository."""


def check_entry(folder: Path, config: BenchmarkConfig) -> dict[str, Any]:
    """Score an entry, write its row, `RESULT`, into its folder, and return it.

    Raises:
        ValueError: If the statement or the policy is invalid, the task has another version, or the folder's row has
            other figures than those measured here.
    """
    entry = read_entry(folder)
    policy = _policy(folder, entry.policy)
    before = read_result(folder / RESULT)
    if before is None and (folder / RESULT).exists():
        raise ValueError(f"{folder / RESULT} is damaged; remove it")
    version = hashlib.sha256(policy.read_bytes()).hexdigest()[:16] if isinstance(policy, Path) else ""
    kind = "learned" if entry.decisions else "agent"
    algorithm = Algorithm(entry.algorithm, kind, "an entry", lambda _run: str(policy), version=version)
    with TemporaryDirectory() as memory:
        start = cpu_seconds()
        run = BenchmarkRun(TASKS[entry.task], algorithm, entry.seed, Path(memory), config)
        measures = run.measure(make(str(policy), importing=isinstance(policy, Path)))  # ONNX runs no code
        row = {**run.about(), "decisions": entry.decisions, "commit": entry.commit, "measures": measures}
        row |= {"train_cpu_seconds": 0.0, "measure_cpu_seconds": cpu_seconds() - start}
    found = to_json(row)
    names = ("measures", "task_version", "digest", "version")
    if before is not None and (other := [name for name in names if before.get(name) != found.get(name)]):
        raise ValueError(f"{folder / RESULT} has other {', '.join(other)} than measured here; remove it for new ones")
    return write_result(folder / RESULT, found)


def read_entry(folder: Path) -> Entry:
    """Return the statement of an entry; raise a ValueError if it is missing or invalid, or of another task version."""
    path = folder / ENTRY
    try:
        entry = Entry.model_validate(parse_json(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise ValueError(f"{path} can't be read ({error.strerror}); docs/enter.md describes it") from None
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise ValueError(f"{path}: {wrong}") from None
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from None
    if entry.algorithm in ALGORITHMS:
        raise ValueError(f"{path}: {entry.algorithm!r} is an algorithm of the benchmark; give the entry another name")
    if entry.task not in TASKS:
        raise ValueError(f"{path}: unknown task {entry.task!r}; tasks: {', '.join(TASKS)}")
    if (now := TASKS[entry.task].version) != entry.task_version:
        raise ValueError(f"{path}: version {entry.task_version} of {entry.task}; version {now} is scored here")
    return entry


def _policy(folder: Path, text: str) -> Path | str:
    """Return the policy file of an entry, or the text of an agent of the package; raise a ValueError for others."""
    if Path(text).suffix in _FILES and Path(text).name == text:
        return folder / text
    base = without_search(text)
    if base not in SHIPPED and not is_scripted(base):  # such as a run in the current folder
        kinds = " or ".join(_FILES)
        raise ValueError(
            f"policy {text!r}: a {kinds} file in {folder} or an agent of the package such as ev:0.75 is needed"
        )
    return text
