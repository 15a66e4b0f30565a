"""Self-play PPO in JAX, rollout and update in one compiled scan: ``python -m train.jax_ppo --out FOLDER``.

In the manner of PureJaxRL (Lu et al.: Discovered policy optimisation, NeurIPS 2022), with two differences: turns in
camp, which hold no decision, never enter the loss; and some seats are taken by earlier versions of the policy, each with
a constant bias towards LEAVE or CONTINUE and blind to some fields, as in `train.learning.league`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tyro
from jax import Array
from safetensors.numpy import save
from tyro.conf import arg

from diamant_env.commands.command import run_command
from diamant_env.jax import Diamant, State
from diamant_env.jax.inputs import canonical
from diamant_env.observation import NUM_FEATURES, SLICES
from diamant_env.opponents.inputs import CANONICAL, INPUTS
from diamant_env.opponents.network import FORMAT, NetworkAgent, digest, layout
from diamant_env.storage.files import write_whole
from train.learning.league import BLIND_SPOTS

COMMAND = "python -m train.jax_ppo"
_WIDTH = INPUTS[CANONICAL].width


@dataclass(frozen=True)
class Config:
    """Train a policy by self-play PPO in JAX and save it as a file that every command of diamant takes."""

    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/jax")
    """Folder for policy.safetensors; it is made if it is not there."""
    seed: int = 0
    edition: str = "iello-2016"
    num_players: int = 4
    learners: int = 2
    """Seats of each game that learn; earlier versions of the policy take the others."""
    decisions: int = 12_000_000
    """Decisions of learning seats in the whole run."""
    games: int = 512
    turns: int = 96
    """Turns of every game in one rollout."""
    minibatch: int = 4096
    epochs: int = 4
    hidden: tuple[int, ...] = (64, 64)
    learning_rate: float = 3e-3
    final_learning_rate: float = 1e-4
    entropy: float = 0.005
    final_entropy: float = 0.001
    gae_lambda: float = 0.95
    clip: float = 0.2
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    versions: int = 8
    """Earlier versions that play at the same time, each in an equal part of the games."""
    version_every: int = 1_000_000
    """Decisions between two versions."""
    style: float = 6.0
    """Standard deviation of what is added to the logit of LEAVE of a seat that an earlier version takes."""
    blindness: float = 0.4
    """Chance of such a seat to be blind to a group of fields."""

    def __post_init__(self) -> None:
        Diamant(self.num_players, self.edition)
        for name, low, high in (
            ("learners", 1, self.num_players),
            ("decisions", 1, None),
            ("versions", 1, None),
            ("games", self.versions, None),
            ("minibatch", 1, self.games * self.turns * self.learners),
        ):
            value = getattr(self, name)
            if value < low or (high is not None and value > high):
                raise ValueError(f"{name}={value}; {low} to {high or 'any number'} is allowed")
        if self.games % self.versions:
            raise ValueError(f"games={self.games} can't be divided evenly among versions={self.versions}")


Layers = list[tuple[Array, Array]]
"""Weight (inputs, outputs) and bias (outputs,) of each layer."""


class Networks(NamedTuple):
    """Policy, which gives the logit of LEAVE, and value function."""

    policy: Layers
    value: Layers


class Runner(NamedTuple):
    """All that changes from rollout to rollout."""

    networks: Networks
    optimizer: Any
    versions: Layers  # each with a first axis of earlier versions
    versions_made: Array
    states: State
    decisions: Array
    key: Array


class Transition(NamedTuple):
    """A turn of all learning seats, (games, learners, …)."""

    inputs: Array
    decides: Array
    action: Array
    log_prob: Array
    value: Array
    reward: Array
    over: Array


def new_layers(key: Array, widths: Sequence[int], last: float) -> Layers:
    """Return orthogonal weights, of gain sqrt(2) and `last` in the last layer, and biases of 0."""
    gains = [2**0.5] * (len(widths) - 2) + [last]
    keys = jax.random.split(key, len(gains))
    init = [jax.nn.initializers.orthogonal(gain) for gain in gains]
    return [(init[i](keys[i], shape), jnp.zeros(shape[1])) for i, shape in enumerate(pairwise(widths))]


def forward(layers: Layers, inputs: Array) -> Array:
    """Return the one output (…,) of a perceptron for inputs (…, width)."""
    for weight, bias in layers[:-1]:
        inputs = jax.nn.relu(inputs @ weight + bias)
    weight, bias = layers[-1]
    return (inputs @ weight + bias)[..., 0]


def log_prob(logit: Array, action: Array) -> Array:
    """Return the log-probability of an action, 1 = LEAVE."""
    return jax.nn.log_sigmoid(jnp.where(action == 1, logit, -logit))


def advantages(turns: Transition, last_decides: Array, last_value: Array, gae_lambda: float) -> tuple[Array, Array]:
    """Return the advantage of each decision, float32 (turns, games, learners), and whether its outcome is known.

    Generalised advantage estimation (Schulman et al. 2016) from decision to decision, without discount: what a seat
    earns in camp belongs to its last decision. The last decision of a seat that waits in camp when the rollout ends has
    no outcome yet; those before it are bootstrapped with its value.
    """

    def back(after: tuple[Array, ...], turn: Transition) -> tuple[tuple[Array, ...], tuple[Array, Array]]:
        value, advantage, earned, known = after
        over = turn.over
        value, advantage = jnp.where(over, 0, value), jnp.where(over, 0, advantage)
        earned, known = jnp.where(over, 0, earned) + turn.reward, known | over
        own = jnp.where(known, earned + value - turn.value + gae_lambda * advantage, 0)
        decided = (turn.value, own, jnp.zeros_like(earned), jnp.ones_like(known))
        following = (value, advantage, earned, known)
        after = tuple(jnp.where(turn.decides, new, old) for new, old in zip(decided, following, strict=True))
        return after, (own, turn.decides & known)

    zeros = jnp.zeros_like(last_value)
    start = (jnp.where(last_decides, last_value, 0), zeros, zeros, last_decides)
    return jax.lax.scan(back, start, turns, reverse=True)[1]


def make_update(config: Config) -> Any:
    """Return the function that plays a rollout and learns from it: ``update(runner) -> runner``."""
    env = Diamant(config.num_players, config.edition, "win")
    learners, rivals = config.learners, config.num_players - config.learners
    optimizer = make_optimizer(config)
    observe = jax.vmap(env.observe)
    inputs_of = jax.vmap(jax.vmap(partial(canonical, num_players=config.num_players)))
    random = np.random.default_rng(config.seed)
    shift = random.normal(0, config.style, (config.versions, config.games // config.versions, rivals))
    sees = np.ones((config.games, rivals, NUM_FEATURES), np.float32)
    for fields in BLIND_SPOTS:
        blind = random.random((config.games, rivals)) < config.blindness
        for field in fields:
            sees[blind, SLICES[field]] = 0

    def rivals_logits(versions: Layers, observations: Array) -> Array:
        seen = inputs_of(observations * sees).reshape(*shift.shape, _WIDTH)
        return (jax.vmap(forward)(versions, seen) + shift).reshape(config.games, rivals)

    def play_turn(runner: Runner, key: Array) -> tuple[Runner, Transition]:
        observations = observe(runner.states)
        seen = inputs_of(observations[:, :learners])
        logits = forward(runner.networks.policy, seen)
        all_logits = jnp.concatenate([logits, rivals_logits(runner.versions, observations[:, learners:])], axis=1)
        actions = jax.random.bernoulli(key, jax.nn.sigmoid(all_logits)).astype(jnp.int32)
        turn = jax.vmap(env.step_auto_reset)(runner.states, actions)
        action = actions[:, :learners]
        kept = Transition(
            inputs=seen,
            decides=runner.states.inside[:, :learners],
            action=action,
            log_prob=log_prob(logits, action),
            value=forward(runner.networks.value, seen),
            reward=turn.rewards[:, :learners],
            over=jnp.broadcast_to(turn.ended.over[:, None], action.shape),
        )
        return runner._replace(states=turn.state), kept

    def loss(networks: Networks, batch: tuple[Transition, Array, Array], entropy_weight: Array) -> Array:
        turns, advantage, target = batch
        logit, value = forward(networks.policy, turns.inputs), forward(networks.value, turns.inputs)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        ratio = jnp.exp(log_prob(logit, turns.action) - turns.log_prob)
        clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
        gain = jnp.minimum(ratio * advantage, clipped * advantage).mean()
        leave = jax.nn.sigmoid(logit)
        entropy = -(leave * log_prob(logit, 1) + (1 - leave) * log_prob(logit, 0)).mean()
        return config.value_weight * ((value - target) ** 2).mean() - gain - entropy_weight * entropy

    def learn(runner: Runner, batch: tuple[Transition, Array, Array], known: Array, key: Array) -> Runner:
        """Take the gradient steps of one epoch: minibatches of known decisions alone, in random order."""
        order = jnp.argsort(jnp.where(known, jax.random.uniform(key, known.shape), 2))
        done = runner.decisions / config.decisions
        rate = lerp(config.learning_rate, config.final_learning_rate, done)
        entropy_weight = lerp(config.entropy, config.final_entropy, done)

        def step(number: Array, learned: tuple[Networks, Any]) -> tuple[Networks, Any]:
            networks, moments = learned
            chosen = jax.lax.dynamic_slice_in_dim(order, number * config.minibatch, config.minibatch)
            part = jax.tree.map(lambda rows: rows[chosen], batch)
            gradient = jax.grad(loss)(networks, part, entropy_weight)
            change, moments = optimizer.update(gradient, moments)
            return jax.tree.map(lambda old, new: old - rate * new, networks, change), moments

        steps = known.sum() // config.minibatch
        networks, moments = jax.lax.fori_loop(0, steps, step, (runner.networks, runner.optimizer))
        return runner._replace(networks=networks, optimizer=moments)

    def update(runner: Runner, _: None = None) -> tuple[Runner, None]:
        key, play_key, learn_key, version_key = jax.random.split(runner.key, 4)
        runner, turns = jax.lax.scan(play_turn, runner._replace(key=key), jax.random.split(play_key, config.turns))
        observations = observe(runner.states)[:, :learners]
        last_value = forward(runner.networks.value, inputs_of(observations))
        decides = runner.states.inside[:, :learners]
        advantage, known = advantages(turns, decides, last_value, config.gae_lambda)
        batch = (turns, advantage, advantage + turns.value)
        batch, known = jax.tree.map(lambda rows: rows.reshape(-1, *rows.shape[3:]), (batch, known))
        for epoch_key in jax.random.split(learn_key, config.epochs):
            runner = learn(runner, batch, known, epoch_key)
        runner = runner._replace(decisions=runner.decisions + turns.decides.sum())
        return add_version(runner, version_key), None

    def add_version(runner: Runner, key: Array) -> Runner:
        """Replace an earlier version, each in turn and then a random one; the first replaces all."""
        made = runner.versions_made
        due = runner.decisions >= made * config.version_every
        place = jnp.where(made < config.versions, made, jax.random.randint(key, (), 0, config.versions))
        replaced = due & ((jnp.arange(config.versions) == place) | (made == 0))

        def put(old: Array, new: Array) -> Array:
            return jnp.where(replaced.reshape(-1, *[1] * new.ndim), new, old)

        return runner._replace(
            versions=jax.tree.map(put, runner.versions, runner.networks.policy), versions_made=made + due
        )

    return update


def lerp(start: float, end: float, done: Array) -> Array:
    """Return the linear schedule's value after this part of the run."""
    return start + (end - start) * jnp.clip(done, 0, 1)


def make_optimizer(config: Config) -> optax.GradientTransformation:
    """Return Adam behind a clipped norm, without the learning rate."""
    return optax.chain(optax.clip_by_global_norm(config.max_grad_norm), optax.scale_by_adam(eps=1e-5))


def new_runner(config: Config) -> Runner:
    """Return the start of a run."""
    env = Diamant(config.num_players, config.edition)
    policy_key, value_key, games_key, key = jax.random.split(jax.random.key(config.seed), 4)
    widths = (_WIDTH, *config.hidden, 1)
    networks = Networks(new_layers(policy_key, widths, 0.01), new_layers(value_key, widths, 1.0))
    return Runner(
        networks=networks,
        optimizer=make_optimizer(config).init(networks),
        versions=jax.tree.map(lambda one: jnp.stack([one] * config.versions), networks.policy),
        versions_made=jnp.int32(0),
        states=jax.vmap(env.init)(jax.random.split(games_key, config.games)),
        decisions=jnp.int32(0),
        key=key,
    )


def agent_of(policy: Layers, name: str) -> NetworkAgent:
    """Return the policy as an agent; its logit of CONTINUE is 0."""
    layers = [(np.asarray(weight).T, np.asarray(bias)) for weight, bias in policy]
    weight, bias = layers[-1]
    layers[-1] = np.concatenate([0 * weight, weight]), np.concatenate([0 * bias, bias])
    return NetworkAgent(layers, "relu", name, inputs=CANONICAL)


def save_agent(path: Path, agent: NetworkAgent, config: Config, decisions: int) -> None:
    """Write a policy file, which `diamant_env.opponents.make` opens without JAX."""
    tensors = agent.tensors()
    metadata = {
        "format": FORMAT, "layout": layout(), "activation": agent.activation, "inputs": agent.inputs,
        "name": agent.name, "seed": config.seed, "decisions": decisions, "config": {**asdict(config), "out": ""},
        "sha256": digest(tensors),
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, save(tensors, {"diamant": json.dumps(metadata)}))


def train(config: Config) -> NetworkAgent:
    """Train, print the progress, save and return the policy."""
    update = make_update(config)
    rollouts = jax.jit(lambda runner: jax.lax.scan(update, runner, None, length=8)[0], donate_argnums=0)
    runner, start = new_runner(config), perf_counter()
    rollouts = rollouts.lower(runner).compile()
    print(f"compiled in {perf_counter() - start:.1f} s")
    start, decisions = perf_counter(), 0
    while decisions < config.decisions:
        runner = rollouts(runner)
        decisions = int(runner.decisions)
        print(f"{decisions:,} decisions, {decisions / (perf_counter() - start):,.0f} a second", flush=True)
    agent = agent_of(runner.networks.policy, "jax-ppo")
    path = config.out / "policy.safetensors"
    save_agent(path, agent, config, decisions)
    print(f"saved {path}; judge it with: diamant evaluate {path} --against pool held-out")
    return agent


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: train(tyro.cli(Config, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
