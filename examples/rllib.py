"""RLlib: PPO on the new API stack, one policy for all seats.

Install: pip install -e ".[evaluation]" "ray[rllib]>=2.60,<3" torch==2.13.0   (in its own venv: it pins gymnasium 1.2.2)
Run:     python examples/rllib.py --steps 300000
         python examples/rllib.py --mask --steps 300000

Decisions counted: rows whose seat must decide; RLlib counts turns as env steps and the seats' actions as agent steps.
Mask and idle seats: RLlib requests actions only of agents with an observation: by default those that must decide, so no
idle row enters the loss, and rewards of an idle seat are credited to its last decision. With --mask all seats get
{"observations", "action_mask"}, the keys of RLlib's `ActionMaskingTorchRLModule` (PettingZoo's is "observation"). Idle
seats then are rows with one legal action, which still enter the value loss.
Limits: the PettingZoo environment with masks needs the adapter below. At the end of a game every seat must be observed
once more, so that each trajectory ends with its own reward.
"""

import argparse

import gymnasium
import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from diamant_env import diamant_v0
from diamant_env.evaluation import evaluate

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
parser.add_argument("--games", type=int, default=20_000, help="games of the evaluation")
parser.add_argument("--mask", action="store_true", help="include idle seats, with RLlib's action mask")
args = parser.parse_args()


class Table(MultiAgentEnv):
    """Adapter of the PettingZoo environment to RLlib."""

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
        return self.observed(observations, infos, over=False), {}

    def step(self, action_dict):
        """Play one turn; idle seats may be left out of the actions."""
        observations, rewards, terminations, _, infos = self.game.step(action_dict)
        over = all(terminations.values())
        return self.observed(observations, infos, over), rewards, {"__all__": over}, {"__all__": False}, {}

    def observed(self, observations, infos, over):
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
while Table.decisions < args.steps:
    algorithm.train()
module = algorithm.get_module("shared")


def leave_probability(obs):
    """Return P(LEAVE) by the shared policy."""
    rows = torch.as_tensor(obs.flat)
    inputs = {"observations": rows, "action_mask": torch.ones(len(rows), 2)} if args.mask else rows
    with torch.no_grad():
        logits = module.forward_inference({"obs": inputs})["action_dist_inputs"]
    return logits.softmax(-1)[:, 1].numpy()


print(evaluate(("rllib", leave_probability), against="held-out", games=args.games))
algorithm.stop()
