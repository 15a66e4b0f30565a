"""Agents from models of stable-baselines3 and torch, as objects or files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from gymnasium import ObservationWrapper

from diamant_env.opponents.models.policies import ModuleAgent, SB3Agent

_MODULE = "torch.nn.modules.module.Module"


class Model(Protocol):
    """A model of stable-baselines3 or sb3-contrib, for type checkers."""

    policy: Any


def is_model(candidate: Any) -> bool:
    """Return whether an object is a model or policy of stable-baselines3 or sb3-contrib, or a torch module."""
    return bool({"stable_baselines3.common.base_class.BaseAlgorithm", _MODULE} & _bases(candidate))


def model_agent(model: Any, name: str | None = None) -> SB3Agent | ModuleAgent:
    """Return the agent of a model or policy of stable-baselines3, or of a torch module."""
    name = name or type(model).__name__
    bases = _bases(model)
    if "stable_baselines3.common.policies.BasePolicy" in bases:
        return SB3Agent(model, name)
    if _MODULE in bases:
        return ModuleAgent(model, name)
    agent = SB3Agent(model.policy, name, model.get_vec_normalize_env())
    _check_sequence(agent, model._last_obs)
    env = model.get_env()
    if env is not None and not agent.masked and any(env.env_is_wrapped(ObservationWrapper)):
        raise ValueError(f"{name} learns through an ObservationWrapper; give an agent that applies it in act")
    return agent


def _check_sequence(agent: SB3Agent, last: Any) -> None:
    """Raise a ValueError if a recurrent policy was trained on rows of seats in camp, which agents skip.

    `last` are the last observations of its training, normalised or not, as in a ``.zip``; None before training.
    """
    if agent.stateless or last is None:
        return
    rows = last["observation"] if agent.masked else last
    if np.ptp(rows[:, agent.columns == 0], axis=0).any():  # must_decide
        raise ValueError(
            f"{agent} is recurrent and was trained on rows of seats in camp; agents see decisions only: "
            "train it on diamant_env.sb3.GymnasiumVecEnv"
        )


def is_model_file(spec: str) -> bool:
    """Return whether a spec names a model file; loading one may run code."""
    return Path(spec).suffix == ".zip"


def load_model(file: str) -> SB3Agent:
    """Load a model saved by stable-baselines3 or sb3-contrib; the agent has the file's name."""
    if not Path(file).is_file():
        raise ValueError(f"no agent {file!r}: there is no file {file}")
    try:
        with warnings.catch_warnings(action="ignore"):  # about other library versions
            return _load_zip(file)
    except ImportError as error:
        raise ImportError(f"{file} needs {error.name}: pip install {error.name}") from None
    except Exception as error:  # libraries raise different types for a damaged file
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise ValueError(f"{file} can't be opened as a model: {reason}") from error


def _bases(candidate: Any) -> set[str]:
    """Return the names of an object's base classes, to recognise it without importing its library."""
    return {f"{base.__module__}.{base.__qualname__}" for base in type(candidate).__mro__}


def _load_zip(file: str) -> SB3Agent:
    """Load the policy of a model of any algorithm."""
    from stable_baselines3.common.save_util import load_from_zip_file

    data, parameters, _ = load_from_zip_file(file, device="cpu")
    if data is None or "policy_class" not in data:
        raise ValueError(f"{file} is not a model of stable-baselines3: policy_class is missing")
    settings = {key: value for key, value in data["policy_kwargs"].items() if key != "device"}
    policy = data["policy_class"](data["observation_space"], data["action_space"], lambda _: 0.0, **settings)
    policy.load_state_dict(parameters["policy"])
    agent = SB3Agent(policy, file)
    _check_sequence(agent, data["_last_obs"])
    return agent
