"""Behaviour cloning example: agreement with the imitated agent."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from diamant_env import Batch, Observations
from diamant_env.opponents import make

pytest.importorskip("torch")
ROOT = Path(__file__).parents[2]


def test_clone_agrees_with_agent(tmp_path):
    policy = tmp_path / "clone.safetensors"
    command = [sys.executable, "examples/clone_an_agent.py", "bag:8", policy]
    subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, check=True
    )
    batch, clone, agent = Batch(300, 4), make(str(policy)), make("bag:8")
    observations, first, agreed = batch.reset(seed=5), np.zeros(1200, bool), []
    for _ in range(12):
        seen = Observations(observations.reshape(1200, -1))
        leave = agent.act(seen, first)
        inside = seen.flat[:, 0] > 0
        agreed.append(((clone.act(seen, first) > 0.5) == (leave > 0.5))[inside])
        batch.step((leave > 0.5).reshape(300, 4).astype(np.int8), observations, auto_reset=True)
    assert np.concatenate(agreed).mean() > 0.97
