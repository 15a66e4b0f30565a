"""R-NaD, regularised Nash dynamics, in self-play: each decision pays for how far it is from an earlier policy.

Perolat et al.: Mastering the game of Stratego with model-free multiagent reinforcement learning (Science 2022), after
Perolat et al.: From Poincaré recurrence to convergence in imperfect information games (ICML 2021). A player that takes
action a earns weight × log(π(a) / anchor(a)) less than the game pays. Once in a while the anchor becomes the policy
itself: what learns then goes from one regularised game to the next, and where it stays, the anchor's pull is 0.

What differs from the paper:

- A player pays for its own decisions alone. The paper's two players also earn what the other pays, which keeps the sum
  at zero; these games are of several players and not zero-sum. What another pays at a decision does not depend on one's
  own action there, but on which decisions one's earlier actions let it meet.
- The decisions are those of the policy that learns, so advantages need no v-trace.
- PPO's clipped steps stand for NeuRD's: both go where the transformed game pays more. The anchor changes at once
  instead of over half of its life.
"""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from train.learning.rollout import DecisionBuffer
from train.learning.self_play import SelfPlayPPO
from train.runs.checkpoint import State

WEIGHT = 0.1
"""Of the log-ratio, in scaled rewards."""
REPLACEMENTS = 20
"""Times in a run that the anchor is replaced."""


class AnchoredBuffer(DecisionBuffer):
    """Takes from each decision's reward what it pays for its distance from the anchor."""

    anchor: torch.nn.Module

    def add_decisions(
        self,
        rows: NDArray,
        inputs: NDArray,
        actions: NDArray,
        values: NDArray,
        log_probs: NDArray,
        weights: ArrayLike = 1,
    ) -> None:
        """See `DecisionBuffer.add_decisions`."""
        super().add_decisions(rows, inputs, actions, values, log_probs, weights)
        with torch.no_grad():
            anchored = torch.log_softmax(self.anchor(torch.from_numpy(inputs)), dim=1).numpy()
        paid = WEIGHT * (log_probs - anchored[np.arange(len(rows)), actions])
        self.decisions["reward"][self.count - len(rows) : self.count] = -paid


class RegularisedNash(SelfPlayPPO):
    """Self-play by R-NaD; the first anchor is the policy at the start."""

    buffer_class = AnchoredBuffer
    rollout_buffer: AnchoredBuffer

    def _setup_model(self) -> None:
        super()._setup_model()
        self.replaced = 0
        self._anchor()

    def _anchor(self) -> None:
        policy = [*self.policy.mlp_extractor.policy_net, self.policy.action_net]
        self.rollout_buffer.anchor = deepcopy(torch.nn.Sequential(*policy))

    def update(self) -> None:
        """Take the gradient steps of one rollout, then replace the anchor if it is time."""
        super().update()
        due = self.num_timesteps * (REPLACEMENTS + 1) // self.config.decisions
        if due > self.replaced:
            self.replaced = due
            self._anchor()

    def training_state(self) -> State:
        """See `SelfPlayPPO.training_state`."""
        anchor = {name: tensor.numpy().copy() for name, tensor in self.rollout_buffer.anchor.state_dict().items()}
        return {**super().training_state(), "anchor": anchor, "replaced": self.replaced}

    def restore_training(self, state: State, observations: NDArray[np.float32]) -> None:
        """See `SelfPlayPPO.restore_training`."""
        super().restore_training(state, observations)
        anchor = {name: torch.tensor(array) for name, array in state["anchor"].items()}
        self.rollout_buffer.anchor.load_state_dict(anchor)
        self.replaced = state["replaced"]
