"""Examples with a small budget, where their library is installed."""

import importlib.util
import runpy
from pathlib import Path

import numpy as np
import pytest
import torch

from diamant_env import Observations
from diamant_env.opponents import make_agent
from examples import clone_an_agent

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMANDS = {
    "sb3_vec_env": "stable_baselines3",
    "sb3_vec_env --maskable": "sb3_contrib",
    "sb3_vec_env --supersuit": "supersuit",
    "cleanrl_style": "torch",
    "rllib": "ray",
    "rllib --mask": "ray",
    "torchrl_ppo": "torchrl",
    "tianshou_ppo": "tianshou",
    "benchmarl_mappo": "benchmarl",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_example_runs(command, capsys, monkeypatch):
    if importlib.util.find_spec(COMMANDS[command]) is None:
        pytest.skip(f"{COMMANDS[command]} is not installed")
    name, *options = command.split()
    budget = "--turns" if name == "benchmarl_mappo" else "--steps"
    monkeypatch.setattr("sys.argv", [name, *options, budget, "600", "--games", "200"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert "held_out" in capsys.readouterr().out.splitlines()[-3]


def test_clone_agrees_with_agent(tmp_path):
    path = str(tmp_path / "clone.safetensors")
    torch.manual_seed(0)
    clone_an_agent.save(clone_an_agent.clone(*clone_an_agent.decisions_of("bag:8", 400, seed=0), steps=300), path)
    observations, actions = clone_an_agent.decisions_of("bag:8", 100, seed=5)
    leave = make_agent(path).act(Observations(observations), np.zeros(len(actions), bool))
    assert ((leave > 0.5) == actions).mean() > 0.97
