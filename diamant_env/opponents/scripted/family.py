"""Base class of scripted agents: bounded parameters and the spec representation."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations


def parameter(default: float, low: float, high: float, number: Callable[[Observations], NDArray] | None = None) -> Any:
    """Return a dataclass field from `low` to `high`; a `ThresholdAgent` compares it with the feature `number`."""
    return dataclasses.field(default=default, metadata={"low": low, "high": high, "number": number})


@dataclass
class Scripted:
    """Base class of a family: a dataclass whose `parameter` fields are the arguments of its spec, without rounding."""

    family: ClassVar[str]
    stateless: ClassVar[bool] = True  # False if answers depend on earlier turns

    def __post_init__(self) -> None:
        for field in parameters(type(self)):
            value, low, high = getattr(self, field.name), field.metadata["low"], field.metadata["high"]
            if not isinstance(value, int | float | np.integer | np.floating) or not low <= value <= high:
                raise ValueError(f"{self.family}: {field.name}={value!r}; {low:g} to {high:g} is allowed")

    def __str__(self) -> str:
        numbers = [getattr(self, field.name) for field in parameters(type(self))]
        arguments = [repr(int(number) if number == int(number) else float(number)) for number in numbers]
        return f"{self.family}:{','.join(arguments)}" if arguments else self.family

    def seed(self, seed: int) -> None:
        """Seed the random numbers, if the family draws any."""

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        return self.leaves(obs).astype(np.float32)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """Return the rows that leave, bool (rows,); stochastic families override `act` instead."""
        raise NotImplementedError(f"{self.family} has neither `leaves` nor `act`")


def _parameters(family: type[Scripted]) -> tuple[dataclasses.Field, ...]:
    """Return the parameters of a family in the order of its spec."""
    return tuple(field for field in dataclasses.fields(family) if "low" in field.metadata)


parameters: Callable[[type[Scripted]], tuple[dataclasses.Field, ...]] = functools.cache(_parameters)  # type: ignore[assignment]


def haul(obs: Mapping[str, NDArray]) -> NDArray:
    """Return each row's gems if it left alone now: the bag and the whole path."""
    return obs["bag"] + obs["path_gems"] + obs["path_relic_value"]
