"""RLlib: PPO on its current API stack, one policy for every seat.

Install: pip install -e . "ray[rllib]>=2.60,<3" torch==2.13.0   (in a venv of its own: it pins gymnasium 1.2.2)
Run:     python -m examples.rllib --steps 20000

Mask: not needed. Idle seats: `DecidingSeats` observes only the seats that must decide; RLlib asks nobody else, so no
idle row enters the loss. What a seat earns while idle is added to its last decision.
Mind: at the end every seat is observed once more, so that each trajectory ends with its own reward.
"""

import argparse

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from diamant_env import diamant_v0
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20_000)
steps = parser.parse_args().steps


class DecidingSeats(MultiAgentEnv):
    """The PettingZoo environment, of which only the seats that must decide are observed."""

    def __init__(self, config):
        super().__init__()
        self.game = diamant_v0.parallel_env(**config)
        self.possible_agents = self.game.possible_agents[:]
        self.agents = self.possible_agents[:]
        self.observation_spaces = self.game.observation_spaces
        self.action_spaces = self.game.action_spaces

    def reset(self, *, seed=None, options=None):
        """Start a game."""
        observations, infos = self.game.reset(seed=seed, options=options)
        return self.deciding(observations, infos), {}

    def step(self, action_dict):
        """Play one turn; idle seats are left out of the actions, which the game allows."""
        observations, rewards, terminations, _, infos = self.game.step(action_dict)
        over = all(terminations.values())
        seen = observations if over else self.deciding(observations, infos)
        return seen, rewards, {"__all__": over}, {"__all__": False}, {}

    def deciding(self, observations, infos):
        """Return the observations of the seats that must decide."""
        return {agent: row for agent, row in observations.items() if infos[agent]["active"]}


config = (
    PPOConfig()
    .environment(DecidingSeats, env_config={"num_players": 4, "reward": "win"})
    .env_runners(num_env_runners=0)
    .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
    .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[64, 64]))
    .training(train_batch_size_per_learner=min(2000, steps), minibatch_size=500, num_epochs=4, gamma=1.0, lr=1e-3)
    .debugging(seed=0)
)
algorithm = config.build_algo()
trained = 0
while trained < steps:
    trained = algorithm.train()["num_env_steps_sampled_lifetime"]
module = algorithm.get_module("shared")


def choose(observations):
    """Draw decisions from the shared policy."""
    with torch.no_grad():
        logits = module.forward_inference({"obs": torch.as_tensor(observations)})["action_dist_inputs"]
    return torch.distributions.Categorical(logits=logits).sample().numpy()


report("ray", int(trained), choose)
algorithm.stop()
