"""The one place that says what "blank" observations are, for the games in which a policy can be exploited exactly.

Hidden chests, and all about the rivals is 0: what is left to a player who must decide is the cards that have come up,
how many are inside, the bag and the path. `diamant_env.exact.policy_of` asks an agent with the same rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike, NDArray

from diamant_env.batch import Batch
from diamant_env.editions import Edition, find_edition
from diamant_env.exact.response import blank_rivals


@dataclass(frozen=True)
class BlankEdition(Edition):
    """An edition whose players see neither the rivals' chests nor where the rivals are."""


def blank_edition(edition: str | Edition) -> BlankEdition:
    """Return an edition as it is, but with blank observations."""
    found = find_edition(edition, hidden_chests=True)
    return BlankEdition(**{field.name: getattr(found, field.name) for field in dataclasses.fields(found)})


def new_batch(
    num_games: int, num_players: int | ArrayLike, edition: str | Edition | Sequence[str | Edition], reward: str
) -> Batch:
    """Return games whose observations are blank if the edition, or the first of several, is a `BlankEdition`.

    Errors are those of `Batch`.
    """
    first = edition[0] if isinstance(edition, list | tuple) else edition
    kind = BlankBatch if isinstance(first, BlankEdition) else Batch
    return kind(num_games, num_players, edition, reward)


class BlankBatch(Batch):
    """A `Batch` that writes blank observations."""

    def reset(self, *args: Any, **named: Any) -> NDArray:
        """See `Batch.reset`."""
        return blank_rivals(super().reset(*args, **named))

    def step(self, *args: Any, **named: Any) -> tuple[NDArray, NDArray, NDArray]:
        """See `Batch.step`."""
        observations, rewards, done = super().step(*args, **named)
        if (final := named.get("final_observations")) is not None:
            blank_rivals(final)
        return blank_rivals(observations), rewards, done

    def observe(self, *args: Any, **named: Any) -> NDArray:
        """See `Batch.observe`."""
        return blank_rivals(super().observe(*args, **named))
