"""What a caller may hand over, checked: whole numbers, how many expeditions a game has, and actions."""

import contextlib
import dataclasses
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import MAX_EXPEDITIONS, Edition
from diamant_env.engine.arguments import whole_number


def with_expeditions(edition: Edition, expeditions: int) -> Edition:
    """Return an edition with another number of expeditions, which its name says.

    Raises:
        ValueError: If it can't be played so, with the reason.
    """
    number = whole_number("expeditions", expeditions, 1, MAX_EXPEDITIONS, "None or ")
    if number == edition.expeditions:
        return edition
    return dataclasses.replace(edition, name=f"{edition.name}, expeditions={number}", expeditions=number)


def checked_action(agent: str, action: Any) -> int:
    """Return the action of an agent inside the cave as 0 or 1.

    Raises:
        ValueError: If it is neither.
    """
    with contextlib.suppress(TypeError):
        if (number := operator.index(action)) in (0, 1):
            return number
    raise ValueError(f"action {action!r} of {agent}; allowed: 0 (CONTINUE) and 1 (LEAVE)")


def checked_actions(actions: ArrayLike, ignored: NDArray[np.bool_], what: str) -> NDArray[np.int8]:
    """Return actions of any integer type as int8 (N,), 0 where they are ignored.

    Args:
        actions: Whole numbers (N,).
        ignored: bool (N,), where nothing must be decided.
        what: What the N are, for the message.

    Raises:
        ValueError: If the shape or dtype is wrong, or an action that is not ignored is neither 0 nor 1.
    """
    given = np.asarray(actions)
    if given.shape != ignored.shape or given.dtype.kind not in "iub":
        raise ValueError(
            f"actions of shape {given.shape} and dtype {given.dtype}; whole numbers {ignored.shape} are expected"
        )
    wrong = (given != 0) & (given != 1) & ~ignored
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(f"action {given[place]} of {what} {place}; allowed: 0 (CONTINUE) and 1 (LEAVE)")
    return np.where(ignored, 0, given).astype(np.int8)


def read_actions(actions: Mapping[str, Any], agents: Sequence[str], inside: NDArray[np.int8]) -> bytes:
    """Return the actions as one byte per seat, 0 or 1; those of idle seats are ignored and may be missing.

    Raises:
        ValueError: If an agent inside the cave is missing, an agent is unknown, or an action is neither 0 nor 1.
    """
    with contextlib.suppress(KeyError, TypeError, ValueError, OverflowError):
        given = bytes([actions[agent] for agent in agents])
        if len(actions) == len(given) and not given.strip(b"\x00\x01"):
            return given
    decided = bytearray(len(agents))
    for seat, agent in enumerate(agents):
        if inside[seat]:
            if agent not in actions:
                raise ValueError(f"no action for {agent}, who is inside the cave and must decide")
            decided[seat] = checked_action(agent, actions[agent])
    unknown = [agent for agent in actions if agent not in agents]
    if unknown:
        raise ValueError(f"actions of unknown agents {unknown}; the agents are {list(agents)}")
    return bytes(decided)
