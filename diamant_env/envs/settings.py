"""What a caller may set, checked: whole numbers, and how many expeditions a game has."""

from __future__ import annotations

import dataclasses

from diamant_env.editions import MAX_EXPEDITIONS, Edition
from diamant_env.engine.arguments import MAX_SEED, whole_number


def with_expeditions(edition: Edition, expeditions: int) -> Edition:
    """Return an edition with another number of expeditions, which its name says.

    Raises:
        ValueError: If it can't be played so, with the reason.
    """
    number = whole_number("expeditions", expeditions, 1, MAX_EXPEDITIONS, "None or ")
    if number == edition.expeditions:
        return edition
    return dataclasses.replace(edition, name=f"{edition.name}, expeditions={number}", expeditions=number)


__all__ = ["MAX_SEED", "whole_number", "with_expeditions"]
