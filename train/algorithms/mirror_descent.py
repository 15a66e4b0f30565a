"""Magnetic mirror descent in self-play: PPO with two divergence penalties instead of the clip.

Sokota et al.: A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum games
(ICLR 2023), in the form of their experiments with networks. With the advantage A, the policy p of the rollout and the
magnet m, a step minimises

    - mean(A π / p) + KL(π, p) / step_size + temperature KL(π, m).

The magnet is the uniform policy, so that its divergence is log 2 less the entropy. A constant
temperature would lead to a quantal response equilibrium. With two actions the probability of one determines
the policy, so both divergences are exact. Convergence is proved for tabular policies in two-player zero-sum games only.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import mse_loss

from train.league import LeagueLearner
from train.ppo import Samples, standardised

_LEAST = 1e-6  # minimum probability in a divergence, for the precision of 1 - p in float32


class MirrorDescent(LeagueLearner):
    """Magnetic mirror descent with standardised advantages; the entropy weight is the temperature."""

    def __init__(self, *arguments: Any, step_size: float) -> None:
        super().__init__(*arguments)
        self.step_size = step_size

    def loss(self, batch: Samples) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the loss, with the squared error of the value, and the scalars to log."""
        values, log_probs, entropy = self.policy.evaluate_actions(batch.inputs, batch.actions)
        assert entropy is not None  # exact for two actions
        gain = standardised(batch) * torch.exp(log_probs - batch.log_probs)
        drift = divergence(log_probs, batch.log_probs)
        policy_loss = (drift / self.step_size - gain - self.entropy_weight * entropy).mean()
        value_loss = mse_loss(values.flatten(), batch.returns)
        loss = policy_loss + self.value_weight * value_loss
        scalars = {"loss": loss, "policy_gradient_loss": policy_loss, "value_loss": value_loss}
        return loss, {**scalars, "entropy_loss": -entropy.mean(), "divergence": drift.mean()}


def divergence(log_probs: torch.Tensor, old_log_probs: torch.Tensor) -> torch.Tensor:
    """Return KL(new, old), (decisions,), of two actions from the log-probabilities of one, (decisions,)."""
    new, old = (part.exp().clamp(_LEAST, 1 - _LEAST) for part in (log_probs, old_log_probs))
    return new * torch.log(new / old) + (1 - new) * torch.log((1 - new) / (1 - old))
