"""Behaviour cloning: a network that imitates an agent, trained on games of its copies.

pip install -c constraints.txt -e ".[train]"
python examples/clone_an_agent.py ev:0.75 clone.safetensors
diamant evaluate clone.safetensors --against ev:0.75
"""

import json
import sys
from itertools import pairwise

import numpy as np
import torch
from safetensors.torch import save as to_bytes

from diamant_env import Batch
from diamant_env.opponents import SeatedAgents, make_agent
from diamant_env.opponents.network import FORMAT, LAYOUT, digest_of_tensors
from diamant_env.storage.files import write_atomic


def decisions_of(text: str, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return observations and decisions of copies of an agent: float32 (n, features), int8 (n,)."""
    batch, observations, actions = Batch(games, 4), [], []
    batch.reset(seed)
    for turn in SeatedAgents(batch, [make_agent(text, seed)], np.zeros((games, 4), int)).turns():
        deciding = turn.observations[:, :, 0] > 0
        observations.append(turn.observations[deciding])
        actions.append(turn.actions[deciding])
    return np.concatenate(observations), np.concatenate(actions)


def clone(observations: np.ndarray, actions: np.ndarray, steps: int = 1000) -> torch.nn.Sequential:
    """Return a network with two logits, CONTINUE and LEAVE."""
    observation, action = torch.tensor(observations), torch.tensor(actions).long()
    sizes = [observation.shape[1], 64, 64]
    hidden = [layer for pair in pairwise(sizes) for layer in (torch.nn.Linear(*pair), torch.nn.ReLU())]
    network = torch.nn.Sequential(*hidden, torch.nn.Linear(64, 2))
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(steps):
        rows = torch.randint(len(action), (1024,))
        loss = torch.nn.functional.cross_entropy(network(observation[rows]), action[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network


def save(network: torch.nn.Sequential, path: str) -> None:
    """Write a policy file, which every command of this project accepts as an agent."""
    layers = [layer for layer in network if isinstance(layer, torch.nn.Linear)]
    tensors = {f"{i}.{name}": value for i, layer in enumerate(layers) for name, value in layer.state_dict().items()}
    sha256 = digest_of_tensors({name: value.numpy() for name, value in tensors.items()})
    metadata = {"format": FORMAT, "layout": LAYOUT, "activation": "relu", "name": "clone", "sha256": sha256}
    write_atomic(path, to_bytes(tensors, {"diamant": json.dumps(metadata)}))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)  # faster for a small network
    network = clone(*decisions_of(sys.argv[1], games=1800, seed=0))
    observations, actions = decisions_of(sys.argv[1], games=200, seed=1_000_000)  # held-out games
    guess = network(torch.tensor(observations)).argmax(1).numpy()
    print(f"agrees in {(guess == actions).mean():.1%} of {len(actions):,} held-out decisions")
    print(f"always continuing: {1 - actions.mean():.1%}")
    save(network, sys.argv[2])
