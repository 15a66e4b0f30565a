"""Policies of stable-baselines3 and sb3-contrib, and torch modules, as agents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete, Space
from numpy.typing import NDArray

from diamant_env.agent import answer_deciding
from diamant_env.observation import FIELDS, NUM_FEATURES, Observations, shown_columns


class SB3Agent:
    """Agent from a policy of stable-baselines3 or sb3-contrib; `statistics` is the `VecNormalize` of its training.

    The observation space is one of this package (all fields or ``observation=[…]``), or a Dict of such an
    ``"observation"`` and an ``"action_mask"``. Value-based algorithms (DQN, QR-DQN) act greedily. A recurrent policy
    has one hidden state per row, updated at each decision and reset with each game, as in training on
    `diamant_env.sb3.GymnasiumVecEnv`.
    """

    def __init__(self, policy: Any, name: str, statistics: Any = None) -> None:
        if policy.action_space != Discrete(2):
            raise ValueError(f"{name} acts in {policy.action_space}; Discrete(2), CONTINUE and LEAVE, is needed")
        self.policy, self.name, self.statistics = policy, name, statistics
        self.columns, self.masked = _observed(policy.observation_space, name)
        self.stateless = not hasattr(policy, "lstm_actor")
        self._states: Any = None

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        with inference(self.policy):
            return answer_deciding(obs, lambda rows: self._leave(self._shown(obs.flat[rows]), rows, episode_start))

    def _shown(self, flat: NDArray[np.float32]) -> Any:
        """Return the policy's observations of rows that must decide."""
        shown: Any = flat[:, self.columns]
        if self.masked:
            shown = {"observation": shown, "action_mask": np.ones((len(flat), 2), np.int8)}
        return shown if self.statistics is None else self.statistics.normalize_obs(shown)

    def _leave(self, shown: Any, rows: NDArray[np.intp], first: NDArray[np.bool_]) -> NDArray[np.float32]:
        if not hasattr(self.policy, "get_distribution"):
            return self.policy.predict(shown, deterministic=True)[0]
        tensors = self.policy.obs_to_tensor(shown)[0]
        if self.stateless:
            distribution = self.policy.get_distribution(tensors)
        else:
            distribution = self._recurrent(tensors, rows, first)
        return distribution.distribution.probs[:, 1].cpu().numpy()

    def _recurrent(self, tensors: Any, rows: NDArray[np.intp], first: NDArray[np.bool_]) -> Any:
        """Return the distribution of a recurrent policy and update its hidden states."""
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


def _observed(space: Space, name: str) -> tuple[NDArray[np.intp], bool]:
    """Return the columns of an observation space, int (k,), and whether it has an action mask."""
    inner, masked = space, False
    if isinstance(space, Dict) and set(space.spaces) == {"observation", "action_mask"}:
        inner, masked = space["observation"], True
    observed = shown_columns(inner)
    if observed is None:
        names = ", ".join(field.name for field in FIELDS)
        raise ValueError(
            f"{name} observes {str(space)[:60]}; the {NUM_FEATURES} features of diamant_env are needed, "
            f"or those of its observation=[…]; fields: {names}"
        )
    return observed, masked


class ModuleAgent:
    """Agent from a torch module from float32 (rows, NUM_FEATURES) to the logits of CONTINUE and LEAVE, (rows, 2)."""

    stateless = True

    def __init__(self, module: Any, name: str) -> None:
        self.module, self.name = module, name

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        with inference(self.module):
            return answer_deciding(obs, lambda rows: self._leave(obs.flat[rows]))

    def _leave(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        import torch

        device = next(self.module.parameters(), torch.empty(0)).device
        logits = self.module(torch.from_numpy(flat).to(device))
        shape = getattr(logits, "shape", None)
        if shape != (len(flat), 2):
            output = f"a {type(logits).__name__}" if shape is None else f"shape {tuple(shape)}"
            raise ValueError(f"{self} returns {output}; logits of CONTINUE and LEAVE, {(len(flat), 2)}, are required")
        return logits.softmax(1)[:, 1].cpu().numpy()


@contextmanager
def inference(module: Any) -> Iterator[None]:
    """Evaluate a torch module without gradients on one thread; restore its training modes afterwards."""
    import torch

    threads, modes = torch.get_num_threads(), [(part, part.training) for part in module.modules()]
    torch.set_num_threads(1)
    module.train(False)
    try:
        with torch.no_grad():
            yield
    finally:
        for part, training in modes:
            part.training = training
        torch.set_num_threads(threads)
