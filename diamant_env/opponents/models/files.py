"""Agents from models of other libraries, given as objects or files."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from gymnasium import ObservationWrapper
from numpy.typing import NDArray

from diamant_env.opponents.models.outputs import OutputAgent, run_module
from diamant_env.opponents.models.policies import SB3Agent

SUFFIXES = (".zip", ".onnx")
"""Model files. Loading a ``.zip`` may execute code, so pools and configurations may not name one."""
_MODULE = "torch.nn.modules.module.Module"
_WITH_STATISTICS = ".zip+"  # between a model and its VecNormalize statistics


class Model(Protocol):
    """A model of stable-baselines3 or sb3-contrib, for type checkers."""

    policy: Any


def is_model(given: Any) -> bool:
    """Return whether an object is a model or policy of stable-baselines3 or sb3-contrib, or a torch module."""
    return bool({"stable_baselines3.common.base_class.BaseAlgorithm", _MODULE} & _bases(given))


def model_agent(model: Any, name: str | None = None) -> SB3Agent | OutputAgent:
    """Return the agent of a model or policy of stable-baselines3, or of a torch module, see `OutputAgent`.

    Raises:
        ValueError: If its spaces are not those of the environments of this package.
    """
    name = name or type(model).__name__
    bases = _bases(model)
    if "stable_baselines3.common.policies.BasePolicy" in bases:
        return SB3Agent(model, name)
    if _MODULE in bases:
        ends = type(list(model.modules())[-1]).__name__
        return OutputAgent(functools.partial(run_module, model), name, ends in ("Sigmoid", "Softmax"))
    agent = SB3Agent(model.policy, name, model.get_vec_normalize_env())
    _check_sequence(agent, model._last_obs)
    env = model.get_env()
    if env is not None and not agent.masked and any(env.env_is_wrapped(ObservationWrapper)):
        raise ValueError(f"{name} learns through an ObservationWrapper; give an agent that applies it in act")
    return agent


def _check_sequence(agent: SB3Agent, last: Any) -> None:
    """Raise ValueError if a recurrent policy was trained on rows of seats in camp, which agents skip.

    Args:
        agent: The agent.
        last: The last observations of its training, normalised or not, which a ``.zip`` keeps; None before training.
    """
    if agent.memoryless or last is None:
        return
    rows = last["observation"] if agent.masked else last
    if np.ptp(rows[:, agent.columns == 0], axis=0).any():  # must_decide
        raise ValueError(
            f"{agent} is recurrent and was trained on rows of seats in camp; agents see decisions only: "
            "train it on diamant_env.sb3.GymnasiumVecEnv"
        )


def is_model_file(text: str) -> bool:
    """Return whether a text names a model file, with or without VecNormalize statistics."""
    return Path(_parts(text)[0]).suffix in SUFFIXES


def _parts(text: str) -> tuple[str, str]:
    """Return the model file and the statistics file, if any, that a text names."""
    file, suffix, statistics = text.partition(_WITH_STATISTICS)
    return (f"{file}.zip", statistics) if suffix else (text, "")


def load_model(text: str) -> SB3Agent | OutputAgent:
    """Open a model file; the agent's name is the text.

    Args:
        text: ``"ppo.zip"``, saved by stable-baselines3, or ``"ppo.zip+vecnormalize.pkl"`` with the statistics saved by
            `VecNormalize.save`, which the ``.zip`` doesn't mention; or ``"net.onnx"``.

    Raises:
        ValueError: If the file is missing or unsupported, or its spaces are not those of this package.
        ImportError: If its library isn't installed.
    """
    file, statistics = _parts(text)
    for path in filter(None, (file, statistics)):
        if not Path(path).is_file():
            raise ValueError(f"no agent {text!r}: there is no file {path}")
    try:
        with warnings.catch_warnings(action="ignore"):  # about other library versions
            return _load_zip(text, file, statistics) if Path(file).suffix == ".zip" else _load_onnx(text, file)
    except ImportError as error:
        raise ImportError(f"{text} needs {error.name}: pip install {error.name}") from None
    except Exception as error:  # libraries raise different types for a damaged file
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise ValueError(f"{text} can't be opened as a model: {reason}") from error


def _bases(given: Any) -> set[str]:
    """Return the names of an object's base classes, to recognise it without importing its library."""
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in type(given).__mro__}


def _run_onnx(session: Any, flat: NDArray[np.float32]) -> NDArray:
    return session.run(None, {session.get_inputs()[0].name: flat})[0]


def _load_zip(text: str, file: str, statistics: str) -> SB3Agent:
    """Open the policy of a stable-baselines3 model of any algorithm."""
    from stable_baselines3.common.save_util import load_from_zip_file

    data, parameters, _ = load_from_zip_file(file, device="cpu")
    if data is None or "policy_class" not in data:
        raise ValueError(f"{file} is no model of stable-baselines3: it has no policy_class")
    settings = {key: value for key, value in data["policy_kwargs"].items() if key != "device"}
    policy = data["policy_class"](data["observation_space"], data["action_space"], lambda _: 0.0, **settings)
    policy.load_state_dict(parameters["policy"])
    agent = SB3Agent(policy, text, _load_statistics(statistics, policy.observation_space) if statistics else None)
    _check_sequence(agent, data["_last_obs"])
    return agent


def _load_statistics(file: str, space: Any) -> Any:
    """Return the `VecNormalize` of a file; raise ValueError if it holds none or one of other observations."""
    from stable_baselines3.common.save_util import load_from_pkl
    from stable_baselines3.common.vec_env import VecNormalize

    found = load_from_pkl(file)
    if not isinstance(found, VecNormalize):
        raise ValueError(f"{file} holds a {type(found).__name__}, not the statistics of VecNormalize")
    if found.observation_space.shape != space.shape:
        shape = found.observation_space.shape
        raise ValueError(f"{file} has statistics of shape {shape}; the policy observes {space.shape}")
    return found


def _load_onnx(text: str, file: str) -> OutputAgent:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(file, options, providers=["CPUExecutionProvider"])
    return OutputAgent(functools.partial(_run_onnx, session), text, probabilities=False)  # unknown output activation
