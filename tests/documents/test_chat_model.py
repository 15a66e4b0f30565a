"""Examples with language models (chat_model.py) against a scripted server."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from diamant_env.opponents.language.words import CHOICES
from examples import chat_model
from tests.exact.test_exact import compiled_only
from tests.opponents.test_text_agent import ev


class Server(HTTPServer):
    """Answers each message by a function of its text and records all messages."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.sent: list[tuple[dict, dict]] = []
        self.answer = ev
        self.body = None  # overrides the answer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/chat/completions"


class Handler(BaseHTTPRequestHandler):
    """Handler of one request."""

    server: Server

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.sent.append((message, dict(self.headers)))
        answer = self.server.answer(message["messages"][0]["content"])
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
        completion = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}
        body = json.dumps(completion).encode() if self.server.body is None else self.server.body
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@compiled_only
def test_scripted_model_has_loss_of_ev(server, capsys):
    words = [server.url, "--model", "small", "--header", "Authorization: Bearer none", "--games", "6"]
    assert chat_model.main(words) == 0
    rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if "copies of" in line}
    assert rows["small"][-2:] == ["0", "0"]  # retries, illegal
    assert rows["small"][4:-2] == rows["ev:0.75"][4:]
    assert int(rows["small"][4]) == len(server.sent) > 10
    message, headers = server.sent[0]
    assert (message["model"], message["temperature"]) == ("small", 0)
    assert message["messages"][0]["role"] == "user"
    assert message["messages"][0]["content"].endswith(CHOICES)
    assert (headers["Authorization"], headers["Content-Type"]) == ("Bearer none", "application/json")


def test_other_answer_of_the_server_is_one_line(server, capsys):
    server.body = b"busy"
    assert chat_model.main([server.url, "--games", "2"]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("python -m examples.chat_model: error: default: the function raised ")
    assert errors.count("\n") == 1
    assert "answered 'busy'; choices[0].message.content is expected" in errors
