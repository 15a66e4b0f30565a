"""Examples with a small budget, where their library is installed."""

import importlib.util
import io
import json
import runpy
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import torch

from diamant_env import Batch, Observations
from diamant_env.opponents import SeatedAgents, make_agent
from examples import chat_model, clone_an_agent

EXAMPLES = Path(__file__).parents[2] / "examples"
URL = "http://127.0.0.1:8000/v1/chat/completions"
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


@pytest.mark.parametrize("edition", ["iello-2016", "incan-gold"])
def test_stub_plays_as_bag_12(edition):
    batch = Batch(50, 3, edition)
    seated, bags = SeatedAgents(batch, [make_agent(chat_model.player(chat_model.stub))], np.zeros((50, 3), int)), []
    batch.reset(0)
    for turn in seated.turns():
        inside = turn.observations[:, :, 0] > 0
        bags += Observations(turn.observations[inside])["bag"].tolist()
        np.testing.assert_array_equal(turn.leave[inside], np.array(bags[-inside.sum() :]) >= 12)
    assert max(bags) >= 12


def test_server_is_asked_for_each_decision(monkeypatch, capsys):
    requests = []

    def answer(request, timeout):
        requests.append(request)
        message = {"role": "assistant", "content": chat_model.stub(json.loads(request.data)["messages"][0]["content"])}
        return io.BytesIO(json.dumps({"choices": [{"index": 0, "message": message}]}).encode())

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    monkeypatch.setenv("API_KEY", "none")
    chat_model.main(["--games", "4"])
    asked = capsys.readouterr().out
    chat_model.main(["--url", URL, "--model", "small", "--games", "4"])
    assert capsys.readouterr().out == asked
    message, headers = json.loads(requests[0].data), dict(requests[0].header_items())
    assert (requests[0].full_url, message["model"]) == (URL, "small")
    assert message["messages"][0]["content"].endswith(chat_model.QUESTION)
    assert (headers["Authorization"], headers["Content-type"]) == ("Bearer none", "application/json")
