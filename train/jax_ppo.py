"""Self-play PPO in JAX, rollout and update in one compiled function: ``python -m train.jax_ppo``.

After PureJaxRL (Lu et al.: Discovered policy optimisation, NeurIPS 2022), but without idle turns in the loss, and with
snapshot opponents as in `train.learning.league`. Settings, options and run folder are those of `train.ppo`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from diamant_env.commands.command import run_command
from diamant_env.jax import Diamant, State, Turn
from diamant_env.jax.inputs import canonical
from diamant_env.jax.rules import Numbers
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.inputs import CANONICAL, INPUTS
from diamant_env.opponents.models.export import with_two_logits
from diamant_env.opponents.network import NetworkAgent
from train.learning.decisions import EXPLORED_LEAVE
from train.learning.league import perturbations
from train.learning.tables import config_at
from train.learning.training_run import TrainingRun, diverged
from train.ppo import linear, run_experiment
from train.runs.config import Config, PPOConfig
from train.runs.judging import check_settings

COMMAND = "python -m train.jax_ppo"
SCALARS = ("loss", "policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")
MAX_DECISIONS, MAX_JAX_SEED = 2**32 - 2**28, 2**32 - 1  # counters are uint32


class VectorEnv(NamedTuple):
    """Games in parallel: the learner in the first seats (seats are symmetric), earlier versions in the others."""

    env: Diamant
    learners: int
    numbers: Numbers  # of each game's edition
    explores: np.ndarray  # bool (games,), games with an exploratory action
    shift: np.ndarray  # float32 (versions, games of each, rivals), added to the logit of LEAVE
    sees: np.ndarray  # float32 (games, rivals, NUM_FEATURES), 0 for masked features

    @classmethod
    def of(cls, config: Config) -> VectorEnv:
        """Return the games of a run; raise a ValueError for unsupported settings."""
        opponents, game = config.opponents, config.game
        ppo, network, most = config.ppo, config.network, MAX_DECISIONS // 16
        env = Diamant(game.num_players[0], game.judged_edition(), game.reward)
        learners = 1 + round(opponents.learner * (env.num_players - 1))
        rivals = env.num_players - learners
        places = opponents.snapshot_places if rivals else 1
        rows = ppo.games * ppo.turns * learners
        refused = {
            "game.num_players: one size, --game.num-players 4, or per_table": game.num_players[1:],
            "game.blank: false": game.blank,
            "opponents.rules: 0": opponents.rules,
            f"opponents.snapshot_every: at most {most:,}": opponents.snapshot_every > most,
            f"network.inputs: {CANONICAL}": network.inputs != CANONICAL,
            "network.activation: relu": network.activation != "relu",
            f"ppo.decisions: at most {MAX_DECISIONS:,}": ppo.decisions > MAX_DECISIONS,
            f"ppo.games: a multiple of opponents.snapshot_places = {places}": ppo.games % places,
            f"ppo.minibatch: at most games × turns × {learners} learning seats": ppo.minibatch > rows,
            f"seed: at most {MAX_JAX_SEED:,}": config.seed > MAX_JAX_SEED,
        }
        if wrong := [allowed for allowed, given in refused.items() if given]:
            raise ValueError(f"train.jax_ppo takes {'; '.join(wrong)}")
        random = np.random.default_rng(config.seed)
        shift, sees = perturbations(opponents, (places, ppo.games // places, rivals), random)
        editions, games = [Numbers.of(edition) for edition in game.training_editions()], np.arange(ppo.games)
        numbers = Numbers(*(np.stack(each)[games % len(editions)] for each in zip(*editions, strict=True)))
        explores = random.random(ppo.games) < ppo.explore
        return cls(env, learners, numbers, explores, shift, sees.reshape(ppo.games, rivals, NUM_FEATURES))

    def observe(self, states: State) -> Array:
        """Return the observations, float32 (games, seats, NUM_FEATURES)."""
        return jax.vmap(lambda numbers, state: self.env.with_numbers(numbers).observe(state))(self.numbers, states)

    def step(self, states: State, actions: Array) -> Turn:
        """Play one turn of all games, with auto-reset."""

        def step(numbers: Numbers, state: State, action: Array) -> Turn:
            return self.env.with_numbers(numbers).step_auto_reset(state, action)

        return jax.vmap(step)(self.numbers, states, actions)


Params = list[tuple[Array, Array]]  # weight (inputs, outputs) and bias (outputs,) of each layer


class Networks(NamedTuple):
    """Policy (logit of LEAVE) and value function."""

    policy: Params
    value: Params


class Runner(NamedTuple):
    """Training state that changes between rollouts; scalars unless noted."""

    networks: Networks
    optimizer: Any
    versions: Params  # each with a first axis of earlier versions
    versions_made: Array
    states: State  # of all games
    waiting: Array  # bool (games,), exploratory action to come
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
    explored: Array
    excluded: Array  # from training: in an exploring game before the exploratory action, and beside it


Experience = tuple[Transition, Array, Array]  # transitions, advantages, targets of the value function


def init_params(key: Array, widths: Sequence[int], last: float) -> Params:
    """Return orthogonal weights with gain sqrt(2), in the last layer `last`, and zero biases."""
    gains = [2**0.5] * (len(widths) - 2) + [last]
    keys = jax.random.split(key, len(gains))
    init = [jax.nn.initializers.orthogonal(gain, dtype=jnp.float32) for gain in gains]
    return [(init[i](keys[i], shape), jnp.zeros(shape[1], jnp.float32)) for i, shape in enumerate(pairwise(widths))]


def forward(params: Params, inputs: Array) -> Array:
    """Return the output (…,) of a perceptron for inputs (…, width)."""
    for weight, bias in params[:-1]:
        inputs = jax.nn.relu(inputs @ weight + bias)
    weight, bias = params[-1]
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
        value, advantage, earned, known = after  # of the next decision; rewards until it; if it or the end is known
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


def play_turn(config: Config, envs: VectorEnv, runner: Runner, key: Array) -> tuple[Runner, Transition]:
    """Play a turn of all games."""
    learners, players, shift = envs.learners, envs.env.num_players, envs.shift
    explore_key, key = jax.random.split(key) if config.ppo.explore else (key, key)  # without, `explore` draws nothing
    observations, decides = envs.observe(runner.states), runner.states.inside[:, :learners]
    seen = inputs_of(observations[:, :learners], players)
    seen_by_rivals = inputs_of(observations[:, learners:] * envs.sees, players)
    logits = forward(runner.networks.policy, seen)
    by_version = seen_by_rivals.reshape(*shift.shape, seen_by_rivals.shape[-1])  # -1 fails without rivals
    of_versions = jax.vmap(forward)(runner.versions, by_version) + shift
    leave = jax.nn.sigmoid(logits)
    explored, waiting = explore(config.ppo, runner.waiting, decides, explore_key)
    leave = jnp.where(explored, EXPLORED_LEAVE, leave)
    of_rivals = jax.nn.sigmoid(of_versions.reshape(envs.sees.shape[:2]))
    actions = jax.random.bernoulli(key, jnp.concatenate([leave, of_rivals], axis=1)).astype(jnp.int32)
    turn = envs.step(runner.states, actions)
    action, reward = actions[:, :learners], turn.rewards[:, :learners]
    over = jnp.broadcast_to(turn.ended.over[:, None], action.shape)
    taken, value = log_prob(logits, action), forward(runner.networks.value, seen)
    excluded = runner.waiting[:, None] & ~explored
    kept = Transition(seen, decides, action, taken, value, reward, over, explored, excluded)
    waiting = jnp.where(turn.ended.over, envs.explores, waiting)
    return runner._replace(states=turn.state, waiting=waiting), kept


def explore(ppo: PPOConfig, waiting: Array, decides: Array, key: Array) -> tuple[Array, Array]:
    """Return the exploratory decisions, bool (games, learners), and the games that still wait for theirs.

    As `train.learning.decisions.Exploration`: at most one in each game, by a uniformly random deciding seat.
    """
    if not ppo.explore:
        return jnp.zeros_like(decides), waiting
    turn_key, seat_key = jax.random.split(key)
    chance = jax.random.uniform(turn_key, waiting.shape, jnp.float32)
    now = waiting & (chance < ppo.explore_chance) & decides.any(axis=1)
    seat = jnp.where(decides, jax.random.uniform(seat_key, decides.shape, jnp.float32), -1).argmax(axis=1)
    return now[:, None] & (jnp.arange(decides.shape[1]) == seat[:, None]), waiting & ~now


def standardised(turns: Transition, advantage: Array) -> Array:
    """Return the standardised advantages of a minibatch times importance weights, see `train.ppo.standardised`."""
    decided = ~turns.explored
    mean, deviation = advantage.mean(where=decided), advantage.std(where=decided)
    advantage = jnp.where(decided.sum() > 1, (advantage - mean) / (deviation + 1e-8), advantage)
    return advantage * jnp.where(turns.explored, jnp.exp(turns.log_prob) / EXPLORED_LEAVE, 1)


def loss(networks: Networks, minibatch: Experience, entropy_weight: Array, ppo: PPOConfig) -> tuple[Array, Array]:
    """Return PPO's loss of a minibatch (Schulman et al. 2017) and `SCALARS`."""
    turns, advantage, target = minibatch
    logit, value = forward(networks.policy, turns.inputs), forward(networks.value, turns.inputs)
    advantage = standardised(turns, advantage)
    log_ratio = log_prob(logit, turns.action) - turns.log_prob
    ratio = jnp.exp(log_ratio)
    clipped = jnp.clip(ratio, 1 - ppo.clip, 1 + ppo.clip)
    policy_loss = -jnp.minimum(ratio * advantage, clipped * advantage).mean()
    value_loss = ((value - target) ** 2).mean()
    leave = jax.nn.sigmoid(logit)
    entropy_loss = (leave * log_prob(logit, 1) + (1 - leave) * log_prob(logit, 0)).mean()
    total = policy_loss + entropy_weight * entropy_loss + ppo.value_weight * value_loss
    approx_kl, clip_fraction = (ratio - 1 - log_ratio).mean(), (jnp.abs(ratio - 1) > ppo.clip).mean(dtype=jnp.float32)
    return total, jnp.stack([total, policy_loss, value_loss, entropy_loss, approx_kl, clip_fraction])


def learn(config: Config, experience: Experience, known: Array, runner: Runner, key: Array) -> tuple[Runner, Array]:
    """Take the gradient steps of one epoch on shuffled minibatches of decisions with known outcome.

    Also return the means of `SCALARS`.
    """
    order = jnp.argsort(jnp.where(known, jax.random.uniform(key, known.shape, jnp.float32), 2))
    ppo, done = config.ppo, jnp.minimum(runner.decisions.astype(jnp.float32) / float(config.ppo.decisions), 1)
    rate = linear(ppo.learning_rate, ppo.final_learning_rate, done)
    entropy_weight = linear(ppo.entropy, ppo.final_entropy, done)

    def step(number: Array, learned: tuple[Networks, Any, Array]) -> tuple[Networks, Any, Array]:
        networks, moments, scalars = learned
        chosen = jax.lax.dynamic_slice_in_dim(order, number * ppo.minibatch, ppo.minibatch)
        minibatch = jax.tree.map(lambda rows: rows[chosen], experience)
        gradient, new = jax.grad(loss, has_aux=True)(networks, minibatch, entropy_weight, ppo)
        change, moments = make_optimizer(config).update(gradient, moments)
        return jax.tree.map(lambda old, new: old - rate * new, networks, change), moments, scalars + new

    steps = known.sum() // ppo.minibatch
    start = runner.networks, runner.optimizer, jnp.zeros(len(SCALARS), jnp.float32)
    networks, moments, scalars = jax.lax.fori_loop(0, steps, step, start)
    return runner._replace(networks=networks, optimizer=moments), scalars / jnp.maximum(steps, 1).astype(jnp.float32)


def add_version(runner: Runner, key: Array, every: int) -> Runner:
    """Replace a snapshot if due: the first fills all places, later ones round robin, then at random."""
    made, versions = runner.versions_made, runner.versions
    places = len(versions[0][0])
    due = runner.decisions >= made * jnp.uint32(every)
    place = jnp.where(made < places, made.astype(jnp.int32), jax.random.randint(key, (), 0, places, jnp.int32))
    replaced = due & ((jnp.arange(places, dtype=jnp.int32) == place) | (made == 0))

    def put(old: Array, new: Array) -> Array:
        return jnp.where(replaced.reshape(-1, *[1] * new.ndim), new, old)

    versions = jax.tree.map(put, versions, runner.networks.policy)
    return runner._replace(versions=versions, versions_made=made + due.astype(jnp.uint32))


def update(config: Config, envs: VectorEnv, runner: Runner) -> tuple[Runner, Array, Array, Array]:
    """Play a rollout and update the networks.

    Also return the number of usable decisions, whether all weights are finite, and the means of `SCALARS` over the
    update with the explained variance.
    """
    key, play_key, learn_key, version_key = jax.random.split(runner.key, 4)
    turn_keys = jax.random.split(play_key, config.ppo.turns)
    runner, turns = jax.lax.scan(partial(play_turn, config, envs), runner._replace(key=key), turn_keys)
    turns = turns._replace(reward=turns.reward * config.ppo.reward_scale)
    observations = envs.observe(runner.states)[:, : envs.learners]
    last_value = forward(runner.networks.value, inputs_of(observations, envs.env.num_players))
    advantage, known = advantages(turns, runner.states.inside[:, : envs.learners], last_value, config.ppo)
    known &= ~turns.excluded
    target = turns.value + jnp.where(turns.explored, 0, advantage)  # no value loss on exploratory actions
    explained = 1 - (target - turns.value).var(where=known) / target.var(where=known)
    experience = turns, advantage, target
    experience, known = jax.tree.map(lambda rows: rows.reshape(-1, *rows.shape[3:]), (experience, known))
    epoch = partial(learn, config, experience, known)
    runner, scalars = jax.lax.scan(epoch, runner, jax.random.split(learn_key, config.ppo.epochs))
    runner = runner._replace(decisions=runner.decisions + turns.decides.sum(dtype=jnp.uint32))
    runner = add_version(runner, version_key, config.opponents.snapshot_every)
    finite = jnp.all(jnp.array([jnp.isfinite(weights).all() for weights in jax.tree.leaves(runner.networks)]))
    return runner, known.sum(), finite, jnp.append(scalars.mean(axis=0), explained)


def make_optimizer(config: Config) -> optax.GradientTransformation:
    """Return Adam with gradient clipping, before scaling by the learning rate."""
    return optax.chain(optax.clip_by_global_norm(config.ppo.max_grad_norm), optax.scale_by_adam(eps=1e-5))


def new_runner(config: Config, envs: VectorEnv) -> Runner:
    """Return the initial training state."""
    *keys, games_key, key = jax.random.split(jax.random.key(config.seed), 4)
    widths = (INPUTS[CANONICAL].width, *config.network.hidden, 1)
    networks = Networks(*(init_params(one, widths, gain) for one, gain in zip(keys, (0.01, 1.0), strict=True)))
    start = jax.vmap(lambda numbers, key: envs.env.with_numbers(numbers).init(key))
    return Runner(
        networks=networks,
        optimizer=make_optimizer(config).init(networks),
        versions=jax.tree.map(lambda one: jnp.stack([one] * len(envs.shift)), networks.policy),
        versions_made=jnp.uint32(0),
        states=start(envs.numbers, jax.random.split(games_key, len(envs.sees))),
        waiting=jnp.array(envs.explores),
        decisions=jnp.uint32(0),
        key=key,
    )


class Learner:
    """Learner of a `train.learning.training_run.TrainingRun`; raises a ValueError for unsupported settings."""

    def __init__(self, config: Config) -> None:
        self.config, envs = config, VectorEnv.of(config)
        self.runner = jax.jit(partial(new_runner, config, envs))()
        self._update = jax.jit(partial(update, config, envs), donate_argnums=0)
        self.decisions, self.log = 0, {}  # type: ignore[var-annotated]
        self.device = "" if jax.default_backend() == "cpu" else jax.devices()[0].device_kind

    def learn(self) -> None:
        """Play a rollout and learn from it."""
        self.runner, usable, finite, scalars = self._update(self.runner)
        self.decisions = int(self.runner.decisions)
        check(self.config, self.decisions, int(usable), bool(finite))
        self.log = dict(zip((*SCALARS, "explained_variance"), map(float, scalars), strict=True))

    def network(self, name: str = "learner") -> NetworkAgent:
        """Return a frozen copy of the policy, which needs no JAX."""
        layers = [(np.asarray(weight).T, np.asarray(bias)) for weight, bias in self.runner.networks.policy]
        return NetworkAgent(with_two_logits(layers), "relu", name, inputs=CANONICAL)

    def state(self) -> dict[str, Any]:
        """Return the state for a bit-identical continuation."""
        return {"jax": [np.array(leaf) for leaf in jax.tree.leaves(with_key_data(self.runner))]}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a value of `state`; raise a ValueError if it has other shapes."""
        leaves, shape = jax.tree.flatten(with_key_data(self.runner))
        if [(leaf.shape, leaf.dtype) for leaf in state["jax"]] != [(leaf.shape, leaf.dtype) for leaf in leaves]:
            raise ValueError("other shapes")
        runner, keys = jax.tree.unflatten(shape, map(jnp.asarray, state["jax"])), jax.random.wrap_key_data
        states = runner.states._replace(key=keys(runner.states.key))
        self.runner = runner._replace(key=keys(runner.key), states=states)
        self.decisions = int(runner.decisions)


def with_key_data(runner: Runner) -> Runner:
    """Return the state with its random keys as arrays."""
    data = jax.random.key_data
    return runner._replace(key=data(runner.key), states=runner.states._replace(key=data(runner.states.key)))


def train(config: Config, folder: Path) -> NetworkAgent:
    """Train from scratch or from the folder's checkpoint; return the policy, which is also saved in the folder."""
    return TrainingRun(config, folder, Learner(config)).train()


def check(config: Config, decisions: int, usable: int, finite: bool) -> None:
    """Raise a ValueError if training has diverged or a rollout has too few usable decisions for one minibatch."""
    ppo = config.ppo
    if not finite:
        raise diverged(ppo, decisions)
    if usable < ppo.minibatch:
        raise ValueError(
            f"ppo.minibatch = {ppo.minibatch:,}; a rollout of {ppo.games} games and {ppo.turns} turns had {usable:,} "
            "decisions to learn from: lower it, or raise ppo.games or ppo.turns"
        )


def check_tables(config: Config) -> None:
    """Raise a ValueError for a run that can't be evaluated or has unsupported settings."""
    check_settings(config)
    for one in [config_at(config, players) for players in config.game.num_players] if config.per_table else [config]:
        VectorEnv.of(one)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: run_experiment(argv, COMMAND, train=train, check=check_tables))


if __name__ == "__main__":
    sys.exit(main())
