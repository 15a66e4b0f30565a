"""Mutation testing of rules, rewards and observation, uncompiled.

``python tests/mutation/mutants.py [FILE ...]`` works on a copy of the working tree in a temporary folder. cosmic-ray
generates the mutants; their tests run in forks of this process, which has imported the libraries but not the package:
importing Numba takes longer than most tests. Settings are in `mutants.toml`, equivalent mutants in `mutants.md`.
"""

from __future__ import annotations

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"
os.environ["PYTHONWARNINGS"] = "ignore"
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # unneeded, and reloaded for each mutant

import argparse
import contextlib
import difflib
import gc
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

# Imported once for all mutants.
import cosmic_ray.plugins
import gymnasium
import hypothesis
import numba
import numpy
import pettingzoo
import pytest
from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.tools.filters.operators_filter import OperatorsFilter
from cosmic_ray.work_db import WorkDB, use_db

LOADED = (gymnasium, hypothesis, numba, numpy, pettingzoo)
ROOT = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("mutants.toml")
EQUIVALENT = Path(__file__).with_name("mutants.md")
MEMORY = 4 << 30
NOT_NEEDED = ("cacheprovider", "warnings", "doctest", "junitxml", "logging", "pastebin", "faulthandler", "stepwise")
PATIENCE = 600  # seconds until an idle process is killed


def copy_tree(folder: Path) -> None:
    """Copy tracked and untracked files that git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(command, cwd=ROOT, text=True).split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def run_tests(stages: list[list[str]], log: Path, limits: list[float] | None = None) -> bool:
    """Run the tests in a fork; return whether all passed. `limits` are seconds of CPU time per stage."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            gc.disable()  # a collection would copy all pages shared with the parent: half of the run time
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.dont_write_bytecode = limits is not None
            signal.alarm(PATIENCE)  # kills this process, as does the timer below; 0 disables it
            sys.path.insert(0, os.getcwd())
            options = ["-x", "-q", *(f"-pno:{plugin}" for plugin in NOT_NEEDED)]
            for stage, limit in zip(stages, limits or [0.0] * len(stages), strict=True):
                signal.setitimer(signal.ITIMER_PROF, limit)
                if status := pytest.main([*options, *stage]):
                    break
            where = sys.modules["diamant_env"].__file__ or ""
            if not where.startswith(os.getcwd()):
                print(f"the package came from {where}")
                status = 99
        finally:
            sys.stdout.flush()
            os._exit(int(status))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 99:
        raise SystemExit(log.read_text(errors="replace").splitlines()[-1])
    return status == 0


def mutants_of(path: str, work_db: WorkDB):
    """Yield every change of this file: the function, the line before and after, and the changed source."""
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
        yield mutation.definition_name or "module", before, after, changed


def listed_as_equivalent(path: str) -> dict[str, re.Pattern]:
    """Return the rows about a file with their patterns; ``...`` in a row matches anything."""
    rows = [re.findall("`([^`]+)`", line)[:3] for line in EQUIVALENT.read_text().splitlines() if line.startswith("| `")]
    texts = [f"diamant_env/{file} {function}: {after}".replace("\\|", "|") for file, function, after in rows]
    return {text: re.compile(re.escape(text).replace(r"\.\.\.", ".*")) for text in texts if text.startswith(f"{path} ")}


def main() -> int:
    """Run all mutants of the files; return 0 if the scores suffice and the survivors are those listed."""
    config = tomllib.loads(CONFIG.read_text())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=[*config["files"]], metavar="FILE", help="default: all")
    arguments = parser.parse_args()
    gc.freeze()
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        tree, log = Path(temporary) / "tree", Path(temporary) / "log"
        copy_tree(tree)
        os.chdir(tree)
        with use_db(str(Path(temporary) / "session.sqlite"), WorkDB.Mode.create) as work_db:
            init([Path(path) for path in arguments.files], work_db, {})
            with contextlib.redirect_stdout(None):
                OperatorsFilter().filter(work_db, argparse.Namespace(config=str(CONFIG)))
            good = [judge(path, config, work_db, log) for path in arguments.files]
    return 0 if all(good) else 1


def time_limits(stages: list[list[str]], patience: float, log: Path) -> list[float]:
    """Run the tests of an unchanged file; return the CPU time limit of each stage, in seconds."""
    limits = []
    for stage in stages:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not run_tests([stage], log):
            raise SystemExit(f"the tests fail without any change:\n{log.read_text()[-3000:]}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        limits.append(patience * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return limits


def judge(path: str, config: dict, work_db: WorkDB, log: Path) -> bool:
    """Run the mutants of a file, print survivors and score; return whether score and survivors are as expected."""
    stages, equivalent = config["files"][path], listed_as_equivalent(path)
    total, known, alive, unseen = 0, 0, 0, set(equivalent)
    limits = time_limits(stages, config["mutants"]["patience"], log)
    print(f"{path}: the tests pass unchanged; seconds for each stage of a mutant: {limits}", flush=True)
    source = Path(path).read_text()
    for where, before, after, changed in mutants_of(path, work_db):
        total += 1
        if total % 100 == 0:
            print(f"... {total}, {total - 1 - known - alive} killed", flush=True)
        Path(path).write_text(changed)
        try:
            passed = run_tests(stages, log, limits)
        finally:
            Path(path).write_text(source)
        if passed:
            rows = {row for row, pattern in equivalent.items() if pattern.fullmatch(f"{path} {where}: {after}")}
            unseen -= rows
            known, alive = known + bool(rows), alive + (not rows)
            print(f"{'equivalent' if rows else 'SURVIVED'}  {path} {where}: `{before}` -> `{after}`", flush=True)
    killed = total - known - alive
    score = killed / max(1, total - known)
    print(
        f"{path}: {total} mutants, {killed} killed, {known} equivalent, {alive} unexplained: "
        f"{score:.1%} of those that are not equivalent, {killed / max(1, total):.1%} of all",
        flush=True,
    )
    if unseen:
        print(f"rows of {EQUIVALENT.name} without a survivor:", *sorted(unseen), sep="\n  ")
    return score >= config["mutants"]["least"] and not alive and not unseen


if __name__ == "__main__":
    sys.exit(main())
