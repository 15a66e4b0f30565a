"""Proximal policy optimisation (Schulman et al. 2017): ``python -m train.ppo --config configs/default.toml``.

`Learner` has rollouts, advantages, loss, update and schedules; policy class and optimiser are those of
stable-baselines3. `train.league` adds earlier versions as opponents and exploring starts; `train.runs.training_run`
is the loop with evaluation and checkpoints. ``--resume RUN_FOLDER`` continues a run with bit-identical results.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Discrete
from numpy.typing import ArrayLike, NDArray
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.utils import explained_variance
from torch.nn.functional import mse_loss

from diamant_env.commands.terminal import run_command
from diamant_env.compilation import jit
from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.state import GAME
from train.runs.config import NetworkConfig, PPOConfig
from train.runs.run_folder import as_tensors

COMMAND = "python -m train.ppo"
ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}
NO_OPEN_DECISION = -1
"""Marker of rows without an open decision in `DecisionBuffer.pending`."""


class Samples(NamedTuple):
    """Decisions with known outcome: arrays in chronological order, or tensors of a minibatch."""

    inputs: Any  # float32 (decisions, width), inputs of the networks
    actions: Any  # int64 (decisions,); the rest is float32 (decisions,)
    values: Any  # value estimates of the rollout
    log_probs: Any  # log-probabilities of the actions under the policy of the rollout
    advantages: Any
    returns: Any  # targets of the value function
    weights: Any  # importance-sampling weights, 1 for on-policy actions


class DecisionBuffer:
    """Decisions of all rows in chronological order; turns without a decision are not stored.

    Rewards until a row's next decision are credited to its last one. At the end of a rollout, a row that must decide
    bootstraps from the value of its observation. A row in camp cannot, since values are trained at decisions only: its
    last decision waits for the next rollout, and earlier ones bootstrap from its value.
    """

    def __init__(self, turns: int, rows: int, width: int) -> None:
        fields = [
            ("inputs", np.float32, (width,)),
            ("rows", np.int32),
            ("actions", np.int8),
            ("values", np.float32),
            ("log_probs", np.float32),
            ("rewards", np.float32),
            ("terminal", np.bool_),
            ("weights", np.float32),
        ]
        self.decisions = np.zeros((turns + 1) * rows, np.dtype(fields, align=True))  # the first `count` are used
        self.pending = np.full(rows, NO_OPEN_DECISION, np.int64)  # index of each row's open decision
        self.count = 0

    def start_rollout(self) -> None:
        """Move the open decisions to the front and discard all others."""
        rows = np.flatnonzero(self.pending != NO_OPEN_DECISION)
        self.count = len(rows)
        self.decisions[: self.count] = self.decisions[self.pending[rows]]
        self.pending[rows] = np.arange(self.count)

    def add_decisions(
        self,
        rows: NDArray,
        inputs: NDArray,
        actions: NDArray,
        values: NDArray,
        log_probs: NDArray,
        rewards: ArrayLike = 0,
    ) -> None:
        """Add one on-policy decision for each of these rows, all arguments (decisions, …)."""
        stop = self.count + len(rows)
        new = self.decisions[self.count : stop]
        new["inputs"], new["rows"], new["actions"] = inputs, rows, actions
        new["values"], new["log_probs"], new["rewards"] = values, log_probs, rewards
        new["terminal"], new["weights"] = False, 1
        self.pending[rows] = np.arange(self.count, stop)
        self.count = stop

    def add_outcomes(self, rewards: NDArray[np.float32], done: NDArray[np.bool_]) -> None:
        """Credit each row's reward, (rows,), to its open decision, which is terminal where `done`."""
        waiting = self.pending != NO_OPEN_DECISION
        self.decisions["rewards"][self.pending[waiting]] += rewards[waiting]
        self.decisions["terminal"][self.pending[waiting & done]] = True
        self.pending[done] = NO_OPEN_DECISION

    def finish_rollout(
        self, next_values: NDArray[np.float32], deciding: NDArray[np.bool_], gamma: float, gae_lambda: float
    ) -> Samples:
        """Return the decisions with known outcome and a positive importance weight.

        `next_values`, (rows,), are values of the current observations, read only where a row must decide (`deciding`).
        The advantages are those of Schulman et al. (High-dimensional continuous control using generalized advantage
        estimation, 2016), from one decision to the next. Off-policy actions have no value loss: their target is the old
        value.
        """
        self.pending[deciding] = NO_OPEN_DECISION
        decisions = self.decisions[: self.count]
        advantages, complete = decision_advantages(
            decisions["rows"],
            decisions["rewards"],
            decisions["values"],
            decisions["terminal"],
            self.pending,
            np.where(deciding, next_values, 0).astype(np.float32),
            gamma,
            gae_lambda,
        )
        chosen = np.flatnonzero(complete & (decisions["weights"] > 0))
        names = ("inputs", "actions", "values", "log_probs", "weights")
        inputs, actions, values, log_probs, weights = (decisions[name][chosen] for name in names)
        advantages = advantages[chosen]
        returns = np.where(weights == 1, values + advantages, values)
        return Samples(inputs, actions.astype(np.int64), values, log_probs, advantages, returns, weights)

    def state(self) -> dict[str, Any]:
        """Return the open decisions; requires a preceding `start_rollout`."""
        opened = {name: self.decisions[name][: self.count].copy() for name in self.decisions.dtype.names or ()}
        return {"open": opened, "pending": self.pending.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        opened, pending = state["open"], state["pending"]
        self.count, self.pending[:] = len(opened["rows"]), pending
        for name in self.decisions.dtype.names or ():
            self.decisions[name][: self.count] = opened[name]


@jit(cached=True)
def decision_advantages(
    rows: NDArray[np.int32],
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    terminal: NDArray[np.bool_],
    pending: NDArray[np.int64],
    next_values: NDArray[np.float32],
    gamma: float,
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the advantage of each decision, float32 (decisions,), and whether it is complete, bool (decisions,).

    Decisions are in chronological order; `pending` (rows,) has the index of each row's open decision, or
    `NO_OPEN_DECISION`.
    """
    advantages = np.zeros(len(rows), np.float32)
    complete = np.ones(len(rows), np.bool_)
    next_value = next_values.copy()
    next_advantage = np.zeros_like(next_values)
    for k in range(len(rows) - 1, -1, -1):
        row = rows[k]
        if pending[row] == k:
            complete[k] = False
        else:
            if terminal[k]:
                next_value[row] = 0
                next_advantage[row] = 0
            error = rewards[k] + gamma * next_value[row] - values[k]
            advantages[k] = error + gamma * gae_lambda * next_advantage[row]
        next_value[row] = values[k]
        next_advantage[row] = advantages[k]
    return advantages, complete


class Learner:
    """PPO on the decisions of an environment's learning seats.

    `seed` sets the initial weights, the games and the minibatches; the schedules end after `config.decisions`.
    """

    gamma, clip, value_weight, max_grad_norm = 1.0, 0.2, 0.5, 0.5

    def __init__(self, env: DiamantVecEnv, config: PPOConfig, network: NetworkConfig, seed: int) -> None:
        self.env, self.config, self.network_config = env, config, network
        self.inputs = INPUTS[network.inputs]
        torch.manual_seed(seed)
        self.policy = ActorCriticPolicy(
            self.inputs.space,
            Discrete(2),
            lambda _: config.learning_rate,
            net_arch={"pi": list(network.hidden), "vf": list(network.hidden)},
            activation_fn=ACTIVATIONS[network.activation],
        )
        self.buffer = DecisionBuffer(config.turns, env.num_envs, self.inputs.width)
        self.shuffle = np.random.default_rng(seed)
        env.seed(seed)
        self.observations = env.reset()  # float32 (rows, NUM_FEATURES) of the learning seats
        self.decisions, self.entropy_weight = 0, config.entropy
        self.log: dict[str, float] = {}  # means over the last update, by the names of stable-baselines3

    def learn(self) -> None:
        self.update(self.rollout())

    def scheduled(self, start: float, end: float) -> float:
        """Return the value of a linear schedule."""
        return end + (start - end) * (1 - min(self.decisions / self.config.decisions, 1))

    def evaluate(self, inputs: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return log-probabilities (rows, 2) and values (rows,), float32, for inputs (rows, width)."""
        with torch.no_grad():
            latent_policy, latent_value = self.policy.mlp_extractor(torch.from_numpy(inputs))
            log_probs = torch.log_softmax(self.policy.action_net(latent_policy), dim=1)
            return log_probs.numpy(), self.policy.value_net(latent_value).squeeze(1).numpy()

    def play_turn(self) -> NDArray[np.bool_]:
        """Sample decisions with the games' random numbers, play and store them; return whose game ended, (rows,)."""
        rows = np.flatnonzero(self.observations[:, 0])
        inputs = self.inputs(self.observations[rows])
        log_probs, values = self.evaluate(inputs)
        leave = np.zeros(self.env.num_envs, np.float32)
        leave[rows] = self.behaviour(rows, np.exp(log_probs[:, 1]))
        actions = self.env.draw_decisions(leave)
        chosen = actions[rows]
        action_log_probs = log_probs[np.arange(len(rows)), chosen]
        self.buffer.add_decisions(
            rows, inputs, chosen, values, action_log_probs, -self.cost(inputs, chosen, action_log_probs)
        )
        self.observations, rewards, done = self.env.play(actions)
        self.buffer.add_outcomes(rewards * np.float32(self.config.reward_scale), done)
        self.decisions += len(rows)
        return done

    def behaviour(self, rows: NDArray[np.int64], leave: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return P(LEAVE) of the behaviour policy at the deciding rows; `leave` is the policy's."""
        return leave

    def cost(self, inputs: NDArray[np.float32], actions: NDArray, log_probs: NDArray[np.float32]) -> Any:
        """Return a penalty on the reward of each decision, (decisions,) or a scalar; 0 in PPO."""
        return 0

    def rollout(self) -> Samples:
        """Play `turns` turns of all games, fewer at the end; return the decisions whose outcome is known."""
        config = self.config
        self.entropy_weight = self.scheduled(config.entropy, config.final_entropy)
        self.buffer.start_rollout()
        for _ in range(config.turns):
            self.play_turn()
            if self.decisions >= config.decisions:
                break
        deciding = self.observations[:, 0] > 0
        next_values = np.zeros(self.env.num_envs, np.float32)
        next_values[deciding] = self.evaluate(self.inputs(self.observations[deciding]))[1]
        return self.buffer.finish_rollout(next_values, deciding, self.gamma, config.gae_lambda)

    def loss(self, batch: Samples) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return PPO's loss (clipped surrogate, squared error of the value, entropy bonus) and the scalars to log."""
        values, log_probs, entropy = self.policy.evaluate_actions(batch.inputs, batch.actions)
        advantages = standardised(batch)
        log_ratio = log_probs - batch.log_probs
        ratio = torch.exp(log_ratio)
        clipped = advantages * torch.clamp(ratio, 1 - self.clip, 1 + self.clip)
        policy_loss = -torch.min(advantages * ratio, clipped).mean()
        value_loss = mse_loss(batch.returns, values.flatten())
        assert entropy is not None  # exact for two actions
        entropy_loss = -torch.mean(entropy)
        loss = policy_loss + self.entropy_weight * entropy_loss + self.value_weight * value_loss
        with torch.no_grad():
            approx_kl = (ratio - 1 - log_ratio).mean()  # http://joschu.net/blog/kl-approx.html
            clip_fraction = ((ratio - 1).abs() > self.clip).float().mean()
        losses = {"loss": loss, "policy_gradient_loss": policy_loss, "value_loss": value_loss}
        return loss, {**losses, "entropy_loss": entropy_loss, "approx_kl": approx_kl, "clip_fraction": clip_fraction}

    def update(self, samples: Samples) -> None:
        """Take the gradient steps of one rollout."""
        config, decisions = self.config, len(samples.actions)
        rate = self.scheduled(config.learning_rate, config.final_learning_rate)
        for group in self.policy.optimizer.param_groups:
            group["lr"] = rate
        tensors = [torch.from_numpy(part) for part in samples]
        logged = defaultdict(list)
        try:
            for _ in range(config.epochs if decisions else 0):
                order = torch.from_numpy(self.shuffle.permutation(decisions))
                for chosen in order.tensor_split(max(1, round(decisions / config.minibatch))):
                    loss, scalars = self.loss(Samples(*(part.index_select(0, chosen) for part in tensors)))
                    self.policy.optimizer.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                    self.policy.optimizer.step()
                    for name, value in scalars.items():
                        logged[name].append(value.item())
        finally:  # before torch's own, less specific error on NaN
            if not all(bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()):
                raise ValueError(
                    f"the training has diverged after {self.decisions:,} decisions: a weight is not a finite number; "
                    f"earlier checkpoints are valid; lower ppo.learning_rate = {config.learning_rate:g}"
                )
        self.log = {"learning_rate": rate, **{name: fmean(values) for name, values in logged.items()}}
        if decisions:
            self.log["explained_variance"] = float(explained_variance(samples.values, samples.returns))

    def policy_modules(self) -> list[torch.nn.Linear]:
        """Return the linear layers of the policy."""
        modules = [*self.policy.mlp_extractor.policy_net, self.policy.action_net]
        return [module for module in modules if isinstance(module, torch.nn.Linear)]

    def network(self, name: str = "learner") -> NetworkAgent:
        """Return a frozen copy of the policy."""
        return NetworkAgent(
            layers_of(self.policy_modules()), self.network_config.activation, name, inputs=self.inputs.name
        )

    def start_from(self, network: NetworkAgent) -> None:
        """Load the weights of a network of the same shape into the policy; the value function is unchanged."""
        with torch.no_grad():
            for module, (weight, bias) in zip(self.policy_modules(), network.weights(), strict=True):
                module.weight.copy_(torch.from_numpy(weight))
                module.bias.copy_(torch.from_numpy(bias))

    def train_policy(self, trainable: bool) -> None:
        """Enable or freeze training of the policy; the value function always learns."""
        for module in self.policy_modules():
            module.requires_grad_(trainable)

    def state(self) -> dict[str, Any]:
        """Return the state for a bit-identical continuation."""
        self.buffer.start_rollout()
        games = np.ascontiguousarray(self.env.batch.games)
        return {
            "policy": self.policy.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            "decisions": self.decisions,
            "games": games.view(np.uint8).reshape(len(games), -1),
            "layout": str(GAME.descr),
            "buffer": self.buffer.state(),
            "shuffle": self.shuffle.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        if state["layout"] != str(GAME.descr):
            raise ValueError("its games have the layout of another version")
        self.policy.load_state_dict(as_tensors(state["policy"]))
        self.policy.optimizer.load_state_dict(as_tensors(state["optimizer"]))
        self.decisions = state["decisions"]
        self.observations = self.env.restore(state["games"].view(GAME)[:, 0])
        self.buffer.restore(state["buffer"])
        self.shuffle.bit_generator.state = state["shuffle"]


def standardised(batch: Samples) -> torch.Tensor:
    """Return the advantages of a minibatch, standardised by those of on-policy actions, times importance weights."""
    advantages, on_policy = batch.advantages, batch.advantages[batch.weights == 1]
    if len(on_policy) > 1:
        advantages = (advantages - on_policy.mean()) / (on_policy.std() + 1e-8)
    return advantages * batch.weights


def main(argv: Sequence[str] | None = None) -> int:
    from train.runs.training_run import run_experiment  # imports this module

    return run_command(COMMAND, lambda: run_experiment(argv, COMMAND))


if __name__ == "__main__":
    sys.exit(main())
