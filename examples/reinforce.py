"""REINFORCE with a linear policy, and a finished agent, in the benchmark.

Install: pip install -c constraints.txt -e ".[train]"
Run:     python -m train.benchmark --algorithms examples.reinforce:train --tasks expedition-2 --quick
         python -m train.benchmark --agents examples.reinforce:cautious --tasks expedition-2 --quick

Decisions counted: those of all seats, which learn by self-play.
"""

import numpy as np

from diamant_env import NUM_FEATURES


def chance(seen, weights):
    """Return the probability of LEAVE, logistic in the features."""
    return 1 / (1 + np.exp(-seen @ weights))


def agent_of(weights):
    """Return the policy of these weights."""
    weights = weights.copy()
    return lambda obs: chance(obs.flat, weights)


def train(task, budget, seed, folder):
    """Make decisions of games with a high return more likely; return the agent and the number of decisions."""
    random, weights, batch = np.random.default_rng(seed), np.zeros(NUM_FEATURES), task.batch(32)
    decisions = evaluated = 0
    while decisions < budget:
        seen, done = batch.reset(seed=int(random.integers(2**31))), np.zeros(32, bool)
        score, earned = np.zeros(seen.shape), np.zeros(seen.shape[:2])
        while decisions < budget and not done.all():
            decisions += int(seen[..., 0].sum())  # feature 0: whether the seat must decide
            leave = chance(seen, weights)
            drawn = random.random(leave.shape) < leave
            score += (seen[..., 0] * (drawn - leave))[..., None] * seen
            seen, rewards, done = batch.step(drawn.astype(np.int8))
            earned += rewards
        advantage = (earned - earned.mean()) / (earned.std() + 1e-9)
        weights += 0.2 * (budget - decisions) / budget * np.tensordot(advantage, score, 2) / advantage.size
        if evaluated + budget / 8 < decisions < budget:
            evaluated = decisions
            task.checkpoint(agent_of(weights), decisions)
    return agent_of(weights), decisions


def cautious(obs):
    """Leave at the second trap."""
    return obs["traps_on_path"].sum(axis=-1) >= 2
