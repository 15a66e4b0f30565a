"""Change the game in one place after another and look whether a test notices: mutation testing, uncompiled.

``python tests/mutation/mutants.py [FILE ...]`` works on a copy of the working tree in a temporary folder. cosmic-ray
makes the changes, but does not run the tests: starting Python and importing Numba takes longer than most of them. Each
mutant gets a fork of this process instead, which has imported the libraries but nothing of the package. Settings are in
`mutants.toml`, mutants that no test can notice in `mutants.md`.
"""

from __future__ import annotations

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"
os.environ["PYTHONWARNINGS"] = "ignore"
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # none is needed, and they are loaded anew for each mutant

import argparse
import contextlib
import difflib
import gc
import hashlib
import json
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

# Imported once for all mutants.
import cosmic_ray.plugins
import gymnasium
import hypothesis.stateful
import numba
import numpy
import pettingzoo
import pytest
from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.tools.filters.operators_filter import OperatorsFilter
from cosmic_ray.work_db import WorkDB, use_db

LOADED = (gymnasium, hypothesis.stateful, numba, numpy, pettingzoo)
ROOT = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("mutants.toml")
EQUIVALENT = Path(__file__).with_name("mutants.md")
MEMORY = 4 << 30
NOT_NEEDED = ("cacheprovider", "warnings", "doctest", "junitxml", "logging", "pastebin", "faulthandler", "stepwise")
PATIENCE = 600  # seconds until a process that does not even compute is ended


class Mutant(NamedTuple):
    """A change that survived: where, the line before and after."""

    file: str
    function: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file} {self.function}: `{self.before}` -> `{self.after}`"


def copy_tree(folder: Path) -> None:
    """Copy what git would know of the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def run_tests(
    stages: list[list[str]], log: Path, limits: list[float] | None = None, keep_bytecode: bool = False
) -> tuple[bool, str]:
    """Run the tests in a fork; return whether all passed, and which one did not. The limits are seconds of CPU time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            gc.disable()  # to collect garbage is to copy all memory that is shared with the parent: half of the time
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.dont_write_bytecode = not keep_bytecode
            sys.path.insert(0, os.getcwd())
            options = ["-x", "-q", "--tb=no", "-rfE", *(f"-pno:{plugin}" for plugin in NOT_NEEDED)]
            for stage, limit in zip(stages, limits or [0.0] * len(stages), strict=True):
                signal.setitimer(signal.ITIMER_PROF, limit)  # ends this process; 0 is no limit
                if status := pytest.main([*options, *stage]):
                    break
            where = sys.modules["diamant_env"].__file__ or ""
            if not where.startswith(os.getcwd()):
                print(f"the package came from {where}")
                status = 99
        finally:
            sys.stdout.flush()
            os._exit(int(status))
    end = time.monotonic() + PATIENCE
    while not (done := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return False, "timeout"
        time.sleep(0.005)
    status, text = os.waitstatus_to_exitcode(done[1]), log.read_text(errors="replace")
    if status == 99:
        raise SystemExit(text.splitlines()[-1])
    if status == -signal.SIGPROF:
        return False, "timeout"
    killer = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+)", text, re.MULTILINE)
    return status == 0, killer[1] if killer else f"exit status {status}"


def mutants_of(path: str, work_db: WorkDB):
    """Yield every change of this file, as its operator, its definition and the changed source."""
    source = Path(path).read_text()
    for item in work_db.pending_work_items:
        (mutation,) = item.mutations
        if str(mutation.module_path) != path:
            continue
        operator = cosmic_ray.plugins.get_operator(mutation.operator_name)(**mutation.operator_args)
        changed = mutate_code(source, operator, mutation.occurrence)
        if changed is None or changed == source:
            continue
        lines = list(difflib.unified_diff(source.splitlines(), changed.splitlines(), lineterm="", n=0))[3:]
        before = " ".join(line[1:].strip() for line in lines if line.startswith("-"))
        after = " ".join(line[1:].strip() for line in lines if line.startswith("+"))
        yield Mutant(path, mutation.definition_name or "module", before, after), changed


class Row(NamedTuple):
    """A row of the table of equivalent mutants; ``...`` in it stands for anything."""

    file: str
    function: str
    after: str

    def covers(self, mutant: Mutant) -> bool:
        """Say whether this row is about this mutant."""
        found = (
            (f"diamant_env/{self.file}", mutant.file),
            (self.function, mutant.function),
            (self.after, mutant.after),
        )
        return all(re.fullmatch(re.escape(row).replace(r"\.\.\.", ".*"), text) for row, text in found)


def listed_as_equivalent() -> list[Row]:
    """Return the rows of the table."""
    rows = [re.findall("`([^`]+)`", line) for line in EQUIVALENT.read_text().splitlines() if line.startswith("| `")]
    return [Row(file, function, line.replace("\\|", "|")) for file, function, line, *_ in rows]


class Results:
    """What became of each mutant, by the digest of its source: the test that killed it, or None; kept in a file."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.killers = path, {}
        if path is not None and path.exists():
            self.killers = {row["digest"]: row["killer"] for row in map(json.loads, path.read_text().splitlines())}

    def note(self, mutant: Mutant, digest: str, killer: str | None) -> None:
        """Keep a result."""
        self.killers[digest] = killer
        if self.path is not None:
            with self.path.open("a") as file:
                print(json.dumps({**mutant._asdict(), "killer": killer, "digest": digest}), file=file)


def main() -> int:
    """Run all mutants of the files; return 0 if enough were killed and survivors and listed ones are the same."""
    config = tomllib.loads(CONFIG.read_text())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=[*config["files"]], metavar="FILE", help="default: all")
    parser.add_argument("--function", default="", help="only mutants in functions whose name matches this pattern")
    parser.add_argument("--share", type=float, default=1.0, help="only so many of the mutants, drawn by chance")
    parser.add_argument("--results", type=Path, help="note each result here, and do not repeat those that are here")
    arguments = parser.parse_args()
    arguments.results = arguments.results and arguments.results.absolute()
    gc.freeze()
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        tree, log = Path(temporary) / "tree", Path(temporary) / "log"
        copy_tree(tree)
        os.chdir(tree)
        with use_db(str(Path(temporary) / "session.sqlite"), WorkDB.Mode.create) as work_db:
            init([Path(path) for path in arguments.files], work_db, {})
            with contextlib.redirect_stdout(None):
                OperatorsFilter().filter(work_db, argparse.Namespace(config=str(CONFIG)))
            return judge(arguments, config, work_db, log)


def judge(arguments, config: dict, work_db: WorkDB, log: Path) -> int:  # noqa: C901 - read from top to bottom
    """Run the mutants file by file, print what survived and the score."""
    enough, equivalent, rng = True, listed_as_equivalent(), random.Random(0)
    results = Results(arguments.results)
    whole = not arguments.function and arguments.share == 1
    for path in arguments.files:
        total, killers, survivors, stages = 0, defaultdict(int), [], config["files"][path]
        unseen = {row for row in equivalent if f"diamant_env/{row.file}" == path}
        start = time.monotonic()
        limits = []
        for stage in stages:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            passed, failed = run_tests([stage], log, keep_bytecode=True)
            if not passed:
                raise SystemExit(f"the tests fail without any change: {failed}\n{log.read_text()[-3000:]}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            limits.append(config["mutants"]["patience"] * seconds)
        print(f"{path}: the tests pass unchanged; seconds for each stage of a mutant: {limits}", flush=True)
        source = Path(path).read_text()
        for mutant, changed in mutants_of(path, work_db):
            if not re.search(arguments.function, mutant.function) or rng.random() >= arguments.share:
                continue
            total += 1
            if total % 100 == 0:
                print(f"... {total}, {total - len(survivors) - 1} killed, {time.monotonic() - start:.0f} s", flush=True)
            digest = hashlib.sha256(changed.encode()).hexdigest()
            if digest not in results.killers:
                Path(path).write_text(changed)
                try:
                    passed, failed = run_tests(stages, log, limits)
                finally:
                    Path(path).write_text(source)
                results.note(mutant, digest, None if passed else failed)
            killer = results.killers[digest]
            if killer is None:
                rows = {row for row in equivalent if row.covers(mutant)}
                unseen -= rows
                known = bool(rows)
                survivors.append((mutant, known))
                print(f"{'equivalent' if known else 'SURVIVED'}  {mutant}", flush=True)
            else:
                killers[killer] += 1
        for killer, number in sorted(killers.items(), key=lambda pair: -pair[1]):
            print(f"{number:6}  {killer}")
        known, alive = sum(known for _, known in survivors), sum(not known for _, known in survivors)
        killed = total - len(survivors)
        score = killed / max(1, total - known)
        print(
            f"{path}: {total} mutants, {killed} killed, {known} equivalent, {alive} unexplained: "
            f"{score:.1%} of those that are not equivalent, {killed / max(1, total):.1%} of all",
            flush=True,
        )
        enough &= score >= config["mutants"]["least"] and not alive
        if whole and unseen:
            enough = False
            print(f"rows of {EQUIVALENT.name} that no mutant survived by:", *sorted(map(str, unseen)), sep="\n  ")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
