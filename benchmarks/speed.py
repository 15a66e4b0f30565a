"""Speed of the environments beside peers in one run: ``python benchmarks/speed.py``.

Contenders take turns for seven repeats; each line is a median, with its ratio to the first of the section. With jax
installed the JAX environment is measured too, beside games of JaxMARL and Pgx where these are installed. The machine
should be idle otherwise.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np
from pettingzoo.classic import rps_v2

from diamant_env import Batch, diamant_v0
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.storage.results import processor

TASK = "diamant_env/Diamant-v0"
Run = Callable[[int], object]
"""Function that runs a number of steps."""


def compare(section: str, contenders: dict[str, tuple[Run, int]], repeats: int = 7, seconds: float = 0.3) -> None:
    """Print the units a second of each contender (a function and its units per step) and the ratio to the first."""
    steps: dict[str, int] = {}
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for name, (run, _) in contenders.items():
        run(2)  # compile
        steps[name] = max(1, int(2 * seconds / measure(run, 2)))
        steps[name] = max(1, int(steps[name] * seconds / measure(run, steps[name])))
    for _ in range(repeats):
        for name, (run, units) in contenders.items():
            rates[name].append(steps[name] * units / measure(run, steps[name]))
    print(f"\n{section}")
    first = median(next(iter(rates.values())))
    for name, values in rates.items():
        print(f"  {name:<52}{median(values):>16,.0f} /s{median(values) / first:>9.2f}")


def measure(run: Run, steps: int) -> float:
    """Return the seconds of these steps."""
    start = perf_counter()
    run(steps)
    return perf_counter() - start


def batch(games: int, players: int) -> tuple[Run, int]:
    """Return the engine with observations, rewards and auto-reset; P(LEAVE) is 0.1."""
    actions = (np.random.default_rng(0).random((64, games, players)) < 0.1).astype(np.int8)
    engine = Batch(games, players)
    observations = engine.reset(0)
    rewards, done = np.zeros((games, players), np.float32), np.zeros(games, bool)

    def run(steps: int) -> None:
        for step in range(steps):
            engine.step(actions[step % 64], observations, rewards, done, auto_reset=True)

    return run, games * players


def gym(env: Any, p: float) -> tuple[Run, int]:
    """Return an environment or a vector environment; action 1 has probability p."""
    single = isinstance(env, gymnasium.Env)
    actions = (np.random.default_rng(0).random((64, 1 if single else env.num_envs)) < p).astype(int)
    steps = actions[:, 0].tolist() if single else list(actions)
    env.reset()

    def run(number: int) -> None:
        for step in range(number):
            result = env.step(steps[step % 64])
            if single and (result[2] or result[3]):
                env.reset()

    return run, 1 if single else env.num_envs


def parallel(env: Any) -> tuple[Run, int]:
    """Return a PettingZoo environment in which all agents always play action 0."""
    env.reset(seed=0)

    def run(steps: int) -> None:
        for _ in range(steps):
            if not env.agents:
                env.reset()
            env.step(dict.fromkeys(env.agents, 0))

    return run, 1


def in_jax(init: Callable, step: Callable, games: int, agents: int) -> tuple[Run, int]:
    """Return a jitted batch of games: `init` maps a key to a state, `step` a state and a key to a state and outputs."""
    import jax

    state = jax.jit(jax.vmap(init))(jax.random.split(jax.random.key(0), games))
    many = jax.jit(lambda state, key: jax.vmap(step)(state, jax.random.split(key, games)))

    def run(steps: int) -> None:
        now, outputs = state, None
        for number in range(steps):
            now, *outputs = many(now, jax.random.key(number))
        jax.block_until_ready((now, outputs))

    return run, games * agents


def jax_contenders(games: int) -> dict[str, tuple[Run, int]]:
    """Return the environment in JAX, `step` without auto-reset, and what is installed of JaxMARL and Pgx."""
    import jax

    from diamant_env.jax import Diamant

    env = Diamant(4)

    def advance(state: Any, key: Any, step: Callable) -> Any:
        state, *rest = step(state, jax.random.bernoulli(key, 0.2, (4,)).astype(int))
        return state, env.observe(state), rest

    ours = {f"diamant_env, {name}": partial(advance, step=getattr(env, name)) for name in ("step_auto_reset", "step")}
    environments = {name: in_jax(env.init, step, games, 4) for name, step in ours.items()}
    if find_spec("jaxmarl"):
        import jaxmarl

        spread = jaxmarl.make("MPE_simple_spread_v3")

        def step(state: Any, key: Any) -> Any:
            keys = dict(zip(spread.agents, jax.random.split(key, spread.num_agents), strict=True))
            actions = {name: spread.action_space(name).sample(keys[name]) for name in keys}
            observations, state, rewards, *_ = spread.step(key, state, actions)
            return state, observations, rewards

        environments["JaxMARL's spread"] = in_jax(lambda key: spread.reset(key)[1], step, games, spread.num_agents)
    if find_spec("pgx"):
        import pgx
        from pgx.experimental import auto_reset

        for name in ("tic_tac_toe", "connect_four"):
            game = pgx.make(name)
            advance = auto_reset(game.step, game.init)

            def move(state: Any, key: Any, advance: Callable = advance) -> Any:
                return advance(state, jax.random.categorical(key, jax.numpy.log(state.legal_action_mask)), key), 0

            environments[f"Pgx's {name}, one agent a step"] = in_jax(game.init, move, games, 1)
    return {f"{name}, {games:,} games": contender for name, contender in environments.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jax-games", type=int, nargs="*", default=[1024, 16_384], help="batch sizes in JAX")
    args = parser.parse_args()
    print(processor(), "Python", platform.python_version(), "NumPy", np.__version__)
    sizes = [(games, players) for games in (1024, 16_384) for players in (4, 8)]
    batches = {f"{games:,} games, {players} players": batch(games, players) for games, players in sizes}
    compare("Batch.step, agent-steps", batches)
    makes = {name: gym(gymnasium.make(TASK, opponents=name), 0.1) for name in ("bag:15", "champion")}
    compare("gymnasium.make, steps", {"Blackjack-v1": gym(gymnasium.make("Blackjack-v1"), 0.5)} | makes)
    cart = gymnasium.make_vec("CartPole-v1", 1024, vectorization_mode="vector_entry_point")
    many = {"make_vec": gymnasium.make_vec(TASK, 1024, opponents="bag:15"), "DiamantVecEnv": DiamantVecEnv(256)}
    vectors = {"CartPole-v1": gym(cart, 0.5)} | {name: gym(env, 0.1) for name, env in many.items()}
    compare("1,024 rows, steps of a row", vectors)
    environments = {"rps_v2": rps_v2.parallel_env(), "diamant_v0, 4 players": diamant_v0.parallel_env()}
    compare("PettingZoo's parallel API, turns", {name: parallel(env) for name, env in environments.items()})
    for games in args.jax_games if find_spec("jax") else ():
        compare("JAX, agent-steps", jax_contenders(games))


if __name__ == "__main__":
    main()
