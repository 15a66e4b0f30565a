"""One contender in a process and a virtual environment of its own: ``python peer_worker.py NAME BATCH``.

It imports nothing of this package but what its contender needs, so that it runs where only that peer is installed.
It prints how many agent-steps one step is, then for each number of steps that it reads how many seconds they took.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

Contender = tuple[Callable[[int], object], float]  # plays this many steps; agent-steps of one step
RING = 16  # actions made beforehand and used in turn
SCANNED = 64  # turns in one call of a compiled loop


def diamant_batch(players: int) -> Callable[[int], Contender]:
    """Ours: the batch engine with observations, LEAVE with probability 0.1."""

    def build(num_games: int) -> Contender:
        from benchmarks.contenders.engine import action_ring, engine_play

        return engine_play(num_games, players, action_ring(num_games, players)), num_games * players

    return build


def diamant_parallel(_: int) -> Contender:
    """Ours: one game of 4 through PettingZoo's parallel API, LEAVE in one of ten decisions."""
    from diamant_env import diamant_v0

    env = diamant_v0.parallel_env(num_players=4)
    return _parallel_play(env, [{f"player_{seat}": int(i % 10 == seat) for seat in range(4)} for i in range(10)]), 4


def rps_parallel(_: int) -> Contender:
    """PettingZoo's rock-paper-scissors through the parallel API."""
    from pettingzoo.classic import rps_v2

    ring = [{"player_0": i % 3, "player_1": i // 3 % 3} for i in range(9)]
    return _parallel_play(rps_v2.parallel_env(), ring), 2


def _parallel_play(env: Any, ring: list[dict[str, int]]) -> Callable[[int], None]:
    env.reset(seed=0)

    def play(steps: int) -> None:
        for step in range(steps):
            env.step(ring[step % len(ring)])
            if not env.agents:
                env.reset()

    return play


def cartpole(copies: int) -> Contender:
    """Gymnasium's vectorised CartPole."""
    import gymnasium
    import numpy as np

    env = gymnasium.make_vec("CartPole-v1", num_envs=copies, vectorization_mode="vector_entry_point")
    env.reset(seed=0)
    return _vector_play(env, np.random.default_rng(0).integers(0, 2, (RING, copies))), copies


def _vector_play(env: Any, ring: Any) -> Callable[[int], None]:
    def play(steps: int) -> None:
        for step in range(steps):
            env.step(ring[step % RING])

    return play


def switch_riddle(copies: int) -> Contender:
    """JaxMARL's switch_riddle: 3 agents, a compiled scan over turns, actions made beforehand."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax
    import jax.numpy as jnp
    from jaxmarl import make

    env = make("switch_riddle")
    key = jax.random.PRNGKey(0)
    observations, states = jax.vmap(env.reset)(jax.random.split(key, copies))
    actions = jax.random.randint(key, (SCANNED, len(env.agents), copies), 0, 3)

    def turn(carried: Any, chosen: Any) -> Any:
        key, states, _, total = carried
        key, now = jax.random.split(key)
        sent = {agent: chosen[seat] for seat, agent in enumerate(env.agents)}
        observations, states, rewards, _, _ = jax.vmap(env.step)(jax.random.split(now, copies), states, sent)
        return (key, states, observations, total + rewards[env.agents[0]]), None

    turns = jax.jit(lambda carried: jax.lax.scan(turn, carried, actions)[0])
    carried = (key, states, observations, jnp.zeros(copies))

    def play(steps: int) -> None:
        nonlocal carried
        for _ in range(steps):
            carried = turns(carried)
        jax.block_until_ready(carried)

    return play, SCANNED * copies * len(env.agents)


def goofspiel(_: int) -> Contender:
    """OpenSpiel's goofspiel with 4 players through Python, legal actions taken from the top; a step is a turn."""
    import pyspiel

    game = pyspiel.load_game("goofspiel", {"players": 4, "points_order": "descending"})

    def play(steps: int) -> None:
        state = game.new_initial_state()
        for _ in range(steps):
            if state.is_terminal():
                state = game.new_initial_state()
            state.apply_actions([state.legal_actions(seat)[-1] for seat in range(4)])

    return play, 4


def squared(copies: int) -> Contender:
    """PufferLib's squared: C, one agent, a tiny observation."""
    import numpy as np
    from pufferlib.ocean.squared.squared import Squared

    env = Squared(num_envs=copies)
    env.reset(seed=0)
    return _vector_play(env, np.random.default_rng(0).integers(0, 5, (RING, copies))), copies


CONTENDERS: dict[str, Callable[[int], Contender]] = {
    "diamant-4": diamant_batch(4),
    "diamant-8": diamant_batch(8),
    "diamant-parallel": diamant_parallel,
    "rps-parallel": rps_parallel,
    "cartpole": cartpole,
    "switch-riddle": switch_riddle,
    "goofspiel": goofspiel,
    "squared": squared,
}


def main() -> None:
    """Answer on stdin and stdout until stdin ends; all on one core."""
    name, batch = sys.argv[1], int(sys.argv[2])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints must not mix with the answers
    play, agent_steps = CONTENDERS[name](batch)
    play(1)
    print(agent_steps, file=answers, flush=True)
    for line in sys.stdin:
        start = perf_counter()
        play(int(line))
        print(perf_counter() - start, file=answers, flush=True)


if __name__ == "__main__":
    main()
