"""A game in ten lines, to see whether an installed package works: ``python tests/package/ten_lines.py``."""

import sys
from importlib.metadata import version

import gymnasium

import diamant_env
from diamant_env import diamant_v0

env = diamant_v0.parallel_env(num_players=4)
observations, infos = env.reset(seed=1)
scores = dict.fromkeys(env.agents, 0.0)
while env.agents:
    actions = {
        agent: int(infos[agent]["action_mask"][1] and observations[agent][0] and i % 2)
        for i, agent in enumerate(env.agents)
    }
    observations, rewards, terminations, truncations, infos = env.step(actions)
    scores = {agent: scores[agent] + rewards[agent] for agent in scores}
one = gymnasium.make("diamant_env/Diamant-v0", opponents="bag:18")
one.reset(seed=1)
print(scores, *one.step(0)[1:4])
names = ("numpy", "numba", "gymnasium", "pettingzoo")
print(
    f"diamant_env {diamant_env.__version__} in Python {sys.version.split()[0]}:", *(f"{n} {version(n)}" for n in names)
)
