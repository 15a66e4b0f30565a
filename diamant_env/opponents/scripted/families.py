"""The scripted families by name, and their agents by a short text: ``bag:18``."""

from __future__ import annotations

from diamant_env.opponents.scripted import expected_value, mixture, social, thresholds
from diamant_env.opponents.scripted.family import Scripted, parameters

FAMILIES: dict[str, type[Scripted]] = {
    family.family: family
    for family in (
        thresholds.RandomAgent,
        thresholds.ContinueAgent,
        thresholds.CardsAgent,
        thresholds.BagAgent,
        thresholds.TrapsAgent,
        thresholds.BagOrTrapsAgent,
        expected_value.ExpectedValueAgent,
        expected_value.OthersStayAgent,
        social.SoloGrabAgent,
        social.CatchUpAgent,
        social.FollowAgent,
        social.OpposeAgent,
        mixture.MixtureAgent,
    )
}
"""The families of scripted agents by the name that a text begins with."""


def make_scripted(text: str, seed: int) -> Scripted:
    """Return the agent of a family that a text names, see `diamant_env.opponents.make`.

    Raises:
        ValueError: If the numbers after the family's name don't fit it; the message says what is allowed.
    """
    name, colon, rest = text.partition(":")
    family = FAMILIES[name]
    numbers = [_number(part, text, family) for part in rest.split(",")] if colon else []
    if len(numbers) not in (0, len(parameters(family))):
        raise ValueError(f"{len(numbers)} numbers in {text!r}; give all or none: {describe(family)}")
    try:
        agent = family(*numbers)
    except ValueError as error:
        raise ValueError(f"agent {text!r}: {error}") from None
    agent.seed(seed)
    return agent


def describe(family: type[Scripted]) -> str:
    """Return a family with its parameters and their defaults, such as ``bag:gems (bag:18)``."""
    names = ",".join(field.name for field in parameters(family))
    return f"{family.family}:{names} ({family()})" if names else family.family


def _number(part: str, text: str, family: type[Scripted]) -> float:
    try:
        return float(part)
    except ValueError:
        raise ValueError(f"{part!r} in {text!r} is no number; {describe(family)}") from None
