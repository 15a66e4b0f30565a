"""AgileRL: IPPO, whose seats share one network because their names share a prefix.

Install: pip install -e . agilerl peft scipy torch==2.13.0   (in a venv of its own: it wants pettingzoo < 1.27)
Run:     python -m examples.agilerl_ippo --steps 300000

Counted: rows whose seat must decide.
Mask: none (mask="none"). AgileRL draws actions by the masks in the infos, but computes the loss without them.
Idle seats: rows whose action is ignored; they enter the loss.
What it can't do: use its own training loop here. `train_multi_agent_on_policy` forgets that a game is over when all its
seats end at once, so that values leak from game to game; hence the loop below. Its vector runs each game in a process.
"""

import argparse
import time

import numpy as np
import torch
from agilerl.algorithms.ippo import IPPO
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv

from diamant_env import diamant_v0
from examples.judge import report


def make_env():
    """Return one table."""
    return diamant_v0.parallel_env(num_players=4, reward="win", mask="none")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300_000, help="decisions")
    steps = parser.parse_args().steps

    torch.manual_seed(0)
    torch.set_num_threads(1)
    np.random.seed(0)  # noqa: NPY002 - AgileRL shuffles with it
    game = make_env()
    seats = game.possible_agents
    env = AsyncPettingZooVecEnv([make_env for _ in range(8)])
    agent = IPPO(
        observation_spaces=[game.observation_space(seat) for seat in seats],
        action_spaces=[game.action_space(seat) for seat in seats],
        agent_ids=seats,
        net_config={"encoder_config": {"hidden_size": [64], "activation": "Tanh"}},  # the head is the second layer
        batch_size=1024,
        lr=1e-3,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.005,
        update_epochs=4,
    )
    turns, decisions = min(256, steps), 0
    start = time.perf_counter()
    observations, _ = env.reset(seed=0)
    ends = {seat: np.zeros(8) for seat in seats}
    while decisions < steps:
        # Lists by turn for each seat: states, actions, log-probabilities, rewards, ends before the turn, values.
        rollout = [{seat: [] for seat in seats} for _ in range(6)]
        for _ in range(turns):
            actions, log_probs, _, values = agent.get_action(observations)
            following, rewards, terminations, _, _ = env.step(actions)
            for kept, new in zip(rollout, (observations, actions, log_probs, rewards, ends, values), strict=True):
                for seat in seats:
                    kept[seat].append(new[seat])
            decisions += int(sum(observations[seat][:, 0].sum() for seat in seats))
            observations = following
            ends = {seat: terminations[seat].astype(float) for seat in seats}
        agent.learn((*rollout, observations, ends))
    seconds = time.perf_counter() - start
    env.close()

    def choose(observations):
        """Draw decisions; every seat is shown the same observation, and the first one's decision is taken."""
        return agent.get_action(dict.fromkeys(seats, observations))[0][seats[0]]

    report("agilerl", decisions, seconds, choose)
