"""Agents by a short text: ``make("bag:18")``."""

from __future__ import annotations

from diamant_env.opponents import expected_value, mixture, social, solved, thresholds
from diamant_env.opponents.family import Scripted, parameters

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

SOLVED: dict[str, type[solved.EquilibriumAgent]] = {
    family.family: family for family in (solved.EquilibriumAgent, solved.DifferenceAgent, solved.LoneAgent)
}
"""Those that play what is solved, by the name that a text begins with."""


def make(text: str, seed: int = 0) -> Scripted:
    """Return the agent that a text names; ``str(agent)`` is such a text again.

    Args:
        text: ``"family"`` with its defaults, or ``"family:number,number"`` with all its parameters, such as
            ``"bag:18"`` or ``"bag-or-traps:18,3"``.
        seed: Of the agents that draw something themselves (``"mixture"``); the others ignore it.

    Raises:
        ValueError: If the text names no agent; the message says what was given and what is allowed.
    """
    name, colon, rest = text.strip().partition(":")
    if name in SOLVED:
        return SOLVED[name](rest) if colon else SOLVED[name]()
    if name not in FAMILIES:
        known = [*map(describe, FAMILIES.values()), *(f"{family}:edition ({make(family)})" for family in SOLVED)]
        raise ValueError(f"unknown agent {text!r}; agents: {'; '.join(known)}")
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
