"""Example with a language model (chat_model.py)."""

import io
import json
import urllib.request

import numpy as np
import pytest

from diamant_env import Batch, Observations
from diamant_env.opponents import SeatedAgents, make_agent
from examples import chat_model

URL = "http://127.0.0.1:8000/v1/chat/completions"


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


@pytest.mark.parametrize(("answer", "leaves"), [("LEAVE", True), ("Leave? No: **continue**.", False), ("", False)])
def test_last_word_is_the_answer(answer, leaves):
    assert chat_model.leaves(answer) == leaves
