"""Behaviour cloning: a network that imitates an agent, from a file of its decisions.

pip install -c constraints.txt -e ".[train]"
python -m train.export ev:0.75 --games 2000 --out ev.npz
python examples/clone_an_agent.py ev.npz clone.safetensors
diamant evaluate clone.safetensors --against clones:ev:0.75
"""

import json
import sys
from itertools import pairwise

import numpy as np
import torch
from safetensors.torch import save as to_bytes

from diamant_env.opponents.network import FORMAT, digest, layout
from diamant_env.storage.files import write_whole


def clone(decisions, steps: int = 1000) -> torch.nn.Sequential:
    """Return a network of the logits of CONTINUE and LEAVE."""
    observation, action = torch.tensor(decisions["observation"]), torch.tensor(decisions["action"]).long()
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
    """Write a policy file that every command of this project takes for an agent."""
    layers = [layer for layer in network if isinstance(layer, torch.nn.Linear)]
    tensors = {f"{i}.{name}": value for i, layer in enumerate(layers) for name, value in layer.state_dict().items()}
    sha256 = digest({name: value.numpy() for name, value in tensors.items()})
    about = {"format": FORMAT, "layout": layout(), "activation": "relu", "name": "clone", "sha256": sha256}
    write_whole(path, to_bytes(tensors, {"diamant": json.dumps(about)}))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)  # for so small a network more are slower
    decisions = dict(np.load(sys.argv[1]))
    fresh = decisions["game"] % 10 == 0  # every tenth game is kept for judging
    network = clone({name: decisions[name][~fresh] for name in ("observation", "action")})
    guess = network(torch.tensor(decisions["observation"][fresh])).argmax(1).numpy()
    leaves = decisions["leave_probability"][fresh] > 0.5
    print(f"agrees in {(guess == leaves).mean():.1%} of {fresh.sum():,} decisions of other games")
    print(f"would continue always: {1 - leaves.mean():.1%}")
    save(network, sys.argv[2])
