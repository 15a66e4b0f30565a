"""Tianshou 2: PPO on the Gymnasium environment, one learner among copies of itself.

Install: pip install -e ".[evaluation]" tianshou==2.0.1 torch==2.13.0   (in a separate venv, else it may be 0.5.1)
Run:     python examples/tianshou_ppo.py --steps 300000

Decisions counted: every step of every game.
Mask: not needed. Idle seats: none; the environment plays the turns for which the learner is in camp. The opponents are
a function that evaluates the network being trained: self-play.
Limits: no simultaneous decisions. Tianshou's `PettingZooEnv` accepts diamant_v0.env(mask="observation"), but a row has
the rewards of its own call only; rewards come after the last seat's call, so the other seats would learn nothing.
Gymnasium's vector environments are not supported: `DummyVectorEnv` steps one game after the other.
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

import diamant_env
from diamant_env.evaluation import evaluate

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
parser.add_argument("--games", type=int, default=20_000, help="games of the evaluation")
args = parser.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)


def network():
    """Return two hidden layers; Tianshou adds the heads."""
    return Net(state_shape=diamant_env.NUM_FEATURES, hidden_sizes=[64, 64], activation=torch.nn.Tanh)


actor = DiscreteActor(preprocess_net=network(), action_shape=2, softmax_output=False)
critic = DiscreteCritic(preprocess_net=network())


def leave_probability(obs):
    """Return P(LEAVE) by the network being trained, for the three opponents and for the evaluation."""
    with torch.no_grad():
        return actor(obs.flat)[0].softmax(-1)[:, 1].numpy()


def make_env():
    """Return one table."""
    return gymnasium.make("diamant_env/Diamant-v0", reward="win", opponents=leave_probability)


env = DummyVectorEnv([make_env for _ in range(64)])
env.seed(0)
policy = DiscreteActorPolicy(actor=actor, action_space=env.action_space[0], observation_space=env.observation_space[0])
algorithm = PPO(
    policy=policy,
    critic=critic,
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=1.0,
    gae_lambda=0.95,
    ent_coef=0.005,
    max_grad_norm=0.5,
    advantage_normalization=True,
)
batch = min(8192, args.steps)
collector = Collector(algorithm, env, VectorReplayBuffer(2 * batch, len(env)))
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=args.steps,
        collection_step_num_env_steps=batch,
        update_step_num_repetitions=4,
        batch_size=1024,
    )
)

print(evaluate(("tianshou_ppo", leave_probability), against="held-out", games=args.games))
