"""Column selection of an environment's observations, for the argument `observation`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from diamant_env.observation import FieldsBox, columns, observation_space

Observation: TypeAlias = "Sequence[str] | str | None"


class Layout:
    """Selection of observation columns.

    Args:
        observation: None for all `FIELDS`, or names of fields in the order of the columns, such as ``["bag", "turn"]``.

    Raises:
        ValueError: If the argument is invalid or a name unknown; the message lists the fields.
    """

    def __init__(self, observation: Observation) -> None:
        self._columns: NDArray[np.intp] | None = None
        self._fields: tuple[str, ...] = ()
        if observation is not None:
            if (
                isinstance(observation, str)
                or not isinstance(observation, Sequence | np.ndarray)
                or not len(observation)
            ):
                raise ValueError(f"observation={observation!r}; None or names of fields are allowed")
            self._columns, self._fields = columns(*observation), tuple(observation)

    def space(self) -> Box:
        """Return a new observation space."""
        return FieldsBox(self._fields) if self._fields else observation_space(self._columns)

    def select(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the selected columns of rows, float32 (…, num_features)."""
        return rows if self._columns is None else rows[..., self._columns]
