"""Models of other libraries as agents: stable-baselines3, sb3-contrib, torch modules, TorchScript and ONNX files."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from gymnasium.spaces import Dict, Discrete, Space
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.observation import FIELDS, HISTORY, NUM_FEATURES, Observations, shown_columns

SUFFIXES = (".zip", ".pt", ".onnx")
"""Model files. Opening a ``.zip`` runs code that is in it: only a person names one, never a file."""
_STATISTICS = "+"  # between a model and its VecNormalize statistics
_ROWS = Callable[[NDArray[np.float32]], NDArray]


class Model(Protocol):
    """A model of stable-baselines3 or sb3-contrib, for type checkers."""

    policy: Any


def is_model(given: Any) -> bool:
    """Whether something is a model or policy of stable-baselines3 or sb3-contrib, or a torch module."""
    return bool({"stable_baselines3.common.base_class.BaseAlgorithm", _MODULE} & _bases(given))


def is_model_file(text: str) -> bool:
    """Whether a text names a model file, with or without VecNormalize statistics."""
    return Path(text.partition(_STATISTICS)[0]).suffix in SUFFIXES


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
        last = list(model.modules())[-1]
        ends = getattr(last, "original_name", type(last).__name__)
        return OutputAgent(functools.partial(_run_module, model), name, ends in ("Sigmoid", "Softmax"))
    return SB3Agent(model.policy, name, model.get_vec_normalize_env())


def load_model(text: str) -> SB3Agent | OutputAgent:
    """Open a model file; the agent's name is the text.

    Args:
        text: ``"ppo.zip"``, what stable-baselines3's `save` wrote, or ``"ppo.zip+vecnormalize.pkl"`` with what
            `VecNormalize.save` wrote, where that was used; ``"net.pt"`` of TorchScript; or ``"net.onnx"``.

    Raises:
        ValueError: If there is no such file, it is none of these, or its spaces are others.
        ImportError: If the library that it needs isn't installed.
    """
    file, _, statistics = text.partition(_STATISTICS)
    for path in filter(None, (file, statistics)):
        if not Path(path).is_file():
            raise ValueError(f"no agent {text!r}: there is no file {path}")
    try:
        with warnings.catch_warnings(action="ignore"):  # of other versions of libraries
            if Path(file).suffix == ".zip":
                return _load_zip(text, file, statistics)
            return (_load_script if Path(file).suffix == ".pt" else _load_onnx)(text, file)
    except ImportError as error:
        raise ImportError(f"{text} needs {error.name}: pip install {error.name}") from None
    except _WrongModel:
        raise
    except Exception as error:  # each library has its own for a damaged file
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{text} can't be opened as a model: {type(error).__name__}: {reason}") from error


class SB3Agent:
    """A policy of stable-baselines3 or sb3-contrib.

    It answers with the probability that the policy gives to LEAVE; algorithms with action values (DQN, QR-DQN) decide
    greedily. A recurrent policy has one state per row, which goes on with each decision and begins anew with each game.

    Args:
        policy: Its observation space says which fields it sees: all, those of ``observation=[…]`` or ``"history"``,
            alone or as ``"observation"`` beside ``"action_mask"`` in a Dict.
        name: How it prints.
        statistics: A `VecNormalize` that it was trained through, or None.

    Raises:
        ValueError: If it observes or acts in another space, or a weight is not a finite number.
    """

    def __init__(self, policy: Any, name: str, statistics: Any = None) -> None:
        if policy.action_space != Discrete(2):
            raise _WrongModel(f"{name} acts in {policy.action_space}; Discrete(2), CONTINUE and LEAVE, is needed")
        if not all(weights.isfinite().all() for weights in policy.parameters()):
            raise _WrongModel(f"{name} has a weight that is not a finite number")
        self.policy, self.name, self.statistics = policy, name, statistics
        self.columns, self.masked = _observed(policy.observation_space, name)
        self.history = bool((self.columns >= NUM_FEATURES).any())
        self.memoryless = not hasattr(policy, "lstm_actor")
        self._states: Any = None

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        leave = np.zeros(len(first), np.float32)
        deciding = np.flatnonzero(obs.flat[:, 0])
        if len(deciding):
            with _inference(self.policy):
                leave[deciding] = self._leave(self._shown(obs.flat[deciding]), deciding, first)
        return leave

    def _shown(self, flat: NDArray[np.float32]) -> Any:
        """Return what the policy observes of rows that must decide."""
        shown: Any = flat[:, self.columns]
        if self.masked:
            shown = {"observation": shown, "action_mask": np.ones((len(flat), 2), np.int8)}
        return shown if self.statistics is None else self.statistics.normalize_obs(shown)

    def _leave(self, shown: Any, rows: NDArray[np.intp], first: NDArray[np.bool_]) -> NDArray[np.float32]:
        if not hasattr(self.policy, "get_distribution"):
            return self.policy.predict(shown, deterministic=True)[0]
        tensors = self.policy.obs_to_tensor(shown)[0]
        if self.memoryless:
            distribution = self.policy.get_distribution(tensors)
        else:
            distribution = self._recurrent(tensors, rows, first)
        return distribution.distribution.probs[:, 1].cpu().numpy()

    def _recurrent(self, tensors: Any, rows: NDArray[np.intp], first: NDArray[np.bool_]) -> Any:
        """Return the distribution of a recurrent policy, whose states go on."""
        import torch

        if self._states is None or self._states[0].shape[1] != len(first):
            layers, _, units = self.policy.lstm_hidden_state_shape
            self._states = tuple(torch.zeros(layers, len(first), units, device=self.policy.device) for _ in range(2))
        begins = torch.as_tensor(first[rows], dtype=torch.float32, device=self.policy.device)
        before = tuple(state[:, rows].contiguous() for state in self._states)
        distribution, after = self.policy.get_distribution(tensors, before, begins)
        for state, new in zip(self._states, after, strict=True):
            state[:, rows] = new
        return distribution


class OutputAgent:
    """A network that maps the 90 features of each row to one or two numbers.

    Two numbers are the logits of CONTINUE and LEAVE, or their probabilities if each row sums to 1. One number is the
    logit of LEAVE, or its probability if the network ends with a sigmoid.

    Args:
        run: Returns the numbers, (rows,), (rows, 1) or (rows, 2), for float32 (rows, NUM_FEATURES).
        name: How it prints.
        probabilities: Whether the network ends with a sigmoid or a softmax.

    Raises:
        ValueError: If it returns something else, or one number between 0 and 1 without a sigmoid.
    """

    memoryless = True

    def __init__(self, run: _ROWS, name: str, probabilities: bool) -> None:
        self.run, self.name, self.probabilities = run, name, probabilities
        found = self._outputs(Batch(64).reset(0).reshape(-1, NUM_FEATURES))
        if found.shape[1] == 1 and not probabilities and ((found >= 0) & (found <= 1)).all():
            reason = "returns either a probability or a logit"
            raise _WrongModel(f"{name} {reason}: end it with nn.Sigmoid, or return the logits of CONTINUE and LEAVE")

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        leave = np.zeros(len(first), np.float32)
        deciding = np.flatnonzero(obs.flat[:, 0])
        if len(deciding):
            leave[deciding] = self._leave(self._outputs(obs.flat[deciding]))
        return leave

    def _leave(self, found: NDArray) -> NDArray:
        if self.probabilities or (found.shape[1] == 2 and np.allclose(found.sum(axis=1), 1)):
            return found[:, -1]
        logit = found[:, 0] if found.shape[1] == 1 else found[:, 1] - found[:, 0]
        return 1 / (1 + np.exp(-np.clip(logit, -80, 80)))

    def _outputs(self, flat: NDArray[np.float32]) -> NDArray[np.float64]:
        try:
            found = np.asarray(self.run(flat), np.float64)
        except (RuntimeError, TypeError) as error:
            raise _WrongModel(
                f"{self} can't be asked for {flat.shape} numbers: {str(error).splitlines()[0]}"
            ) from error
        if found.shape not in ((len(flat),), (len(flat), 1), (len(flat), 2)):
            raise _WrongModel(
                f"{self} returns shape {found.shape} for {len(flat)} rows; one or two numbers a row needed"
            )
        return found.reshape(len(flat), -1)


class _WrongModel(ValueError):
    """A model that opens but can't play here."""


_MODULE = "torch.nn.modules.module.Module"


def _bases(given: Any) -> set[str]:
    """Return the names of all classes of an object, so that no library is imported to recognise it."""
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in type(given).__mro__}


def _observed(space: Space, name: str) -> tuple[NDArray[np.intp], bool]:
    """Return the columns that an observation space shows, int (k,), and whether an action mask is beside them."""
    inner, masked = space, False
    if isinstance(space, Dict) and set(space.spaces) == {"observation", "action_mask"}:
        inner, masked = space["observation"], True
    found = shown_columns(inner)
    if found is None:
        names = ", ".join(field.name for field in FIELDS + HISTORY)
        raise _WrongModel(
            f"{name} observes {str(space)[:60]}; the {NUM_FEATURES} features of diamant_env are needed, "
            f'or those of its observation=[…] or "history"; fields: {names}'
        )
    return found, masked


@contextmanager
def _inference(module: Any) -> Iterator[None]:
    """Evaluate a torch module without gradients, on one thread; its mode is put back."""
    import torch

    threads, training = torch.get_num_threads(), module.training
    torch.set_num_threads(1)
    module.train(False)
    try:
        with torch.no_grad():
            yield
    finally:
        module.train(training)
        torch.set_num_threads(threads)


def _run_module(module: Any, flat: NDArray[np.float32]) -> NDArray:
    import torch

    device = next(module.parameters(), torch.empty(0)).device
    with _inference(module):
        return module(torch.from_numpy(flat).to(device)).cpu().numpy()


def _run_onnx(session: Any, flat: NDArray[np.float32]) -> NDArray:
    return session.run(None, {session.get_inputs()[0].name: flat})[0]


def _load_zip(text: str, file: str, statistics: str) -> SB3Agent:
    """Open a model of stable-baselines3 by its policy, which does not depend on the algorithm's class."""
    from stable_baselines3.common.save_util import load_from_pkl, load_from_zip_file

    data, parameters, _ = load_from_zip_file(file, device="cpu")
    if data is None or "policy_class" not in data:
        raise _WrongModel(f"{file} is no model of stable-baselines3: it has no policy_class")
    settings = {key: value for key, value in data["policy_kwargs"].items() if key != "device"}
    policy = data["policy_class"](data["observation_space"], data["action_space"], lambda _: 0.0, **settings)
    policy.load_state_dict(parameters["policy"])
    if _normalized(data) and not statistics:
        raise _WrongModel(
            f"{file} was trained through VecNormalize: name its statistics too, {file}{_STATISTICS}FILE.pkl"
        )
    return SB3Agent(policy, text, load_from_pkl(statistics) if statistics else None)


def _normalized(data: dict[str, Any]) -> bool:
    """Whether a model was trained through VecNormalize: what it observed last lies outside its space."""
    last, space = data.get("_last_obs"), data["observation_space"]
    if isinstance(last, dict):
        last, space = last.get("observation"), space["observation"]
    return last is not None and bool(((last < space.low) | (last > space.high)).any())


def _load_script(text: str, file: str) -> SB3Agent | OutputAgent:
    import torch

    return model_agent(torch.jit.load(file, map_location="cpu"), text)


def _load_onnx(text: str, file: str) -> OutputAgent:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(file, options, providers=["CPUExecutionProvider"])
    ends = session.get_outputs()[0].name.lower()
    return OutputAgent(functools.partial(_run_onnx, session), text, "sigmoid" in ends or "softmax" in ends)
