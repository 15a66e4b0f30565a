"""Custom agents: objects, functions of observations, and ``module:object``."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import Agent
from diamant_env.observation import Observations
from diamant_env.opponents.models.files import Model, is_model, model_agent
from diamant_env.storage.files import check_parameters

AgentSpec: TypeAlias = "str | Path | Agent | Model | type | Callable[[Observations], ArrayLike] | tuple[str, Any]"
"""Input of `diamant_env.opponents.make_agent`: a string or path, an agent, its class, a model of stable-baselines3 or
torch, a function of the observations, or (name, any of these)."""
NAMES_OBJECT = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
"""Pattern of ``module:object``; the object may be an attribute of a class."""
ALLOWED = (
    "a string such as 'bag:18', a path, an agent with act(obs, episode_start), a class of such agents without "
    "arguments, a function of the observations that returns P(LEAVE) for each row, or a model of stable-baselines3 or "
    "torch"
)


class CustomAgent:
    """An object with `act`, see `Agent`, and optionally `seed` and `stateless`, under a name for tables of results."""

    def __init__(self, name: str, agent: Any) -> None:
        self.name, self.agent = name, agent
        self.stateless = getattr(agent, "stateless", False)
        if callable(seed := getattr(agent, "seed", None)):
            self.seed = seed

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> Any:
        """See `Agent.act`; the answer is not validated."""
        return self.agent.act(obs, episode_start)


def agent_of(agent: Any, name: str | None = None) -> Agent:
    """Return an agent for a custom object, see `ALLOWED`, by default under its `default_name`."""
    acts = callable(getattr(agent, "act", None))
    if acts and isinstance(agent, type):
        try:
            agent = agent()
        except TypeError as error:
            raise ValueError(f"{name or agent.__name__} can't be made without arguments: {error}") from error
    if is_model(agent) and not (acts and "episode_start" in inspect.signature(agent.act).parameters):
        return model_agent(agent, name)
    if acts:
        check_parameters(agent.act, f"act of {name or default_name(agent)}", "obs", "episode_start")
        if name is None and type(agent).__str__ is not object.__str__:
            return agent
        return CustomAgent(name or default_name(agent), agent)
    if callable(agent) and not isinstance(agent, type):
        check_parameters(agent, f"agent {name or default_name(agent)}", "obs")
        stateless = SimpleNamespace(act=functools.partial(_answer, agent), stateless=True)
        return CustomAgent(name or default_name(agent), stateless)
    raise ValueError(f"{name or _shortened(repr(agent))} is not an agent; allowed: {ALLOWED}")


def default_name(agent: Any) -> str:
    """Return the name of a custom object: its ``str`` or ``repr`` if its class defines one, else its ``__name__``."""
    if isinstance(agent, functools.partial):
        arguments = [*map(repr, agent.args), *(f"{key}={value!r}" for key, value in agent.keywords.items())]
        return _shortened(f"{default_name(agent.func)}({', '.join(arguments)})")
    if hasattr(agent, "__name__"):
        return str(agent.__name__)
    kind = type(agent)
    # The repr of a model is a list of layers.
    plain = kind.__str__ is object.__str__ and (kind.__repr__ is object.__repr__ or is_model(agent))
    return kind.__name__ if plain else _shortened(str(agent))


def _answer(function: Callable, obs: Observations, episode_start: NDArray[np.bool_]) -> ArrayLike:  # noqa: ARG001 - as `act`
    """See `Agent.act`, for a function that returns P(LEAVE), or a bool, for each row."""
    return function(obs)


def _shortened(text: str) -> str:
    return textwrap.shorten(text, 60, placeholder=" …")


def find_object(named: str, what: str) -> Any:
    """Import and return ``module:object``; raise ValueError, about `what`, if it does not exist."""
    module, _, attribute = named.partition(":")
    try:
        imported = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # a script may call sys.exit, or parse the command line
        if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
            raise ValueError(f"{what}: there is no module {error.name}") from None
        raise ValueError(f"{what}: the module {module} can't be imported: {error!r}") from error
    try:
        return attrgetter(attribute)(imported)
    except AttributeError:
        raise ValueError(f"{what}: the module {module} has no {attribute}") from None
