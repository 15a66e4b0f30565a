"""Validation of the environments' arguments and actions."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from diamant_env.engine.arguments import checked_actions
from diamant_env.observation import FieldsBox, columns, observation_space
from diamant_env.state import CONTINUE

Observation: TypeAlias = "Sequence[str] | str | None"


def shown_fields(observation: Observation) -> tuple[Box, NDArray[np.intp] | slice]:
    """Return a new space of the observations that an environment shows, and their columns in a row.

    Args:
        observation: None for all `FIELDS`, or names of fields in the order of the columns, such as ``["bag", "turn"]``.

    Raises:
        ValueError: If the argument is invalid or a name unknown; the message lists the fields.
    """
    if observation is None:
        return observation_space(), slice(None)
    if isinstance(observation, str) or not isinstance(observation, Sequence | np.ndarray) or not len(observation):
        raise ValueError(f"observation={observation!r}; None or names of fields are allowed")
    return FieldsBox(observation), columns(*observation)


def read_actions(actions: Mapping[str, Any], agents: Sequence[str], inside: NDArray[np.int8]) -> bytes:
    """Return the actions as one byte per seat, 0 or 1; those of seats in camp are ignored and may be missing.

    Raises:
        ValueError: If an agent inside the cave is missing, an agent is unknown, or an action is neither 0 nor 1.
    """
    with contextlib.suppress(KeyError, TypeError, ValueError, OverflowError):
        by_seat = bytes([actions[agent] for agent in agents])
        if len(actions) == len(by_seat) and not by_seat.strip(b"\x00\x01"):
            return by_seat
    if not isinstance(actions, Mapping):
        raise ValueError(f"actions of type {type(actions).__name__}; a dictionary of agents to actions is expected")
    unknown = [agent for agent in actions if agent not in agents]
    if unknown:
        raise ValueError(f"actions of unknown agents {unknown}; the agents are {list(agents)}")
    deciding = {agent for agent, is_inside in zip(agents, inside, strict=True) if is_inside}
    if missing := deciding - actions.keys():
        raise ValueError(f"no action for {', '.join(sorted(missing))}; agents inside the cave must decide")
    return checked_actions([actions[agent] if agent in deciding else CONTINUE for agent in agents], inside).tobytes()
