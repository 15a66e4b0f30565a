"""Agents from networks of any library that map features to logits or probabilities."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import answer_deciding
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.models.policies import inference
from diamant_env.opponents.network import logistic

RunNetwork: TypeAlias = "Callable[[NDArray[np.float32]], NDArray]"


class OutputAgent:
    """Agent from a network that maps the features of each row to one or two outputs.

    Two outputs are the logits of CONTINUE and LEAVE, or their probabilities if they sum to 1 in each of many random
    rows. One output is the logit of LEAVE, or its probability if the network ends with a sigmoid.

    Args:
        run: Function from float32 (rows, NUM_FEATURES) to (rows,), (rows, 1) or (rows, 2).
        name: Name of the agent.
        probabilities: Whether the network ends with a sigmoid or a softmax; ignored if an output leaves [0, 1].

    Raises:
        ValueError: If the output has another shape, or is one number in [0, 1] without a sigmoid.
    """

    memoryless = True

    def __init__(self, run: RunNetwork, name: str, probabilities: bool) -> None:
        self.run, self.name = run, name
        scales = np.geomspace(0.1, 30, 256)[:, None]  # at large ones logits leave [0, 1] and a softmax may overflow
        found = self._outputs(np.random.default_rng(0).normal(0, scales, (256, NUM_FEATURES)).astype(np.float32))
        finite = found[np.isfinite(found).all(axis=1)]
        within = bool(((finite >= 0) & (finite <= 1)).all())
        if found.shape[1] == 1 and not probabilities and within:
            reason = "returns either a probability or a logit"
            raise ValueError(f"{name} {reason}: end it with nn.Sigmoid, or return the logits of CONTINUE and LEAVE")
        sums_to_one = found.shape[1] == 2 and len(finite) > 0 and np.allclose(finite.sum(axis=1), 1)
        self.probabilities = within and (probabilities or sums_to_one)

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`."""
        return answer_deciding(obs, lambda rows: self._leave(self._outputs(obs.flat[rows])))

    def _leave(self, found: NDArray) -> NDArray:
        if self.probabilities:
            return found[:, -1]
        logit = found[:, 0] if found.shape[1] == 1 else found[:, 1] - found[:, 0]
        return logistic(logit)

    def _outputs(self, flat: NDArray[np.float32]) -> NDArray[np.float64]:
        try:
            found = np.asarray(self.run(flat), np.float64)
        except (RuntimeError, TypeError) as error:
            raise ValueError(f"{self} fails on an input of shape {flat.shape}: {str(error).splitlines()[0]}") from error
        if found.shape not in ((len(flat),), (len(flat), 1), (len(flat), 2)):
            raise ValueError(
                f"{self} returns shape {found.shape} for {len(flat)} rows; one or two numbers per row are needed"
            )
        return found.reshape(len(flat), -1)


def run_module(module: Any, flat: NDArray[np.float32]) -> NDArray:
    """Return the output of a torch module for float32 (rows, NUM_FEATURES)."""
    import torch

    device = next(module.parameters(), torch.empty(0)).device
    found: Any = None
    with inference(module), suppress(NotImplementedError):  # torch's error for a missing `forward`
        found = module(torch.from_numpy(flat).to(device))
    if not isinstance(found, torch.Tensor):
        fault = "it has no forward" if found is None else f"it returns a {type(found).__name__}"
        parts = ", ".join(f"agent.{name}" for name, _ in module.named_children()) or "none"
        raise TypeError(f"{fault}; give the part that returns the logits of CONTINUE and LEAVE; parts: {parts}")
    return found.cpu().numpy()
