"""How speed is measured: contenders take turns in the same run, and the median counts."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

Timed = Callable[[int], float]  # plays this many steps and returns the seconds that they took


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    repeats: int = 7  # times that each contender plays; the median counts
    seconds: float = 0.3  # about how long it plays each time


QUICK = Effort(repeats=2, seconds=0.005)
_MOST_STEPS = 2**40  # a contender that claims to play as many in the time measured does not play


@dataclass(frozen=True)
class Speed:
    """A figure that was measured several times, such as steps per second."""

    repeats: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the repeats."""
        return statistics.median(self.repeats)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and the third quartile of the repeats."""
        if len(self.repeats) == 1:
            return self.repeats[0], self.repeats[0]
        low, _, high = statistics.quantiles(self.repeats, n=4, method="inclusive")
        return low, high

    def over(self, other: Speed) -> Speed:
        """The ratios to another figure of the same run, repeat by repeat."""
        return Speed(tuple(own / theirs for own, theirs in zip(self.repeats, other.repeats, strict=True)))

    def times(self, factor: float) -> Speed:
        """The same figure in another unit."""
        return Speed(tuple(repeat * factor for repeat in self.repeats))


def alternate(contenders: Mapping[str, Timed], effort: Effort) -> dict[str, Speed]:
    """Let the contenders take turns; return the steps per second of each. Finding the number of steps warms them up.

    Raises:
        RuntimeError: If a contender takes no longer for more steps.
    """
    steps = {name: _steps_for(name, play, effort.seconds) for name, play in contenders.items()}
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(effort.repeats):
        for name, play in contenders.items():
            found[name].append(steps[name] / play(steps[name]))
    return {name: Speed(tuple(rates)) for name, rates in found.items()}


def timed(play: Callable[[int], object]) -> Timed:
    """Return a contender from what plays so many steps."""

    def seconds(steps: int) -> float:
        start = perf_counter()
        play(steps)
        return perf_counter() - start

    return seconds


def _steps_for(name: str, play: Timed, seconds: float) -> int:
    """Return how many steps take about this many seconds."""
    play(1)
    steps = 1
    while (took := play(steps)) < seconds / 4:
        if steps == _MOST_STEPS:
            raise RuntimeError(f"{name} took {took:.3g} s for {steps:,} steps: it takes no longer for more of them")
        steps *= 2
    return max(1, round(steps * seconds / took))
