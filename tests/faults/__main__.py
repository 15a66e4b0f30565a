"""Run the campaign: ``python -m tests.faults``; half an hour on two cores, a part of it with ``--scale 0.01``.

Three parts run at a time, each in a forked process of its own. Exit status 1 if a promise was broken, if a check did
not find what is broken on purpose, or if a part did not end; what shows it lies in the folder of ``--out``.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import torch
from tqdm import tqdm

from diamant_env import Batch
from diamant_env.exact.equilibrium import solve_equilibrium
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.storage.results import save_json
from tests.faults.batches import copies, memory
from tests.faults.child import Child
from tests.faults.endurance import endurance
from tests.faults.files import files
from tests.faults.installs import caches, places
from tests.faults.interrupts import interrupts
from tests.faults.saves import saves, warm_up
from tests.faults.stored import an_edition
from tests.faults.table import Effort, Row

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "measured" / "faults.json"
PARTS: dict[str, Callable[[Effort], Iterator[Row]]] = {
    "interrupts": partial(interrupts, which=slice(0, None, 2)),
    "more interrupts": partial(interrupts, which=slice(1, None, 2)),
    "saves": saves,
    "files": files,
    "endurance": endurance,
    "caches": caches,
    "memory": memory,
    "places": places,
    "copies": copies,
}
"""The longest first."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the parts; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Try to break what users rely on.")
    parser.add_argument("--scale", type=float, default=1.0, help="how much of each part; 1 takes half an hour")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS), help="which parts")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "faults", help="made anew; keeps the evidence")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.relative_to(ROOT)} for the documents")
    given = parser.parse_args(argv)
    os.chdir(ROOT)
    shutil.rmtree(given.out, ignore_errors=True)
    began = time.monotonic()
    _warm_up(given.out)
    rows, broken = _run(given)
    content = {
        "command": f"python -m tests.faults --scale {given.scale:g} --seed {given.seed}",
        "seconds": round(time.monotonic() - began),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()},
        "rows": [{**asdict(row), "bound": row.bound} for row in rows],
    }
    save_json(content, given.out / "results.json")
    if given.save:
        save_json(content, RESULTS)
    print(f"{'trials':>10} {'failures':>8} {'rate below':>10}  control  fault")
    for row in rows:
        control, worst = "caught" if row.caught else "MISSED", f" ({row.worst})" if row.worst else ""
        print(f"{row.trials:>10,} {row.failures:>8,} {row.bound:>10.2g}  {control}   {ascii(row.fault + worst)[1:-1]}")
    failed = broken + [row.fault for row in rows if not row.passed]
    print(f"{len(rows)} rows in {content['seconds']} s; {len(failed)} not as promised", *failed, sep="\n  ")
    print(f"evidence, if any: {given.out}")
    return 1 if failed else 0


def _warm_up(folder: Path) -> None:
    """Import and compile what the forked parts need, once."""
    torch.set_num_threads(1)
    tqdm.monitor_interval = 0  # no thread before the forks
    warm_up(folder / "warm-up")
    Batch(2, 4).reset(1)
    for env in (DiamantVecEnv(2, 3), gymnasium.make("diamant_env/Diamant-v0")):
        env.reset()
        env.step(np.zeros(6, np.int8) if isinstance(env, DiamantVecEnv) else 0)
    solve_equilibrium(2, an_edition(), cache=False)
    gc.collect()
    gc.freeze()  # the garbage collections of forks need not look at all this


def _run(given: argparse.Namespace) -> tuple[list[Row], list[str]]:
    """Run the parts, three at a time; return their rows and what did not end well."""
    turn = multiprocessing.Semaphore(3)
    children = {part: Child(partial(_part, part, given, turn), quiet=False) for part in given.parts}
    rows, broken = list[Row](), list[str]()
    for part, child in children.items():
        end = child.end(2 * 3600)
        rows += end.result or []
        if end.problem:
            print(f"{part}: {end.problem}")
            broken.append(f"{part}: {end.problem.strip().splitlines()[-1]}")
    return rows, broken


def _part(part: str, given: argparse.Namespace, turn: AbstractContextManager) -> list[Row]:
    folder = given.out.resolve() / part
    folder.mkdir(parents=True)
    os.environ["DIAMANT_CACHE_DIR"] = str(folder / "cache")
    with turn:
        rows, began = list[Row](), time.monotonic()
        for row in PARTS[part](Effort(given.scale, folder, given.seed)):
            rows.append(row)
            said = "as promised" if row.passed else f"{row.failures} FAILURES" if row.failures else "NOT CAUGHT"
            print(f"{time.monotonic() - began:5.0f} s  {part}: {row.fault}: {row.trials:,} trials, {said}", flush=True)
    if all(row.passed for row in rows):
        shutil.rmtree(folder)
    return rows


if __name__ == "__main__":
    sys.exit(main())
