"""Example with a language model (chat_model.py) against scripted answers of a server."""

import io
import json
import urllib.request

import pytest

from diamant_env.judging import evaluate
from diamant_env.opponents import make
from diamant_env.opponents.language.words import CHOICES
from examples import chat_model
from tests.opponents.test_text_agent import ev

URL = "http://127.0.0.1:8000/v1/chat/completions"


@pytest.fixture
def asked(monkeypatch):
    """Answer each message as ``ev:0.75`` does; return the requests."""
    requests = []

    def answer(request, timeout):
        requests.append(request)
        message = {"role": "assistant", "content": ev(json.loads(request.data)["messages"][0]["content"])}
        completion = {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
        return io.BytesIO(json.dumps(completion).encode())

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    return requests


def test_scripted_model_plays_as_ev(asked, capsys):
    words = [URL, "--model", "small", "--header", "Authorization: Bearer none", "--games", "6"]
    assert chat_model.main(words) == 0
    row, _ = [line for line in capsys.readouterr().out.splitlines() if line.startswith("small ")]
    same = evaluate(lambda obs: make("ev").act(obs, None), "ev", 6, players=2).results[0]
    assert f"{same.score.mean:.2f} ±" in row
    assert len(asked) > 10
    assert (asked[0].full_url, asked[0].get_method()) == (URL, "POST")
    message, headers = json.loads(asked[0].data), dict(asked[0].header_items())
    assert (message["model"], message["temperature"]) == ("small", 0)
    assert message["messages"][0]["role"] == "user"
    assert message["messages"][0]["content"].endswith(CHOICES)
    assert (headers["Authorization"], headers["Content-type"]) == ("Bearer none", "application/json")


def test_other_answer_of_the_server_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(urllib.request, "urlopen", lambda request, timeout: io.BytesIO(b"busy"))
    assert chat_model.main([URL, "--games", "2"]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("python -m examples.chat_model: error: default: the function raised ")
    assert errors.count("\n") == 1
    assert "answered 'busy'; choices[0].message.content is expected" in errors
