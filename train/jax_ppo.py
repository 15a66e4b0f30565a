"""Self-play PPO in JAX, rollout and update in one compiled scan: ``python -m train.jax_ppo``.

After PureJaxRL (Lu et al.: Discovered policy optimisation, NeurIPS 2022), but without idle turns in the loss, and with
snapshot opponents as in `train.learning.league`. The settings are those of `train.ppo`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from diamant_env.commands.command import run_command
from diamant_env.jax import Diamant, State
from diamant_env.jax.inputs import canonical
from diamant_env.observation import NUM_FEATURES, columns
from diamant_env.opponents.inputs import CANONICAL, INPUTS
from diamant_env.opponents.models.export import with_two_logits
from diamant_env.opponents.network import NetworkAgent
from train.learning.league import BLIND_SPOTS
from train.runs.config import Config, PPOConfig, read_config
from train.runs.run_folder import POLICY, save_policy

COMMAND = "python -m train.jax_ppo"


class Table(NamedTuple):
    """Seating: the learner in the first seats (seats are symmetric), earlier versions in the others."""

    env: Diamant
    learners: int
    shift: np.ndarray  # float32 (versions, games of each, rivals), added to the logit of LEAVE
    sees: np.ndarray  # float32 (games, rivals, NUM_FEATURES), 0 for masked features

    @classmethod
    def of(cls, config: Config) -> Table:
        """Return the tables of a run; raise a ValueError for unsupported settings."""
        opponents, game = config.opponents, config.game
        refused = {
            "game.num_players": game.num_players[1:], "game.editions": game.editions, "game.blank": game.blank,
            "opponents.rules": opponents.rules, "ppo.explore": config.ppo.explore, "ppo.average": config.ppo.average,
            "network.activation": config.network.activation != "relu",
            "network.inputs": config.network.inputs != CANONICAL,
            "ppo.games": config.ppo.games < opponents.snapshot_places, "ppo.decisions": config.ppo.decisions > 2**30,
        }  # fmt: skip
        wrong = ", ".join(name for name, given in refused.items() if given)
        if wrong:
            raise ValueError(
                f"unsupported: {wrong}; train.jax_ppo takes one table size, one edition, relu on {CANONICAL}, learner "
                "and snapshots as opponents, at least one game per snapshot, and at most 2**30 decisions"
            )
        env = Diamant(game.num_players[0], game.played(), game.reward)
        learners = 1 + round(opponents.learner * (env.num_players - 1))
        rivals, random = env.num_players - learners, np.random.default_rng(config.seed)
        shape = (opponents.snapshot_places, config.ppo.games // opponents.snapshot_places, rivals)
        sees = np.ones((shape[0] * shape[1], rivals, NUM_FEATURES), np.float32)
        for fields in BLIND_SPOTS:
            sees[..., columns(*fields)] *= random.random((*sees.shape[:2], 1)) >= opponents.blindness
        return cls(env, learners, random.normal(0, opponents.style, shape).astype(np.float32), sees)


Layers = list[tuple[Array, Array]]  # weight (inputs, outputs) and bias (outputs,) of each layer


class Networks(NamedTuple):
    """Policy (logit of LEAVE) and value function."""

    policy: Layers
    value: Layers


class Runner(NamedTuple):
    """Training state that changes between rollouts."""

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


Batch = tuple[Transition, Array, Array]  # transitions, advantages, targets of the value function


def new_layers(key: Array, widths: Sequence[int], last: float) -> Layers:
    """Return orthogonal weights with gain sqrt(2), in the last layer `last`, and zero biases."""
    gains = [2**0.5] * (len(widths) - 2) + [last]
    keys = jax.random.split(key, len(gains))
    init = [jax.nn.initializers.orthogonal(gain) for gain in gains]
    return [(init[i](keys[i], shape), jnp.zeros(shape[1])) for i, shape in enumerate(pairwise(widths))]


def forward(layers: Layers, inputs: Array) -> Array:
    """Return the output (…,) of a perceptron for inputs (…, width)."""
    for weight, bias in layers[:-1]:
        inputs = jax.nn.relu(inputs @ weight + bias)
    weight, bias = layers[-1]
    return (inputs @ weight + bias)[..., 0]


def log_prob(logit: Array, action: Array | int) -> Array:
    """Return the log-probability of an action, 1 = LEAVE."""
    return jax.nn.log_sigmoid(jnp.where(action == 1, logit, -logit))


def advantages(turns: Transition, last_decides: Array, last_value: Array, ppo: PPOConfig) -> tuple[Array, Array]:
    """Return the advantage of each decision, float32 (turns, games, learners), and whether its outcome is known.

    Generalised advantage estimation (Schulman et al. 2016) between decisions; rewards in camp are credited to the last
    decision. If a rollout ends in camp, that decision has no known outcome, and earlier ones are bootstrapped with its
    value.
    """

    def back(after: Any, turn: Transition) -> tuple[Any, tuple[Array, Array]]:
        value, advantage, earned, known = after
        value, advantage, earned = (jnp.where(turn.over, 0, each) for each in (value, advantage, earned))
        earned, known = earned + turn.reward, known | turn.over
        own = jnp.where(known, earned + ppo.gamma * (value + ppo.gae_lambda * advantage) - turn.value, 0)
        decided = (turn.value, own, jnp.zeros_like(earned), jnp.ones_like(known))
        idle = (value, advantage, earned, known)
        after = tuple(jnp.where(turn.decides, new, old) for new, old in zip(decided, idle, strict=True))
        return after, (own, turn.decides & known)

    zeros = jnp.zeros_like(last_value)
    start = (jnp.where(last_decides, last_value, 0), zeros, zeros, last_decides)
    return jax.lax.scan(back, start, turns, reverse=True)[1]


def inputs_of(observations: Array, num_players: int) -> Array:
    """Return the networks' inputs, float32 (games, seats, width), for observations (games, seats, NUM_FEATURES)."""
    return jax.vmap(jax.vmap(partial(canonical, num_players=num_players)))(observations)


def play_turn(table: Table, runner: Runner, key: Array) -> tuple[Runner, Transition]:
    """Play a turn of all games."""
    env, learners, shift, sees = table
    observations = jax.vmap(env.observe)(runner.states)
    seen = inputs_of(observations[:, :learners], env.num_players)
    seen_by_rivals = inputs_of(observations[:, learners:] * sees, env.num_players)
    logits = forward(runner.networks.policy, seen)
    by_version = seen_by_rivals.reshape(*shift.shape, seen_by_rivals.shape[-1])  # -1 fails without rivals
    of_versions = jax.vmap(forward)(runner.versions, by_version) + shift
    leave = jax.nn.sigmoid(jnp.concatenate([logits, of_versions.reshape(sees.shape[:2])], axis=1))
    actions = jax.random.bernoulli(key, leave).astype(jnp.int32)
    turn = jax.vmap(env.step_auto_reset)(runner.states, actions)
    decides, action, reward = (each[:, :learners] for each in (runner.states.inside, actions, turn.rewards))
    value, over = forward(runner.networks.value, seen), jnp.broadcast_to(turn.ended.over[:, None], action.shape)
    kept = Transition(seen, decides, action, log_prob(logits, action), value, reward, over)
    return runner._replace(states=turn.state), kept


def loss(networks: Networks, batch: Batch, entropy_weight: Array, config: Config) -> Array:
    """Return PPO's loss of a minibatch (Schulman et al. 2017)."""
    turns, advantage, target = batch
    logit, value = forward(networks.policy, turns.inputs), forward(networks.value, turns.inputs)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    ratio = jnp.exp(log_prob(logit, turns.action) - turns.log_prob)
    clipped = jnp.clip(ratio, 1 - config.ppo.clip, 1 + config.ppo.clip)
    gain = jnp.minimum(ratio * advantage, clipped * advantage).mean()
    leave = jax.nn.sigmoid(logit)
    entropy = -(leave * log_prob(logit, 1) + (1 - leave) * log_prob(logit, 0)).mean()
    return config.ppo.value_weight * ((value - target) ** 2).mean() - gain - entropy_weight * entropy


def learn(config: Config, batch: Batch, known: Array, runner: Runner, key: Array) -> tuple[Runner, None]:
    """Take the gradient steps of one epoch on shuffled minibatches of decisions with known outcome."""
    order = jnp.argsort(jnp.where(known, jax.random.uniform(key, known.shape), 2))
    ppo, done = config.ppo, jnp.minimum(runner.decisions / config.ppo.decisions, 1)
    rate = ppo.learning_rate + (ppo.final_learning_rate - ppo.learning_rate) * done
    entropy_weight = ppo.entropy + (ppo.final_entropy - ppo.entropy) * done

    def step(number: Array, learned: tuple[Networks, Any]) -> tuple[Networks, Any]:
        networks, moments = learned
        chosen = jax.lax.dynamic_slice_in_dim(order, number * config.ppo.minibatch, config.ppo.minibatch)
        gradient = jax.grad(loss)(networks, jax.tree.map(lambda rows: rows[chosen], batch), entropy_weight, config)
        change, moments = make_optimizer(config).update(gradient, moments)
        return jax.tree.map(lambda old, new: old - rate * new, networks, change), moments

    steps = known.sum() // config.ppo.minibatch
    networks, moments = jax.lax.fori_loop(0, steps, step, (runner.networks, runner.optimizer))
    return runner._replace(networks=networks, optimizer=moments), None


def add_version(runner: Runner, key: Array, every: int) -> Runner:
    """Replace a snapshot if due: the first fills all places, later ones round robin, then at random."""
    made, versions = runner.versions_made, runner.versions
    places = len(versions[0][0])
    due = runner.decisions >= made * every
    place = jnp.where(made < places, made, jax.random.randint(key, (), 0, places))
    replaced = due & ((jnp.arange(places) == place) | (made == 0))

    def put(old: Array, new: Array) -> Array:
        return jnp.where(replaced.reshape(-1, *[1] * new.ndim), new, old)

    return runner._replace(versions=jax.tree.map(put, versions, runner.networks.policy), versions_made=made + due)


def update(config: Config, table: Table, runner: Runner, _: None = None) -> tuple[Runner, None]:
    """Play a rollout and update the networks."""
    env, learners = table[:2]
    key, play_key, learn_key, version_key = jax.random.split(runner.key, 4)
    turn_keys = jax.random.split(play_key, config.ppo.turns)
    runner, turns = jax.lax.scan(partial(play_turn, table), runner._replace(key=key), turn_keys)
    turns = turns._replace(reward=turns.reward * config.ppo.reward_scale)
    observations = jax.vmap(env.observe)(runner.states)[:, :learners]
    last_value = forward(runner.networks.value, inputs_of(observations, env.num_players))
    advantage, known = advantages(turns, runner.states.inside[:, :learners], last_value, config.ppo)
    batch = (turns, advantage, advantage + turns.value)
    batch, known = jax.tree.map(lambda rows: rows.reshape(-1, *rows.shape[3:]), (batch, known))
    epoch = partial(learn, config, batch, known)
    runner, _ = jax.lax.scan(epoch, runner, jax.random.split(learn_key, config.ppo.epochs))
    runner = runner._replace(decisions=runner.decisions + turns.decides.sum())
    return add_version(runner, version_key, config.opponents.snapshot_every), None


def make_optimizer(config: Config) -> optax.GradientTransformation:
    """Return Adam with gradient clipping, before scaling by the learning rate."""
    return optax.chain(optax.clip_by_global_norm(config.ppo.max_grad_norm), optax.scale_by_adam(eps=1e-5))


def new_runner(config: Config, table: Table) -> Runner:
    """Return the initial training state."""
    *keys, games_key, key = jax.random.split(jax.random.key(config.seed), 4)
    widths = (INPUTS[CANONICAL].width, *config.network.hidden, 1)
    networks = Networks(*(new_layers(one, widths, gain) for one, gain in zip(keys, (0.01, 1.0), strict=True)))
    return Runner(
        networks=networks,
        optimizer=make_optimizer(config).init(networks),
        versions=jax.tree.map(lambda one: jnp.stack([one] * len(table.shift)), networks.policy),
        versions_made=jnp.int32(0),
        states=jax.vmap(table.env.init)(jax.random.split(games_key, len(table.sees))),
        decisions=jnp.int32(0),
        key=key,
    )


def train(config: Config, folder: Path) -> NetworkAgent:
    """Train with printed progress; save and return the policy, which needs no JAX."""
    table = Table.of(config)
    runner, start = jax.jit(partial(new_runner, config, table))(), perf_counter()
    several = partial(jax.lax.scan, partial(update, config, table), xs=None, length=8)
    rollouts = jax.jit(lambda runner: several(runner)[0], donate_argnums=0).lower(runner).compile()
    print(f"compiled in {perf_counter() - start:.1f} s")
    start, decisions = perf_counter(), 0
    while decisions < config.ppo.decisions:
        runner = rollouts(runner)
        decisions = int(runner.decisions)
        print(f"{decisions:,} decisions, {decisions / (perf_counter() - start):,.0f} a second", flush=True)
    layers = [(np.asarray(weight).T, np.asarray(bias)) for weight, bias in runner.networks.policy]
    agent = NetworkAgent(with_two_logits(layers), "relu", config.name, inputs=CANONICAL)
    save_policy(folder / POLICY, agent, config, decisions)
    print(f"saved; judge it with: diamant evaluate {folder / POLICY} --against pool held-out")
    return agent


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Train a policy by self-play PPO in JAX.")
    parser.add_argument("--config", default="configs/default.toml", help="settings of train.ppo (%(default)s)")
    parser.add_argument("--players", type=int, default=4, help="table size; JAX compiles for one (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("runs/jax"), help="folder for the policy (%(default)s)")
    parser.add_argument("--seed", type=int, help="overrides the configuration's")
    given = parser.parse_args(argv)

    def run() -> None:
        settings: dict[str, Any] = read_config(given.config).model_dump()
        settings["game"]["num_players"] = (given.players,)
        settings["seed"] = settings["seed"] if given.seed is None else given.seed
        train(Config.model_validate(settings), given.out)

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
