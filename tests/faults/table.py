"""What a part of the campaign does and finds: how much it tries, the rows of the table, the evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import stats

from train.runs.run_folder import slug


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    fault: str  # what was done
    trials: int
    failures: int  # trials in which a promise was broken
    worst: str  # the first failure, or the worst figure among the trials
    control: str  # the broken thing that the same check was shown
    caught: bool  # whether the check found that it is broken

    @property
    def bound(self) -> float:
        """Upper 95 % bound of the rate of failures: 3 / n without one, else by Clopper and Pearson."""
        if self.failures == 0:
            return min(1.0, 3 / max(1, self.trials))
        return float(stats.beta.ppf(0.95, self.failures + 1, max(1, self.trials - self.failures)))

    @property
    def passed(self) -> bool:
        """Something was tried, nothing failed, and the check can fail."""
        return self.trials > 0 and self.failures == 0 and self.caught


@dataclass
class Effort:
    """How much a part tries, and where it works."""

    scale: float  # 1 is the campaign; less is a part of it
    folder: Path  # an empty one of its own
    seed: int = 0  # of what is drawn
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def times(self, number: int) -> int:
        """Return how many of so many trials are made."""
        return max(1, round(number * self.scale))

    def trials(self, number: int, seconds: float) -> Iterator[int]:
        """Count trials, up to this share of `number`, until so many seconds have passed."""
        end = time.monotonic() + seconds
        for trial in range(self.times(number)):
            if time.monotonic() > end:
                print(f"    after {seconds:g} s: {trial} of {number} trials", flush=True)
                return
            yield trial

    def place(self, name: str) -> Path:
        """Return a new folder."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder


class Trials:
    """Counts the trials of one row and keeps the evidence of the first five failures."""

    def __init__(self, fault: str, effort: Effort) -> None:
        self.fault, self.number, self.failures, self.problems = fault, 0, 0, list[str]()
        self._folder = effort.folder

    def __call__(self, problem: str | None, evidence: bytes = b"", times: int = 1) -> None:
        """Count trials; `problem` says what failed, `evidence` is what shows it."""
        self.number += times
        if problem is None:
            return
        self.failures += times
        self.problems.append(problem)
        if len(self.problems) <= 5:
            folder = self._folder / "evidence"
            folder.mkdir(exist_ok=True)
            name = f"{slug(self.fault)[-80:]}-{len(self.problems)}"
            (folder / f"{name}.txt").write_text(f"{self.fault}\ntrial {self.number}\n{problem}\n", "utf-8")
            if evidence:
                (folder / f"{name}.bytes").write_bytes(evidence)

    def row(self, control: str, caught: bool, worst: str = "") -> Row:
        """Return the row; `control` is the broken thing, `caught` whether the same check found it."""
        first = self.problems[0].strip().splitlines()[-1] if self.problems else worst
        first = first.replace(f"{self._folder}/", "")  # the table names no place of this machine
        return Row(self.fault, self.number, self.failures, first[:160], control, caught)
