"""Agents made from models that are given as objects."""

from __future__ import annotations

import functools
from typing import Any, Protocol

from diamant_env.opponents.models.outputs import OutputAgent, kind_of, run_module
from diamant_env.opponents.models.policies import SB3Agent

_MODULE = "torch.nn.modules.module.Module"


class Model(Protocol):
    """A model of stable-baselines3 or sb3-contrib, for type checkers."""

    policy: Any


def is_model(given: Any) -> bool:
    """Whether something is a model or policy of stable-baselines3 or sb3-contrib, or a torch module."""
    return bool({"stable_baselines3.common.base_class.BaseAlgorithm", _MODULE} & _bases(given))


def model_agent(model: Any, name: str | None = None) -> SB3Agent | OutputAgent:
    """Return the agent of a model or policy of stable-baselines3, or of a torch module, see `OutputAgent`.

    Raises:
        ValueError: If it observes or acts in another space than the environments of this package have.
    """
    name = name or type(model).__name__
    bases = _bases(model)
    if "stable_baselines3.common.policies.BasePolicy" in bases:
        return SB3Agent(model, name)
    if _MODULE in bases:
        ends = kind_of(list(model.modules())[-1])
        return OutputAgent(functools.partial(run_module, model), name, ends in ("Sigmoid", "Softmax"))
    return SB3Agent(model.policy, name, model.get_vec_normalize_env())


def _bases(given: Any) -> set[str]:
    """Return the names of all classes of an object, so that no library is imported to recognise it."""
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in type(given).__mro__}
