"""Smoke test of an installed package in ten lines: ``python tests/package/ten_lines.py``."""

import sys
from importlib.metadata import version

import gymnasium

import diamant_env
from diamant_env import diamant_v0

env = diamant_v0.parallel_env(num_players=4)
env.reset(seed=1)
while env.agents:
    observations, rewards, _, _, infos = env.step({agent: i % 2 for i, agent in enumerate(env.agents)})
one = gymnasium.make("diamant_env/Diamant-v0", opponents="bag:18")
one.reset(seed=1)
print(env.game.chest, *one.step(0)[1:4])
names = ("numpy", "numba", "gymnasium", "pettingzoo")
print(
    f"diamant_env {diamant_env.__version__} in Python {sys.version.split()[0]}:", *(f"{n} {version(n)}" for n in names)
)
