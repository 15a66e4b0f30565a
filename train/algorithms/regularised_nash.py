"""R-NaD, regularised Nash dynamics, in self-play: reward regularisation towards an anchor policy.

Perolat et al.: Mastering the game of Stratego with model-free multiagent reinforcement learning (Science 2022), after
Perolat et al.: From Poincaré recurrence to convergence in imperfect information games (ICML 2021). The reward of action
a is reduced by weight × log(π(a) / anchor(a)). The anchor is periodically replaced by the current policy; at a fixed
point of this iteration the penalty is 0.

Differences from the paper:

- A player is penalised for its own actions alone. The paper's two players also receive the other's penalty, which keeps
  the game zero-sum; these games have several players and are general-sum.
- PPO's entropy bonus is kept beside the penalty.
- Decisions are on-policy, so advantages need no v-trace.
- PPO's clipped updates replace NeuRD. The anchor changes at once instead of by interpolation.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from train.league import LeagueLearner
from train.ppo import Samples
from train.runs.run_folder import as_tensors


class RegularisedNash(LeagueLearner):
    """Self-play by R-NaD; the first anchor is the initial policy, `weight` applies to scaled rewards."""

    def __init__(self, *arguments: Any, weight: float, replacements: int) -> None:
        super().__init__(*arguments)
        self.weight, self.replacements, self.replaced = weight, replacements, 0
        self._anchor()

    def _anchor(self) -> None:
        policy = [*self.policy.mlp_extractor.policy_net, self.policy.action_net]
        self.anchor = deepcopy(torch.nn.Sequential(*policy))

    def cost(
        self, inputs: NDArray[np.float32], actions: NDArray, log_probs: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the penalty of each decision, float32 (decisions,)."""
        with torch.no_grad():
            anchor_log_probs = torch.log_softmax(self.anchor(torch.from_numpy(inputs)), dim=1).numpy()
        return self.weight * (log_probs - anchor_log_probs[np.arange(len(actions)), actions])

    def update(self, samples: Samples) -> None:
        super().update(samples)
        due = self.decisions * (self.replacements + 1) // self.config.decisions
        if len(samples.actions) and due > self.replaced:
            self.replaced = due
            self._anchor()

    def state(self) -> dict[str, Any]:
        return {**super().state(), "anchor": self.anchor.state_dict(), "replaced": self.replaced}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.anchor.load_state_dict(as_tensors(state["anchor"]))
        self.replaced = state["replaced"]
