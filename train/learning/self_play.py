"""PPO of stable-baselines3 on decisions: every learning seat, turns without a decision dropped."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.network import Layers, NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train.learning.exploration import Exploration
from train.learning.rollout import DecisionBuffer, play_turn
from train.runs.checkpoint import State
from train.runs.config import NetworkConfig, PPOConfig

ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


class SelfPlayPPO(PPO):
    """PPO whose rollouts hold decisions only, drawn with the games' own random numbers.

    Args:
        env: The learning seats.
        config: Hyperparameters; the run is `config.decisions` long.
        network: Shape of policy and value function.
        seed: Of the initial weights and of the minibatches.
    """

    buffer_class: type[DecisionBuffer] = DecisionBuffer
    env: DiamantVecEnv
    rollout_buffer: DecisionBuffer
    _last_obs: NDArray[np.float32]

    def __init__(self, env: DiamantVecEnv, config: PPOConfig, network: NetworkConfig, seed: int) -> None:
        self.config = config
        self.activation = network.activation
        self.inputs = INPUTS[network.inputs]
        super().__init__(
            "MlpPolicy",
            env,
            learning_rate=lambda left: _between(config.final_learning_rate, config.learning_rate, left),
            n_steps=config.turns,
            batch_size=max(2, config.turns * env.num_envs),
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip,
            ent_coef=config.entropy,
            vf_coef=config.value_weight,
            max_grad_norm=config.max_grad_norm,
            normalize_advantage=config.explore == 0,  # else the buffer does it, before it weighs
            rollout_buffer_class=self.buffer_class,
            policy_kwargs={
                "net_arch": {"pi": list(network.hidden), "vf": list(network.hidden)},
                "activation_fn": ACTIVATIONS[network.activation],
            },
            seed=seed,
            device="cpu",
        )
        self.batch_size = config.minibatch
        self.rollout_buffer.shuffle = np.random.default_rng(seed)
        self.exploration = None
        if config.explore:
            coins = np.random.SeedSequence(seed).spawn(1)[0]
            self.exploration = Exploration(env.games_of_rows, config.explore, config.explore_chance, coins)

    def _setup_model(self) -> None:
        self.observation_space = self.inputs.space
        super()._setup_model()

    def collect_rollouts(
        self, env: VecEnv, callback: BaseCallback, rollout_buffer: RolloutBuffer, n_rollout_steps: int
    ) -> bool:
        """Play `n_rollout_steps` turns of all games and fill the buffer with the learners' decisions."""
        assert isinstance(env, DiamantVecEnv)
        assert isinstance(rollout_buffer, DecisionBuffer)
        callback.on_rollout_start()
        self.policy.set_training_mode(False)
        # Not _current_progress_remaining, which a resumed run knows only after its first rollout.
        left = 1 - self.num_timesteps / self.config.decisions
        self.ent_coef = _between(self.config.final_entropy, self.config.entropy, left)
        rollout_buffer.start_rollout()
        observations = self._last_obs
        for _ in range(n_rollout_steps):
            observations, decisions = play_turn(
                env,
                rollout_buffer,
                observations,
                self.inputs,
                self.evaluate,
                self.config.reward_scale,
                self.exploration,
            )
            self.num_timesteps += decisions
            if not callback.on_step():
                return False
        deciding = observations[:, 0] > 0
        next_values = np.zeros(env.num_envs, np.float32)
        next_values[deciding] = self.evaluate(self.inputs(observations[deciding]))[1]
        rollout_buffer.finish_rollout(next_values, deciding)
        if self.exploration is not None:
            rollout_buffer.weigh()
        self._last_obs = observations
        callback.on_rollout_end()
        return True

    def train(self) -> None:
        """Update the policy, unless no decision is complete; ValueError if it has diverged."""
        if len(self.rollout_buffer.complete):
            try:
                self.update()
            finally:  # torch refuses NaN too, but does not say why it is there
                self._check_weights()

    def update(self) -> None:
        """Take the gradient steps of one rollout, by PPO's loss."""
        super().train()

    def _check_weights(self) -> None:
        """Refuse weights before a checkpoint, a snapshot or a policy is made of them."""
        try:
            self.network()
            if not all(bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()):
                raise ValueError("a weight of the value function that is not a finite number")
        except ValueError as error:
            raise ValueError(
                f"the training has diverged after {self.num_timesteps:,} decisions: {error}; what was saved before is "
                f"whole; take a lower ppo.learning_rate than {self.config.learning_rate:g}"
            ) from None

    def evaluate(self, seen: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return log-probabilities (rows, 2) and values (rows,), float32, for inputs (rows, width)."""
        with torch.no_grad():
            latent_policy, latent_value = self.policy.mlp_extractor(torch.from_numpy(seen))
            log_probs = torch.log_softmax(self.policy.action_net(latent_policy), dim=1)
            values = self.policy.value_net(latent_value).squeeze(1)
        return log_probs.numpy(), values.numpy()

    def policy_modules(self) -> list[torch.nn.Linear]:
        """Return the linear layers of the policy."""
        modules = [*self.policy.mlp_extractor.policy_net, self.policy.action_net]
        return [module for module in modules if isinstance(module, torch.nn.Linear)]

    def network(self, name: str = "learner") -> NetworkAgent:
        """Return a frozen copy of the policy."""
        return NetworkAgent(layers_of(self.policy_modules()), self.activation, name, inputs=self.inputs.name)

    def start_from(self, network: NetworkAgent) -> None:
        """Give the policy the weights of a network of its shape; the value function stays as it is."""
        with torch.no_grad():
            for module, (weight, bias) in zip(self.policy_modules(), network.layers, strict=True):
                module.weight.copy_(torch.from_numpy(weight.T.copy()))
                module.bias.copy_(torch.from_numpy(bias.copy()))

    def let_policy_learn(self, learns: bool) -> None:
        """Let the policy learn from now on, or freeze it while the value function learns alone."""
        for module in self.policy_modules():
            module.requires_grad_(learns)

    def training_state(self) -> State:
        """Return all that the run needs to go on as if it had not been interrupted, beside the games."""
        self.rollout_buffer.start_rollout()
        return {
            "policy": {name: tensor.numpy().copy() for name, tensor in self.policy.state_dict().items()},
            "optimizer": adam_state(self.policy.optimizer),
            "num_timesteps": int(self.num_timesteps),
            "n_updates": self._n_updates,
            "buffer": self.rollout_buffer.state(),
            "exploration": None if self.exploration is None else self.exploration.state(),
        }

    def restore_training(self, state: State, observations: NDArray[np.float32]) -> None:
        """Continue from a value of `training_state`; `observations` are what the rows see now."""
        self.policy.load_state_dict({name: torch.tensor(array) for name, array in state["policy"].items()})
        restore_adam(self.policy.optimizer, state["optimizer"])
        self.num_timesteps = state["num_timesteps"]
        self._n_updates = state["n_updates"]
        self.rollout_buffer.restore(state["buffer"])
        if self.exploration is not None:
            self.exploration.restore(state["exploration"])
        self._last_obs = observations


def layers_of(modules: Iterable[torch.nn.Module]) -> Layers:
    """Return a copy of weight and bias of each linear layer, as `NetworkAgent` wants them."""
    return [
        (module.weight.detach().cpu().numpy().copy(), module.bias.detach().cpu().numpy().copy())
        for module in modules
        if isinstance(module, torch.nn.Linear)
    ]


def adam_state(optimizer: torch.optim.Optimizer) -> State:
    """Return the moments of each parameter, zeros before its first step; the settings follow from the configuration."""

    def moments(parameter: torch.nn.Parameter) -> dict[str, torch.Tensor]:
        zeros = torch.zeros_like(parameter.data)
        return optimizer.state.get(parameter) or {"step": torch.zeros(()), "exp_avg": zeros, "exp_avg_sq": zeros}

    return {
        str(number): {name: tensor.numpy().copy() for name, tensor in moments(parameter).items()}
        for number, parameter in enumerate(_parameters(optimizer))
    }


def restore_adam(optimizer: torch.optim.Optimizer, state: State) -> None:
    """Continue from a value of `adam_state`."""
    for number, parameter in enumerate(_parameters(optimizer)):
        saved = state[str(number)]
        if saved["step"] > 0:
            optimizer.state[parameter] = {name: torch.tensor(array) for name, array in saved.items()}


def _parameters(optimizer: torch.optim.Optimizer) -> list[torch.nn.Parameter]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _between(end: float, start: float, left: float) -> float:
    """Return the linear schedule's value with this share of the run left; `end` once the budget is overshot."""
    return end + (start - end) * max(left, 0)
