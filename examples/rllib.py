"""RLlib: PPO on its current API stack, one policy for every seat.

Install: pip install -e . "ray[rllib]>=2.60,<3" torch==2.13.0 tqdm   (in a venv of its own: it pins gymnasium 1.2.2)
Run:     python -m examples.rllib --steps 300000
         python -m examples.rllib --mask --steps 300000

Counted: rows whose seat must decide; RLlib counts turns of a table as env steps, and what each seat did as agent steps.
Mask and idle seats, two ways. RLlib asks only the agents that are observed: by default those that must decide, so no
idle row enters the loss, and what a seat earns while idle is added to its last decision. With --mask all seats are
observed as {"observations", "action_mask"}, the keys that RLlib's `ActionMaskingTorchRLModule` looks for; PettingZoo's
key is "observation". Idle seats then are rows with one legal action, which still enter the value loss.
What it can't do: take the PettingZoo environment with masks as it is, hence the class below. At the end every seat must
be observed once more, so that each trajectory ends with its own reward.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from diamant_env import diamant_v0
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
parser.add_argument("--mask", action="store_true", help="ask idle seats too, with RLlib's action mask")
args = parser.parse_args()


class Table(MultiAgentEnv):
    """The PettingZoo environment in RLlib's form."""

    decisions = 0

    def __init__(self, config):
        super().__init__()
        self.game = diamant_v0.parallel_env(num_players=4, reward="win")
        self.possible_agents = self.game.possible_agents[:]
        self.agents = self.possible_agents[:]
        self.action_spaces = self.game.action_spaces
        self.observation_spaces = self.game.observation_spaces
        if args.mask:
            masks = gymnasium.spaces.Box(0, 1, (2,), np.float32)
            self.observation_spaces = {
                agent: gymnasium.spaces.Dict({"observations": space, "action_mask": masks})
                for agent, space in self.game.observation_spaces.items()
            }

    def reset(self, *, seed=None, options=None):
        """Start a game."""
        observations, infos = self.game.reset(seed=seed, options=options)
        return self.seen(observations, infos, over=False), {}

    def step(self, action_dict):
        """Play one turn; idle seats may be left out of the actions."""
        observations, rewards, terminations, _, infos = self.game.step(action_dict)
        over = all(terminations.values())
        return self.seen(observations, infos, over), rewards, {"__all__": over}, {"__all__": False}, {}

    def seen(self, observations, infos, over):
        """Return RLlib's observations: all seats with masks, or the seats that must decide; at the end all."""
        deciding = [agent for agent, info in infos.items() if info["active"]]
        Table.decisions += len(deciding)
        if args.mask:
            return {
                agent: {"observations": row, "action_mask": infos[agent]["action_mask"].astype(np.float32)}
                for agent, row in observations.items()
            }
        return observations if over else {agent: observations[agent] for agent in deciding}


model = DefaultModelConfig(fcnet_hiddens=[64, 64], fcnet_activation="tanh", vf_share_layers=False)
config = (
    PPOConfig()
    .environment(Table)
    .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
    .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
    .rl_module(
        rl_module_spec=RLModuleSpec(ActionMaskingTorchRLModule, model_config=model) if args.mask else None,
        model_config=model,
    )
    .training(
        train_batch_size_per_learner=min(2600, args.steps),  # turns
        minibatch_size=min(1024, args.steps),
        num_epochs=4,
        lr=1e-3,
        gamma=1.0,
        lambda_=0.95,
        clip_param=0.2,
        entropy_coeff=0.005,
        vf_loss_coeff=0.5,
        use_kl_loss=False,
        grad_clip=0.5,
    )
    .debugging(seed=0)
)
algorithm = config.build_algo()
start = time.perf_counter()
while Table.decisions < args.steps:
    algorithm.train()
seconds = time.perf_counter() - start
module = algorithm.get_module("shared")


def choose(observations):
    """Draw decisions from the shared policy."""
    rows = torch.as_tensor(observations)
    seen = {"observations": rows, "action_mask": torch.ones(len(rows), 2)} if args.mask else rows
    with torch.no_grad():
        logits = module.forward_inference({"obs": seen})["action_dist_inputs"]
    return torch.distributions.Categorical(logits=logits).sample().numpy()


report("ray", Table.decisions, seconds, choose)
algorithm.stop()
