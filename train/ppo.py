"""Self-play by proximal policy optimisation: ``python -m train.ppo --config configs/default.toml``.

One run from top to bottom: environment, rollouts, loss, schedules, evaluation, saving (Schulman et al. 2017). Policy
class and optimiser are those of stable-baselines3. ``--resume RUN_FOLDER`` continues an interrupted run with
bit-identical results. Variants override one method of `Learner`, see `train.algorithms`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import torch
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from stable_baselines3.common.logger import configure
from stable_baselines3.common.policies import ActorCriticPolicy
from torch.nn.functional import mse_loss

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.judging.games import seeds_for
from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.state import GAME
from diamant_env.storage.results import save_json
from train.learning.decisions import EXPLORED_LEAVE, DecisionBuffer, Exploration, Samples, weighted
from train.learning.league import League, tables_of
from train.learning.tables import train_tables
from train.runs.arguments import CONFIGS, ConfigFile, Settings, optional, parse_arguments
from train.runs.config import Config, NetworkConfig, PPOConfig
from train.runs.judging import check_run, curve_point, report_run, save_curve
from train.runs.progress import diverged, training_bar
from train.runs.run_folder import (
    CHECKPOINT,
    POLICY,
    TIME,
    Checkpoints,
    as_tensors,
    load_checkpoint,
    locked,
    new_run_folder,
    open_run_folder,
    read_json,
    save_checkpoint,
    save_policy,
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

    Attributes:
        decisions: Number of decisions so far.
        observations: float32 (rows, NUM_FEATURES), current observations of the learning seats.
        log: Scalars of the last update, by name.
    """

    def __init__(self, env: DiamantVecEnv, config: PPOConfig, network: NetworkConfig, seed: int) -> None:
        self.env, self.config, self.shape = env, config, network
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
        self.exploration = None
        if config.explore:
            exploration_seed = np.random.SeedSequence(seed).spawn(1)[0]
            self.exploration = Exploration(env.games_of_rows, config.explore, config.explore_chance, exploration_seed)
        env.seed(seed)
        self.observations = env.reset()
        self.decisions, self.entropy_weight = 0, config.entropy
        self.log: dict[str, Any] = {}

    def scheduled(self, start: float, end: float) -> float:
        """Interpolate linearly from `start` to `end` over the budget of decisions; clamped at `end`."""
        return end + (start - end) * max(1 - self.decisions / self.config.decisions, 0)

    def evaluate(self, seen: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return log-probabilities (rows, 2) and values (rows,), float32, for inputs (rows, width)."""
        with torch.no_grad():
            latent_policy, latent_value = self.policy.mlp_extractor(torch.from_numpy(seen))
            log_probs = torch.log_softmax(self.policy.action_net(latent_policy), dim=1)
            return log_probs.numpy(), self.policy.value_net(latent_value).squeeze(1).numpy()

    def play_turn(self) -> None:
        """Sample the decisions with the games' random numbers, play them, and store decisions and rewards."""
        rows, weights = np.flatnonzero(self.observations[:, 0]), np.ones(1, np.float32)
        seen = self.inputs(self.observations[rows])
        log_probs, values = self.evaluate(seen)
        leave = np.zeros(self.env.num_envs, np.float32)
        leave[rows] = np.exp(log_probs[:, 1])
        if self.exploration is not None:
            explored = self.exploration.sample(rows)
            leave[rows[explored]] = EXPLORED_LEAVE
        actions = self.env.draw_decisions(leave)
        chosen = actions[rows]
        taken = log_probs[np.arange(len(rows)), chosen]
        if self.exploration is not None:
            weights = self.exploration.weights(rows, explored, taken)
        self.buffer.add_decisions(rows, seen, chosen, values, taken, weights, -self.cost(seen, chosen, taken))
        self.observations, rewards, done = self.env.play(actions)
        self.buffer.add_outcomes(rewards * np.float32(self.config.reward_scale), done)
        if self.exploration is not None:
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
        samples, weights = self.buffer.finish_rollout(next_values, deciding, config.gamma, config.gae_lambda)
        return samples if self.exploration is None else weighted(samples, weights)

    def loss(self, batch: Samples) -> torch.Tensor:
        """Return PPO's loss: clipped surrogate, squared error of the value, entropy bonus."""
        config = self.config
        values, log_probs, entropy = self.policy.evaluate_actions(batch.inputs, batch.actions)
        advantages = self.standardised(batch.advantages)
        ratio = torch.exp(log_probs - batch.log_probs)
        clipped = advantages * torch.clamp(ratio, 1 - config.clip, 1 + config.clip)
        policy_loss = -torch.min(advantages * ratio, clipped).mean()
        value_loss = mse_loss(batch.returns, values.flatten())
        assert entropy is not None  # exact for two actions
        entropy_loss = -torch.mean(entropy)
        self.log = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": -entropy_loss}
        return policy_loss + self.entropy_weight * entropy_loss + config.value_weight * value_loss

    def standardised(self, advantages: torch.Tensor) -> torch.Tensor:
        """Normalise the advantages of a minibatch; with exploration, `weighted` has normalised those of the rollout."""
        if self.exploration is not None or len(advantages) < 2:
            return advantages
        return (advantages - advantages.mean()) / (advantages.std() + 1e-8)

    def update(self, samples: Samples) -> None:
        """Take the gradient steps of one rollout; raise a ValueError if training has diverged."""
        config, decisions = self.config, len(samples.actions)
        for group in self.policy.optimizer.param_groups:
            group["lr"] = self.scheduled(config.learning_rate, config.final_learning_rate)
        tensors = [torch.from_numpy(part) for part in samples]
        try:
            for _ in range(config.epochs if decisions else 0):
                order = torch.from_numpy(self.shuffle.permutation(decisions))
                for chosen in order.tensor_split(max(1, round(decisions / config.minibatch))):
                    loss = self.loss(Samples(*(part.index_select(0, chosen) for part in tensors)))
                    self.policy.optimizer.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(self.policy.parameters(), config.max_grad_norm)
                    self.policy.optimizer.step()
        finally:  # before torch's own, less specific error on NaN
            self._check_weights()

    def _check_weights(self) -> None:
        try:
            self.network()
            if not all(bool(torch.isfinite(weights).all()) for weights in self.policy.parameters()):
                raise ValueError("a weight of the value function that is not a finite number")
        except ValueError as error:
            raise diverged(self.config, self.decisions, error) from None

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
            "exploration": None if self.exploration is None else self.exploration.state(),
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
        if self.exploration is not None:
            self.exploration.restore(state["exploration"])


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
    env = make_env(ppo.games, players, editions, game.reward, league.agents, league.seating, game.blank)
    model = learner(env, ppo, config.network, int(seeds_for(config.seed, "learning").generate_state(1)[0]))
    run = TrainingRun(config, folder, league, model)
    run.begin()
    DiamantVecEnv(1, 2).play_once()  # compile before timing
    with training_bar(ppo, model.decisions, progress) as bar:
        while model.decisions < ppo.decisions:
            start = perf_counter()
            model.update(model.rollout())
            run.seconds += perf_counter() - start
            bar.update(model.decisions - bar.n)
            for name, value in model.log.items():
                run.logger.record(f"train/{name}", value.item())
            run.logger.dump(model.decisions)
            run.average_weights()
            if model.decisions < ppo.decisions:
                run.follow_up()
                if run.curve:
                    share, fair = run.curve[-1]["win_share"], 1 / config.judge.num_players
                    bar.set_postfix_str(f"wins {share:.3f} against {POOLS[0]}, fair {fair:.3f}", refresh=False)
    return run.finish()


class TrainingRun:
    """State of a run beside the learner's: opponents, averaged weights, learning curve, checkpoints and time."""

    def __init__(self, config: Config, folder: Path, league: League, learner: Learner) -> None:
        self.config, self.folder, self.league, self.learner = config, folder, league, learner
        self.checkpoints = Checkpoints(config, folder)
        self.logger = configure(str(folder / "tensorboard"), ["tensorboard"])
        self.curve: list[dict[str, float]] = []
        self.seconds = self.earlier = 0.0  # rollouts and updates of this process, and of those before it
        self.next_snapshot = self.averaged = 0
        self.average: list[NDArray[np.float64]] = []

    def begin(self) -> None:
        """Restore the folder's checkpoint, if any; the learning curve of a new run begins before training."""
        if saved := load_checkpoint(self.folder, self.config):
            self.restore(saved)
            if (self.folder / TIME).is_file():
                self.earlier = read_json(self.folder / TIME)["seconds"]
        if not self.curve:
            self.judge_if_due()

    def average_weights(self) -> None:
        """Average the policy's weights over the last part of the run."""
        ppo = self.config.ppo
        if self.learner.decisions < ppo.decisions * (1 - ppo.average):
            return
        weights = [array.astype(np.float64) for layer in layers_of(self.learner.policy_modules()) for array in layer]
        self.averaged += 1
        self.average = self.average or [np.zeros_like(array) for array in weights]
        for mean, array in zip(self.average, weights, strict=True):
            mean += (array - mean) / self.averaged

    def policy(self) -> NetworkAgent:
        """Return the policy of the run so far."""
        network = self.learner.network(self.config.name)
        if self.config.ppo.average == 0 or self.averaged == 0:
            return network
        weights = [mean.astype(np.float32) for mean in self.average]
        layers = list(zip(weights[::2], weights[1::2], strict=True))
        return NetworkAgent(layers, network.activation, network.name, inputs=network.inputs)

    def follow_up(self) -> None:
        """Take a snapshot, evaluate or save a checkpoint, as due between two rollouts."""
        done, config = self.learner.decisions, self.config
        if done >= self.next_snapshot:
            self.next_snapshot = done + config.opponents.snapshot_every
            self.league.add_snapshot(self.learner.network("snapshot"))
        self.judge_if_due()
        if self.checkpoints.saved < self.checkpoints.due(done):
            self.save()

    def judge_if_due(self) -> None:
        """Add a point to the learning curve when it is due, see `JudgeConfig.curve_points`."""
        points, part = self.config.judge.curve_points, self.learner.decisions / self.config.ppo.decisions
        if points and len(self.curve) <= points * min(part, 1) ** 0.5:
            self.judge()

    def judge(self) -> None:
        """Add a point to the learning curve and save it."""
        self.curve.append({"decisions": self.learner.decisions, **curve_point(self.policy(), self.config)})
        save_curve(self.curve, self.config, self.folder)
        self.logger.record("judge/win_share", self.curve[-1]["win_share"])
        self.logger.dump(self.learner.decisions)

    def times(self) -> dict[str, float]:
        """Return seconds and throughput so far, and the share of engine and opponents in the time of this process."""
        env, done, seconds = self.learner.env, self.learner.decisions, self.seconds + self.earlier
        speed = {"seconds": seconds, "decisions": done, "decisions_per_second": done / seconds}
        parts = {"engine_share": env.engine_seconds, "opponents_share": env.opponent_seconds}
        shares = {name: part / self.seconds for name, part in parts.items()}
        return {**speed, "threads": self.config.threads, **shares}

    def save(self) -> None:
        """Save the policy, the state of the run and its time."""
        if self.seconds:
            save_json(self.times(), self.folder / TIME)
        self.checkpoints.save(self.policy(), self.learner.decisions)
        own = ("next_snapshot", "averaged", "average", "curve")
        state = {name: getattr(self, name) for name in own} | {"kept": self.checkpoints.saved}
        state |= {"learner": self.learner.state(), "league": self.league.state()}
        save_checkpoint(self.folder, self.config, state)

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a checkpoint; raise a ValueError if it does not match the run."""
        try:
            self.learner.restore(state["learner"])
            self.league.restore(state["league"], self.config.network)
            for name in ("next_snapshot", "averaged", "average", "curve"):
                setattr(self, name, state[name])
            self.checkpoints.saved = state["kept"]
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise ValueError(f"{self.folder / CHECKPOINT} does not fit the run: {why}") from None

    def finish(self) -> NetworkAgent:
        """Save and return the policy."""
        done = self.learner.decisions
        if self.config.judge.curve_points and (not self.curve or self.curve[-1]["decisions"] < done):
            self.judge()
        save_policy(self.folder / POLICY, self.policy(), self.config, done)
        if self.seconds:
            found = self.times()
            say(
                f"{done:,} decisions in {found['seconds']:.0f} s: {found['decisions_per_second']:,.0f} a second with "
                f"threads = {self.config.threads}; engine and observation {found['engine_share']:.1%} of the time, "
                f"opponents' inference {found['opponents_share']:.1%}."
            )
        self.save()  # last: a run killed earlier repeats `finish`
        return self.policy()


@dataclass(frozen=True)
class Arguments:
    """Train a PPO agent by self-play and judge it against the scripted baselines."""

    settings: Settings[Config]
    config: ConfigFile = None
    """Configuration file, overridden by other options; by default configs/default.toml."""
    out: Path = Path("runs")
    """Parent of the run's folder."""
    resume: Annotated[Path | None, optional("FOLDER")] = None
    """Resume the run in this folder with its configuration."""
    judge: bool = True
    """Judge the agent at the end."""


def run_experiment(
    argv: Sequence[str] | None,
    command: str,
    kind: Any = Arguments,
    default: Path = CONFIGS / "default.toml",
    train: Callable[[Any, Path], NetworkAgent] = train,
    check: Callable[[Any], None] = check_run,
) -> None:
    """Parse the command line (`kind` of arguments, `default` configuration), check the settings, train and report."""
    arguments = parse_arguments(kind, argv, command, default)
    config = arguments.settings
    if folder := arguments.resume:
        config = open_run_folder(folder, type(config))
        if not any(folder.rglob(CHECKPOINT)):
            print(f"{folder} has no {CHECKPOINT} yet: the run restarts", file=sys.stderr)
    else:
        check(config)
        folder = new_run_folder(arguments.out, config)
    try:
        with locked(folder):
            network = train_tables(config, folder, train) if config.per_table else train(config, folder)
            if arguments.judge:
                report_run(network, config, folder)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"resume with --resume {folder}") from None
    say(f"The run is in {folder}, its policy in {folder / POLICY}.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: run_experiment(argv, COMMAND))


if __name__ == "__main__":
    sys.exit(main())
