"""AgileRL: IPPO with one network for all seats, on `diamant_env.Batch`.

Install: pip install -e ".[judge]" agilerl peft torch==2.13.0   (in a separate venv: it needs pettingzoo < 1.27)
Run:     python -m examples.agilerl_ippo --steps 300000

Decisions counted: rows whose seat must decide.
Mask: none. AgileRL samples actions with the masks in the infos, but its loss ignores them.
Idle seats: rows whose action is ignored; they enter the loss.
Limits (2.58): no parameter sharing. Agents of one group ("player_0", "player_1") share a network, but `learn` flattens
observations by (seat, turn) and advantages by (turn, seat), so nothing is learned. `train_multi_agent_on_policy` loses
the end of a game when all its seats end at once. So here all seats of many games are rows of one agent, in a custom
loop.
"""

import argparse
import time

import numpy as np
import torch
from agilerl.algorithms.ippo import IPPO
from gymnasium.spaces import Discrete

from diamant_env import NUM_FEATURES, Batch
from diamant_env.observation import observation_space
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
steps = parser.parse_args().steps

torch.manual_seed(0)
torch.set_num_threads(1)
np.random.seed(0)  # noqa: NPY002 - AgileRL shuffles with it
agent = IPPO(
    observation_spaces=[observation_space()],
    action_spaces=[Discrete(2)],
    agent_ids=["player"],
    net_config={
        "latent_dim": 64,
        "encoder_config": {"hidden_size": [64], "activation": "Tanh"},
        "head_config": {"hidden_size": [64], "activation": "Tanh"},
    },
    batch_size=1024,
    lr=1e-3,
    gamma=1.0,
    gae_lambda=0.95,
    ent_coef=0.005,
    update_epochs=4,
)
games, seats = 32, 4
batch = Batch(games, seats, reward="win")
rewards, done = np.zeros((games, seats), np.float32), np.zeros(games, bool)
decisions = 0
start = time.perf_counter()
observations, ends = batch.reset(0).reshape(-1, NUM_FEATURES), np.zeros(games * seats)
while decisions < steps:
    # Lists by turn: states, actions, log-probabilities, rewards, ends before the turn, values.
    rollout = [{"player": []} for _ in range(6)]
    for _ in range(64):
        actions, log_probs, _, values = agent.get_action({"player": observations})
        next_observations = np.zeros((games, seats, NUM_FEATURES), np.float32)
        played = actions["player"].reshape(games, seats).astype(np.int8)
        batch.step(played, next_observations, rewards, done, auto_reset=True)
        turn = (observations, actions["player"], log_probs["player"], rewards.flatten(), ends, values["player"])
        for kept, new in zip(rollout, turn, strict=True):
            kept["player"].append(new)
        decisions += int(observations[:, 0].sum())
        observations, ends = next_observations.reshape(-1, NUM_FEATURES), np.repeat(done, seats).astype(float)
    agent.learn((*rollout, {"player": observations}, {"player": ends}))
seconds = time.perf_counter() - start


def choose(observations):
    """Sample decisions."""
    return agent.get_action({"player": observations})[0]["player"]


report("agilerl", decisions, seconds, choose)
