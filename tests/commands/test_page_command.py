"""Command `diamant page`: server on localhost only, Ctrl-C."""

import json
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import pytest

from diamant_env.commands import diamant
from tests.support.asgi_client import Client
from tests.support.browser import Server


def test_page_serves_until_ctrl_c():
    pytest.importorskip("uvicorn", reason='the page needs the extra "web"')
    server = Server(stderr=subprocess.PIPE)
    try:
        with urllib.request.urlopen(f"{server.address}menu", timeout=600) as response:
            assert "champion" in {agent["text"] for agent in json.load(response)["agents"]}
            assert "server" not in response.headers
        asked = {"edition": "iello-2016", "agents": ["you", "champion"], "seed": 1}
        request = urllib.request.Request(
            f"{server.address}new", json.dumps(asked).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as response:
            assert json.load(response)["must_decide"]
        request = urllib.request.Request(server.address, headers={"Host": "diamant.example"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(request, timeout=600)
        server.process.send_signal(signal.SIGINT)
        output, errors = server.process.communicate(timeout=600)
    finally:
        server.stop()
    assert (server.process.returncode, output, errors) == (130, "", "diamant page: stopped\n")


@pytest.fixture
def served(monkeypatch):
    """Replace serving; return the applications and ports that would be served."""
    uvicorn = pytest.importorskip("uvicorn", reason='the page needs the extra "web"')
    from diamant_env.page.answers import Answers

    found = []
    monkeypatch.setattr(Answers, "warm_up", lambda self: None)
    serve = lambda self, sockets: found.append((self.config.app, sockets[0].getsockname()))  # noqa: E731
    monkeypatch.setattr(uvicorn.Server, "run", serve)
    return found


def test_named_agents_and_edition_are_on_menu(served):
    options = ["--agents", "hunter", "bag:9", "--edition", "incan-gold"]
    assert diamant.main(["page", "--no-browser", "--port", "0", *options]) == 0
    menu = Client(served[0][0]).get("/menu").json
    assert menu["default"] == {"edition": "incan-gold", "agents": ["you", "hunter", "bag:9"]}


def test_port_in_use_is_an_error(served):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert diamant.main(["page", "--no-browser", "--port", str(port)]) == 2
    assert diamant.main(["page", "--no-browser", "--port", str(port)]) == 0
    assert [address for _, address in served] == [("127.0.0.1", port)]
