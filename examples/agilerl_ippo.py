"""AgileRL: IPPO, whose seats share one network because their names share a prefix.

Install: pip install -e . agilerl peft torch==2.13.0   (in a venv of its own: it wants pettingzoo < 1.27)
Run:     python -m examples.agilerl_ippo --steps 10000

Mask: none (mask="none"). Idle seats: rows whose action is ignored; they enter the loss.
Mind: a population of one, without tournament and mutation, is plain IPPO; the environments run in processes.
"""

import argparse

from agilerl.algorithms.ippo import IPPO
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv

from diamant_env import diamant_v0
from examples.judge import report


def make_env():
    """Return one table."""
    return diamant_v0.parallel_env(num_players=4, reward="win", mask="none")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10_000)
    steps = parser.parse_args().steps

    game = make_env()
    seats = game.possible_agents
    env = AsyncPettingZooVecEnv([make_env for _ in range(2)])
    agent = IPPO(
        observation_spaces=[game.observation_space(seat) for seat in seats],
        action_spaces=[game.action_space(seat) for seat in seats],
        agent_ids=seats,
        batch_size=256,
        learn_step=min(500, steps),
        lr=1e-3,
        gamma=1.0,
    )
    train_multi_agent_on_policy(
        env, "diamant", "IPPO", [agent], max_steps=steps, evo_steps=steps, eval_steps=50, verbose=False
    )
    env.close()

    def choose(observations):
        """Draw decisions; every seat is shown the same observation, and the first one's decision is taken."""
        return agent.get_action(dict.fromkeys(seats, observations))[0][seats[0]]

    report("agilerl", agent.steps[-1] if isinstance(agent.steps, list) else agent.steps, choose)
