"""Tianshou 2: PPO on the Gymnasium environment, one learner among opponents.

Install: pip install -e . tianshou==2.0.1 torch==2.13.0   (in a venv of its own: pip may pick the old 0.5.1 elsewhere)
Run:     python -m examples.tianshou_ppo --steps 20000

Mask: not needed. Idle seats: none; while the learner is in camp the game plays on.
Mind: Tianshou's own `PettingZooEnv` takes diamant_v0.env(mask="observation"), but its rows keep the rewards of the one
call alone: with simultaneous decisions all are paid after the last seat's call, so that the others would learn nothing.
"""

import argparse

import gymnasium
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

import diamant_env  # noqa: F401 - registers the tasks
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20_000)
steps = parser.parse_args().steps

torch.manual_seed(0)
tables = [lambda: gymnasium.make("diamant_env/Diamant-v0", reward="win", opponents="bag:15") for _ in range(8)]
env = DummyVectorEnv(tables)
env.seed(0)
space, actions = env.observation_space[0], env.action_space[0]
actor = DiscreteActor(
    preprocess_net=Net(state_shape=space.shape, hidden_sizes=[64, 64]), action_shape=actions.n, softmax_output=False
)
critic = DiscreteCritic(preprocess_net=Net(state_shape=space.shape, hidden_sizes=[64, 64]))
policy = DiscreteActorPolicy(actor=actor, action_space=actions, observation_space=space)
algorithm = PPO(policy=policy, critic=critic, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0)
batch = min(2000, steps)
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=Collector(algorithm, env, VectorReplayBuffer(2 * batch, len(tables))),
        max_epochs=1,
        epoch_num_steps=steps,
        collection_step_num_env_steps=batch,
        update_step_num_repetitions=4,
        batch_size=500,
    )
)


def choose(observations):
    """Draw decisions from the actor."""
    with torch.no_grad():
        return torch.distributions.Categorical(logits=actor(observations)[0]).sample().numpy()


report("tianshou", steps, choose)
