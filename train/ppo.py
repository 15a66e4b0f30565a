"""Self-play by proximal policy optimisation: ``python -m train.ppo --config configs/default.toml``.

One run from top to bottom: environment, rollouts, loss, schedules, evaluation, saving (Schulman et al. 2017). Policy
class and optimiser are those of stable-baselines3. ``--resume RUN_FOLDER`` continues an interrupted run with
bit-identical results. Variants override one method of `Learner`, see `train.algorithms`.
"""

from __future__ import annotations

import shlex
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import numpy as np
import torch
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.utils import explained_variance
from torch.nn.functional import mse_loss

from diamant_env.commands.terminal import run_command, say
from diamant_env.judging.games import seeds_for
from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.state import GAME
from train.learning.decisions import EXPLORED_LEAVE, DecisionBuffer, Exploration, Samples
from train.learning.league import League, tables_of
from train.learning.training_run import TrainingRun
from train.runs.arguments import CONFIGS, ConfigFile, Settings, optional, parse_arguments
from train.runs.config import Config, NetworkConfig, PPOConfig
from train.runs.judging import check_settings, report_run
from train.runs.run_folder import (
    CHECKPOINT,
    POLICY,
    as_tensors,
    finished_policy,
    locked,
    new_run_folder,
    open_run_folder,
)

COMMAND = "python -m train.ppo"
ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


class Learner:
    """PPO on the decisions of an environment's learning seats.

    Args:
        env: Environment of the learning seats; it is seeded and reset.
        config: Hyperparameters; the schedules end after `config.decisions`.
        network: Shape of policy and value function.
        seed: Seed of the initial weights, the games and the minibatches.
        league: Opponents that receive snapshots of the policy, or None.

    Attributes:
        decisions: Number of decisions so far.
        observations: float32 (rows, NUM_FEATURES), current observations of the learning seats.
        log: Means over the last update by the names of stable-baselines3.
        gamma: Discount from one decision to the next.
        clip: Bound on the change of a probability ratio, in the loss.
        value_weight: Weight of the value loss.
        max_grad_norm: Bound on the norm of the gradient.
    """

    gamma, clip, value_weight, max_grad_norm = 1.0, 0.2, 0.5, 0.5

    def __init__(
        self, env: DiamantVecEnv, config: PPOConfig, network: NetworkConfig, seed: int, league: League | None = None
    ) -> None:
        self.env, self.config, self.shape, self.league = env, config, network, league
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
        exploration_seed = np.random.SeedSequence(seed).spawn(1)[0]
        self.exploration = Exploration(env.games_of_rows, config.explore, config.explore_chance, exploration_seed)
        env.seed(seed)
        self.observations = env.reset()
        self.decisions, self.entropy_weight = 0, config.entropy
        self.log: dict[str, float] = {}

    def learn(self) -> None:
        """Play a rollout, learn from it, and take a snapshot if due."""
        self.update(self.rollout())
        if self.league is not None and self.decisions >= self.league.next_snapshot:
            self.league.add_snapshot(self.network("snapshot"), self.decisions)

    def scheduled(self, start: float, end: float) -> float:
        """Return the value of a linear schedule."""
        return end + (start - end) * (1 - min(self.decisions / self.config.decisions, 1))

    def evaluate(self, seen: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return log-probabilities (rows, 2) and values (rows,), float32, for inputs (rows, width)."""
        with torch.no_grad():
            latent_policy, latent_value = self.policy.mlp_extractor(torch.from_numpy(seen))
            log_probs = torch.log_softmax(self.policy.action_net(latent_policy), dim=1)
            return log_probs.numpy(), self.policy.value_net(latent_value).squeeze(1).numpy()

    def play_turn(self) -> None:
        """Sample the decisions with the games' random numbers, play them, and store decisions and rewards."""
        rows = np.flatnonzero(self.observations[:, 0])
        seen = self.inputs(self.observations[rows])
        log_probs, values = self.evaluate(seen)
        explored, excluded = self.exploration.draw(rows)
        leave = np.zeros(self.env.num_envs, np.float32)
        leave[rows] = np.where(explored, EXPLORED_LEAVE, np.exp(log_probs[:, 1]))
        actions = self.env.draw_decisions(leave)
        chosen = actions[rows]
        taken = log_probs[np.arange(len(rows)), chosen]
        self.buffer.add_decisions(
            rows, seen, chosen, values, taken, -self.cost(seen, chosen, taken), explored, excluded
        )
        self.observations, rewards, done = self.env.play(actions)
        self.buffer.add_outcomes(rewards * np.float32(self.config.reward_scale), done)
        self.exploration.end_games(done)
        self.decisions += len(rows)

    def cost(self, seen: NDArray[np.float32], actions: NDArray, log_probs: NDArray[np.float32]) -> Any:
        """Return a penalty on the reward of each decision, (decisions,) or a scalar; 0 in PPO."""
        return 0

    def rollout(self) -> Samples:
        """Play `turns` turns of all games; return the decisions whose outcome is known."""
        config = self.config
        self.entropy_weight = self.scheduled(config.entropy, config.final_entropy)
        self.buffer.start_rollout()
        for _ in range(config.turns):
            self.play_turn()
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
        """Take the gradient steps of one rollout; raise a ValueError if training has diverged."""
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
            self._check_weights()
        self.log = {"learning_rate": rate, **{name: fmean(values) for name, values in logged.items()}}
        if decisions:
            self.log["explained_variance"] = float(explained_variance(samples.values, samples.returns))

    def _check_weights(self) -> None:
        if not all(bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()):
            raise ValueError(
                f"the training has diverged after {self.decisions:,} decisions: a weight is not a finite number; "
                f"earlier checkpoints are valid; lower ppo.learning_rate = {self.config.learning_rate:g}"
            )

    def policy_modules(self) -> list[torch.nn.Linear]:
        """Return the linear layers of the policy."""
        modules = [*self.policy.mlp_extractor.policy_net, self.policy.action_net]
        return [module for module in modules if isinstance(module, torch.nn.Linear)]

    def network(self, name: str = "learner") -> NetworkAgent:
        """Return a frozen copy of the policy."""
        return NetworkAgent(layers_of(self.policy_modules()), self.shape.activation, name, inputs=self.inputs.name)

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
            "exploration": self.exploration.state(),
            "league": None if self.league is None else self.league.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a value of `state`."""
        if state["layout"] != str(GAME.descr):
            raise ValueError("its games have the layout of another version")
        self.policy.load_state_dict(as_tensors(state["policy"]))
        self.policy.optimizer.load_state_dict(as_tensors(state["optimizer"]))
        self.decisions = state["decisions"]
        self.observations = self.env.restore(state["games"].view(GAME)[:, 0])
        self.buffer.restore(state["buffer"])
        self.shuffle.bit_generator.state = state["shuffle"]
        self.exploration.restore(state["exploration"])
        if self.league is not None:
            self.league.restore(state["league"], self.shape)


def standardised(batch: Samples) -> torch.Tensor:
    """Return the standardised advantages of a minibatch times importance weights.

    Mean and standard deviation are those of on-policy decisions.
    """
    advantages, decided = batch.advantages, batch.advantages[~batch.explored]
    if len(decided) > 1:
        advantages = (advantages - decided.mean()) / (decided.std() + 1e-8)
    return advantages * torch.where(batch.explored, torch.exp(batch.log_probs) / float(EXPLORED_LEAVE), 1)


def train(
    config: Config,
    folder: Path,
    learner: Callable[..., Learner] = Learner,
    make_env: Callable[..., DiamantVecEnv] = DiamantVecEnv,
    progress: bool = True,
) -> NetworkAgent:
    """Train from scratch or from the folder's checkpoint; return the policy, which is also saved in the folder.

    Args:
        config: Configuration of the run.
        folder: Folder of the run.
        learner: Factory with the arguments of `Learner`.
        make_env: Factory with the arguments of `DiamantVecEnv`.
        progress: Show a progress bar.
    """
    torch.set_num_threads(config.threads)
    game, ppo = config.game, config.ppo
    players, editions = tables_of(config)
    league = League(config.opponents, players, seeds_for(config.seed, "league"))
    env = make_env(ppo.games, players, editions, game.reward, league.snapshots, league.seating, game.blank)
    seed = int(seeds_for(config.seed, "learning").generate_state(1)[0])
    run = TrainingRun(config, folder, learner(env, ppo, config.network, seed, league))
    small = DiamantVecEnv(1, 2)  # compile before timing
    small.reset()
    small.play(np.zeros(2, np.int8))
    return run.train(progress)


@dataclass(frozen=True)
class Arguments:
    """Train a PPO agent by self-play and judge it against the scripted baselines."""

    settings: Settings[Config]
    config: ConfigFile = None
    """Configuration file, overridden by other options; by default configs/default.toml, for train.cluster
    configs/cluster.toml."""
    out: Path = Path("runs")
    """Parent of the run's folder."""
    resume: Annotated[Path | None, optional("FOLDER")] = None
    """Resume the run in this folder with its configuration."""
    judge: bool = True
    """Judge the agent at the end."""


def run_experiment(
    argv: Sequence[str] | None,
    command: str,
    default: Path = CONFIGS / "default.toml",
    train: Callable[[Any, Path], NetworkAgent] = train,
    check: Callable[[Config], None] = check_settings,
) -> None:
    """Parse the command line (`default` configuration), check the settings, train and report."""
    arguments = parse_arguments(Arguments, argv, command, default)
    config = open_run_folder(arguments.resume) if arguments.resume else arguments.settings
    check(config)
    folder = arguments.resume or new_run_folder(arguments.out, config)
    try:
        with locked(folder):
            done = finished_policy(folder, config)
            if arguments.resume and not done and not (folder / CHECKPOINT).is_file():
                print(f"{folder} has no {CHECKPOINT} yet: the run restarts", file=sys.stderr)
            network = done or train(config, folder)
            if arguments.judge:
                report_run(network, config, folder)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"resume with --resume {shlex.quote(str(folder))}") from None
    say(f"The run is in {folder}, its policy in {folder / POLICY}.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: run_experiment(argv, COMMAND))


if __name__ == "__main__":
    sys.exit(main())
