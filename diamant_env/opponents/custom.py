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
    "arguments, a function of the observations that returns P(LEAVE) for each row, or a model of stable-baselines3 or torch"
)


class CustomAgent:
    """A custom agent with a name for tables of results.

    Args:
        name: Its ``str``.
        agent: An object with `act`, see `Agent`, and optionally `seed` and `stateless`.
    """

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


def agent_of(given: Any, name: str | None = None) -> Agent:
    """Return an agent for a custom object.

    Args:
        given: See `ALLOWED`.
        name: Name in tables of results; by default see `default_name`.

    Raises:
        ValueError: If the object is not an agent.
    """
    acts = callable(getattr(given, "act", None))
    if acts and isinstance(given, type):
        try:
            given = given()
        except TypeError as error:
            raise ValueError(f"{name or given.__name__} can't be made without arguments: {error}") from error
    if is_model(given) and not (acts and "episode_start" in inspect.signature(given.act).parameters):
        return model_agent(given, name)
    if acts:
        check_parameters(given.act, f"act of {name or default_name(given)}", "obs", "episode_start")
        if name is None and type(given).__str__ is not object.__str__:
            return given
        return CustomAgent(name or default_name(given), given)
    if callable(given) and not isinstance(given, type):
        check_parameters(given, f"agent {name or default_name(given)}", "obs")
        agent = SimpleNamespace(act=functools.partial(_answer, given), stateless=True)
        return CustomAgent(name or default_name(given), agent)
    raise ValueError(f"{name or _shortened(repr(given))} is not an agent; allowed: {ALLOWED}")


def default_name(given: Any) -> str:
    """Return the name of a custom object: its ``str`` or ``repr`` if its class defines one, else its ``__name__``."""
    if isinstance(given, functools.partial):
        arguments = [*map(repr, given.args), *(f"{key}={value!r}" for key, value in given.keywords.items())]
        return _shortened(f"{default_name(given.func)}({', '.join(arguments)})")
    if hasattr(given, "__name__"):
        return str(given.__name__)
    kind = type(given)
    # The repr of a model is a list of layers.
    plain = kind.__str__ is object.__str__ and (kind.__repr__ is object.__repr__ or is_model(given))
    return kind.__name__ if plain else _shortened(str(given))


def _answer(function: Callable, obs: Observations, episode_start: NDArray[np.bool_]) -> ArrayLike:  # noqa: ARG001 - as `act`
    """See `Agent.act`, for a function that returns P(LEAVE), or a bool, for each row."""
    return function(obs)


def _shortened(text: str) -> str:
    return textwrap.shorten(text, 60, placeholder=" …")


def find_object(named: str, what: str) -> Any:
    """Import and return ``module:object``.

    Args:
        named: The text.
        what: Subject of error messages, such as ``"agent 'mine:patient'"``.

    Raises:
        ValueError: If the module or object does not exist.
    """
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
