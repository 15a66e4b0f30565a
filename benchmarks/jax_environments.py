"""Speed of the environment in JAX beside the engine and games of JaxMARL and Pgx.

Random actions, auto-reset, observations of all agents (Pgx: of the player to move). On one core: ``taskset -c 0 python
-m benchmarks.jax_environments 1024 16384``, with numbers of games; JAX takes a GPU where it finds one. Needs the extras
jax and train, jaxmarl, pgx, six.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import jaxmarl
import numpy as np
import pgx
from pgx.experimental import auto_reset

from benchmarks.measure import Effort, alternate
from benchmarks.results import machine
from diamant_env.batch import Batch
from diamant_env.jax import Diamant
from diamant_env.jax.jaxmarl import DiamantMARL

PLAYERS = 4
Contender = tuple[Callable[[Any], Any], Callable[[Any, Any], Any], int]
"""Initial function (key → carry), step function (carry, key → carry) and number of agents that act per step."""


def flat(env: Diamant, auto_reset: bool = True) -> Contender:
    """Return the environment with flat arrays; a game that is over costs a `step` as much as any other."""

    def step(last: Any, key: Any) -> Any:
        actions = jax.random.bernoulli(key, 0.2, (PLAYERS,)).astype(jnp.int32)
        if auto_reset:
            turn = env.step_auto_reset(last[0], actions)
            return turn.state, env.observe(last[0]), turn.rewards, turn.ended.over
        state, rewards = env.step(last[0], actions)
        return state, env.observe(last[0]), rewards, state.over

    return lambda key: (env.init(key),), step, PLAYERS


def marl(env: Any) -> Contender:
    """Return a game with JaxMARL's API."""

    def step(last: Any, key: Any) -> Any:
        keys = dict(zip(env.agents, jax.random.split(key, env.num_agents), strict=True))
        observations, *rest = env.step(key, last[0], {name: env.action_space(name).sample(keys[name]) for name in keys})
        return rest[0], observations, *rest[1:3]

    return lambda key: (env.reset(key)[1],), step, env.num_agents


def of_pgx(env: Any) -> Contender:
    """Return a game of Pgx, in which one player moves."""
    step = auto_reset(env.step, env.init)
    return (
        env.init,
        lambda state, key: step(state, jax.random.categorical(key, jnp.log(state.legal_action_mask)), key),
        1,
    )


def engine(games: int) -> Callable[[int], Any]:
    """Return a function that steps a `Batch` with actions drawn beforehand."""
    batch, actions = Batch(games, PLAYERS), np.random.default_rng(0).random((64, games, PLAYERS)) < 0.2
    observations, drawn = batch.reset(0), actions.astype(np.int8)
    return lambda steps: [batch.step(drawn[i % 64], observations, auto_reset=True) for i in range(steps)]


def compiled(name: str, contender: Contender, games: int) -> Callable[[int], Any]:
    """Return a function that steps a game; print the compile time."""
    start, state = perf_counter(), jax.jit(jax.vmap(contender[0]))(jax.random.split(jax.random.key(0), games))
    step = jax.jit(lambda state, key: jax.vmap(contender[1])(state, jax.random.split(key, games)))
    state, key = jax.block_until_ready(step(state, jax.random.key(1))), jax.random.key(2)
    print(f"{name}, {games:,} games: {perf_counter() - start:.1f} s to compile")

    def run(steps: int) -> None:
        now = state
        for _ in range(steps):
            now = step(now, key)
        jax.block_until_ready(now)

    return run


if __name__ == "__main__":
    contenders = {
        "Diamant in JAX": flat(Diamant(PLAYERS)),
        "Diamant in JAX, without auto-reset": flat(Diamant(PLAYERS), auto_reset=False),
        "Diamant in JAX, JaxMARL's API": marl(DiamantMARL(PLAYERS)),
    }
    contenders |= {f"JaxMARL {name}": marl(jaxmarl.make(name)) for name in ("MPE_simple_spread_v3", "hanabi")}
    contenders |= {f"Pgx {name}": of_pgx(pgx.make(name)) for name in ("tic_tac_toe", "connect_four")}
    for games in map(int, sys.argv[1:] or (1024, 16_384)):
        players = {"Diamant, Batch.step": engine(games)}
        players |= {name: compiled(name, contender, games) for name, contender in contenders.items()}
        for name, rates in alternate(players, Effort()).items():
            agents = contenders[name][2] if name in contenders else PLAYERS
            print(f"{name}, {games:,} games: {median(rates) * games * agents / 1e6:.3g} M agent-steps/s")
    print(", ".join(f"{key} {value}" for key, value in machine().items()), f"jax {jax.__version__}", jax.devices()[0])
