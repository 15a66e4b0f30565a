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
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from train.learning.decisions import Samples
from train.ppo import Learner
from train.runs.run_folder import as_tensors

WEIGHT = 0.1
"""Of the log-ratio, in scaled rewards."""
REPLACEMENTS = 20
"""Times in a run that the anchor is replaced."""


class RegularisedNash(Learner):
    """Self-play by R-NaD; the first anchor is the policy at the start."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.replaced = 0
        self._anchor()

    def _anchor(self) -> None:
        policy = [*self.policy.mlp_extractor.policy_net, self.policy.action_net]
        self.anchor = deepcopy(torch.nn.Sequential(*policy))

    def cost(self, seen: NDArray[np.float32], actions: NDArray, log_probs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what each decision pays for its distance from the anchor."""
        with torch.no_grad():
            anchored = torch.log_softmax(self.anchor(torch.from_numpy(seen)), dim=1).numpy()
        return WEIGHT * (log_probs - anchored[np.arange(len(actions)), actions])

    def update(self, samples: Samples) -> None:
        """Take the gradient steps of one rollout, then replace the anchor if it is time."""
        super().update(samples)
        due = self.decisions * (REPLACEMENTS + 1) // self.config.decisions
        if len(samples.actions) and due > self.replaced:
            self.replaced = due
            self._anchor()

    def state(self) -> dict[str, Any]:
        """See `Learner.state`."""
        return {**super().state(), "anchor": self.anchor.state_dict(), "replaced": self.replaced}

    def restore(self, state: dict[str, Any]) -> None:
        """See `Learner.restore`."""
        super().restore(state)
        self.anchor.load_state_dict(as_tensors(state["anchor"]))
        self.replaced = state["replaced"]
