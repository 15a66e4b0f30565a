"""Base class of scripted families: parameters with a range, and the text that makes the agent."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations


def parameter(default: float, low: float, high: float, number: Callable[[Observations], NDArray] | None = None) -> Any:
    """Return a dataclass field that is a number from `low` to `high` and an argument of the family's text.

    A `thresholds.ThresholdAgent` compares it with `number`, a function of the observations.
    """
    return dataclasses.field(default=default, metadata={"low": low, "high": high, "number": number})


@dataclass
class Scripted:
    """A family of scripted agents: a subclass is a dataclass whose `parameter` fields are the text's arguments.

    A parameter is the decimal number that `str(agent)` shows, and what a family compares it compares without rounding.

    Raises:
        ValueError: If a parameter is no number or out of its range; the message says what is allowed.
    """

    family: ClassVar[str]
    memoryless: ClassVar[bool] = True  # False for a family whose answer depends on earlier turns

    def __post_init__(self) -> None:
        for field in parameters(type(self)):
            value, low, high = getattr(self, field.name), field.metadata["low"], field.metadata["high"]
            if not isinstance(value, (int, float)) or not low <= value <= high:
                raise ValueError(f"{self.family}: {field.name}={value!r}; {low:g} to {high:g} is allowed")

    def __str__(self) -> str:
        numbers = [getattr(self, field.name) for field in parameters(type(self))]
        texts = [repr(int(number) if number == int(number) else float(number)) for number in numbers]
        return f"{self.family}:{','.join(texts)}" if texts else self.family

    def seed(self, seed: int) -> None:
        """Start the random numbers of an agent that draws some itself; most draw none."""

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        return self.leaves(obs).astype(np.float32)

    def leaves(self, obs: Observations) -> NDArray[np.bool_]:
        """Return bool (rows,): who leaves. A family that draws its decisions overrides `act` instead."""
        raise NotImplementedError(f"{self.family} has neither `leaves` nor `act`")


def parameters(family: type[Scripted]) -> list[dataclasses.Field]:
    """Return the fields of a family that its text gives, in order."""
    return [field for field in dataclasses.fields(family) if "low" in field.metadata]


def haul(obs: Mapping[str, NDArray]) -> NDArray:
    """Return what each row would bank if it left alone now: the bag and all that lies on the path."""
    return obs["bag"] + obs["path_gems"] + obs["path_relic_value"]
