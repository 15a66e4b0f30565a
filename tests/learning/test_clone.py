"""Behaviour cloning example: agreement with the imitated agent."""

import numpy as np
import torch

from diamant_env import Batch, Observations
from diamant_env.opponents import make
from examples import clone_an_agent as example


def test_clone_agrees_with_agent(tmp_path):
    path = str(tmp_path / "clone.safetensors")
    torch.manual_seed(0)
    example.save(example.clone(*example.decisions_of("bag:8", games=400, seed=0), steps=300), path)
    batch, clone, agent = Batch(300, 4), make(path), make("bag:8")
    observations, first, agreed = batch.reset(seed=5), np.zeros(1200, bool), []
    for _ in range(12):
        seen = Observations(observations.reshape(1200, -1))
        leave = agent.act(seen, first)
        inside = seen.flat[:, 0] > 0
        agreed.append(((clone.act(seen, first) > 0.5) == (leave > 0.5))[inside])
        batch.step((leave > 0.5).reshape(300, 4).astype(np.int8), observations, auto_reset=True)
    assert np.concatenate(agreed).mean() > 0.97
