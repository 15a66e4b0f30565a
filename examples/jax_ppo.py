"""JAX: self-play PPO on `diamant_env.jax.Diamant` in the form of PureJaxRL, training in one compiled function.

Install: pip install -c constraints.txt -e ".[jax,evaluation]"
Run:     python examples/jax_ppo.py --steps 2000000

After `purejaxrl/ppo.py` (Lu et al.: Discovered policy optimisation, NeurIPS 2022). All seats play one network. A seat
in camp does not decide: its turns are left out of the loss, and rewards until its next decision belong to the last one.
"""

import argparse
import time
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from diamant_env import NUM_FEATURES
from diamant_env.evaluation import evaluate
from diamant_env.jax import Diamant

CONFIG: dict[str, Any] = {
    "NUM_PLAYERS": 4,
    "EDITION": "iello-2016",
    "REWARD": "win",
    "TOTAL_TIMESTEPS": 2_000_000,  # turns of all seats, of which about 0.7 are decisions
    "NUM_ENVS": 128,  # on a GPU 16,384
    "NUM_STEPS": 32,
    "UPDATE_EPOCHS": 4,
    "NUM_MINIBATCHES": 8,
    "LR": 2e-3,
    "ANNEAL_LR": True,
    "GAMMA": 1.0,
    "GAE_LAMBDA": 0.95,
    "CLIP_EPS": 0.2,
    "ENT_COEF": 0.02,
    "VF_COEF": 0.5,
    "MAX_GRAD_NORM": 0.5,
    "HIDDEN": (64, 64),
}


class Transition(NamedTuple):
    """A turn of all seats, each (NUM_ENVS, NUM_PLAYERS, …)."""

    done: Any
    decides: Any
    action: Any
    value: Any
    reward: Any
    log_prob: Any
    obs: Any


def init_mlp(rng, widths, last_scale):
    """Return orthogonal weights and zero biases of each layer."""
    scales = [2**0.5] * (len(widths) - 2) + [last_scale]
    keys = jax.random.split(rng, len(scales))
    shapes = zip(keys, scales, pairwise(widths), strict=True)
    return [(jax.nn.initializers.orthogonal(scale)(key, shape), jnp.zeros(shape[1])) for key, scale, shape in shapes]


def mlp(layers, x):
    """Return the output, (…,), of a perceptron with one output; `x` is an array of JAX or NumPy."""
    for weight, bias in layers[:-1]:
        x = (x @ weight + bias).clip(0)
    weight, bias = layers[-1]
    return (x @ weight + bias)[..., 0]


def log_prob_of(logit, action):
    """Return the log-probability of an action; `logit` is that of LEAVE."""
    return jax.nn.log_sigmoid(jnp.where(action == 1, logit, -logit))


def calculate_gae(config, traj_batch, last_value, last_decides):
    """Return the advantages of the decisions of a rollout, and whether their outcome is known.

    From one decision of a seat to its next; a seat in camp at the end of the rollout waits for an unknown reward.
    """

    def _get_advantages(carry, transition):
        next_value, next_gae, reward, complete = carry
        next_value, next_gae, reward = (
            jnp.where(transition.done, 0, value) for value in (next_value, next_gae, reward)
        )
        reward, complete = reward + transition.reward, complete | transition.done
        delta = reward + config["GAMMA"] * next_value - transition.value
        gae = jnp.where(complete, delta + config["GAMMA"] * config["GAE_LAMBDA"] * next_gae, 0)
        decided = (transition.value, gae, jnp.zeros_like(reward), jnp.ones_like(complete))
        idle = (next_value, next_gae, reward, complete)
        carry = tuple(jnp.where(transition.decides, new, old) for new, old in zip(decided, idle, strict=True))
        return carry, (gae, transition.decides & complete)

    zeros = jnp.zeros_like(last_value)
    start = (jnp.where(last_decides, last_value, 0), zeros, zeros, last_decides)
    return jax.lax.scan(_get_advantages, start, traj_batch, reverse=True)[1]


def make_train(config):
    """Return a function from a random key to the policy's layers and the metrics of each update."""
    env = Diamant(config["NUM_PLAYERS"], config["EDITION"], config["REWARD"])
    turns = config["NUM_STEPS"] * config["NUM_ENVS"] * config["NUM_PLAYERS"]  # of all seats in a rollout
    num_updates = max(1, config["TOTAL_TIMESTEPS"] // turns)
    num_steps = num_updates * config["UPDATE_EPOCHS"] * config["NUM_MINIBATCHES"]
    rate = optax.linear_schedule(config["LR"], 0, num_steps) if config["ANNEAL_LR"] else config["LR"]
    tx = optax.chain(optax.clip_by_global_norm(config["MAX_GRAD_NORM"]), optax.adam(rate, eps=1e-5))

    def train(rng):
        # INIT NETWORKS
        widths = (NUM_FEATURES, *config["HIDDEN"], 1)
        rng, actor_rng, critic_rng, env_rng = jax.random.split(rng, 4)
        params = {"actor": init_mlp(actor_rng, widths, 0.01), "critic": init_mlp(critic_rng, widths, 1.0)}

        # INIT ENVIRONMENT
        env_state = jax.vmap(env.init)(jax.random.split(env_rng, config["NUM_ENVS"]))

        # TRAIN LOOP
        def _update_step(runner_state, _):
            # COLLECT TRAJECTORIES
            def _env_step(runner_state, _):
                params, opt_state, env_state, rng = runner_state
                rng, action_rng = jax.random.split(rng)
                obs = jax.vmap(env.observe)(env_state)
                logit, value = mlp(params["actor"], obs), mlp(params["critic"], obs)
                action = jax.random.bernoulli(action_rng, jax.nn.sigmoid(logit)).astype(jnp.int32)
                turn = jax.vmap(env.step_auto_reset)(env_state, action)
                done = jnp.broadcast_to(turn.ended.over[:, None], action.shape)
                log_prob = log_prob_of(logit, action)
                transition = Transition(done, env_state.inside, action, value, turn.rewards, log_prob, obs)
                return (params, opt_state, turn.state, rng), transition

            runner_state, traj_batch = jax.lax.scan(_env_step, runner_state, None, config["NUM_STEPS"])

            # CALCULATE ADVANTAGES
            params, opt_state, env_state, rng = runner_state
            last_value = mlp(params["critic"], jax.vmap(env.observe)(env_state))
            advantages, counts = calculate_gae(config, traj_batch, last_value, env_state.inside)

            # UPDATE NETWORKS
            def _update_epoch(update_state, _):
                def _update_minibatch(train_state, minibatch):
                    params, opt_state = train_state
                    (_, metrics), gradient = jax.value_and_grad(_loss_fn, has_aux=True)(params, *minibatch)
                    updates, opt_state = tx.update(gradient, opt_state)
                    return (optax.apply_updates(params, updates), opt_state), metrics

                def _loss_fn(params, transition, gae, counts):
                    weight = counts / jnp.maximum(counts.sum(), 1)  # decisions with known outcome alone
                    logit, value = mlp(params["actor"], transition.obs), mlp(params["critic"], transition.obs)
                    value_loss = (weight * jnp.square(value - transition.value - gae)).sum()
                    mean = (weight * gae).sum()
                    gae = (gae - mean) / jnp.sqrt((weight * jnp.square(gae - mean)).sum() + 1e-8)
                    ratio = jnp.exp(log_prob_of(logit, transition.action) - transition.log_prob)
                    clipped = jnp.clip(ratio, 1 - config["CLIP_EPS"], 1 + config["CLIP_EPS"])
                    actor_loss = -(weight * jnp.minimum(ratio * gae, clipped * gae)).sum()
                    leave = jax.nn.sigmoid(logit)
                    entropy = -(leave * log_prob_of(logit, 1) + (1 - leave) * log_prob_of(logit, 0))
                    entropy = (weight * entropy).sum()
                    loss = actor_loss + config["VF_COEF"] * value_loss - config["ENT_COEF"] * entropy
                    return loss, {"value_loss": value_loss, "actor_loss": actor_loss, "entropy": entropy}

                train_state, rng = update_state
                rng, order_rng = jax.random.split(rng)
                order = jax.random.permutation(order_rng, turns).reshape(config["NUM_MINIBATCHES"], -1)
                batch = (traj_batch, advantages, counts)
                batch = jax.tree.map(lambda rows: rows.reshape(turns, *rows.shape[3:])[order], batch)
                train_state, metrics = jax.lax.scan(_update_minibatch, train_state, batch)
                return (train_state, rng), metrics

            update_state = ((params, opt_state), rng)
            update_state, metrics = jax.lax.scan(_update_epoch, update_state, None, config["UPDATE_EPOCHS"])
            (params, opt_state), rng = update_state
            metrics = {name: value.mean() for name, value in metrics.items()}
            metrics["decisions"] = traj_batch.decides.sum()
            return (params, opt_state, env_state, rng), metrics

        runner_state = (params, tx.init(params), env_state, rng)
        runner_state, metrics = jax.lax.scan(_update_step, runner_state, None, num_updates)
        return runner_state[0]["actor"], metrics

    return train


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=CONFIG["TOTAL_TIMESTEPS"], help="turns of all seats")
    parser.add_argument("--envs", type=int, default=CONFIG["NUM_ENVS"], help="games in parallel")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    config = CONFIG | {"TOTAL_TIMESTEPS": args.steps, "NUM_ENVS": args.envs}
    start = time.perf_counter()
    layers, metrics = jax.block_until_ready(jax.jit(make_train(config))(jax.random.key(args.seed)))
    seconds = time.perf_counter() - start
    print(f"{int(metrics['decisions'].sum()):,} decisions in {seconds:.1f} s, compilation included")
    actor = jax.tree.map(np.asarray, layers)

    def policy(obs):
        """Return P(LEAVE) of each row, by NumPy alone."""
        return 1 / (1 + np.exp(-mlp(actor, obs.flat)))

    print(evaluate(policy, against="held-out"))
