"""Command `diamant page`: server on localhost only, Ctrl-C."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from diamant_env.commands import diamant
from tests.support.asgi_client import Client

ROOT = Path(__file__).parents[2]


def test_page_serves_until_ctrl_c():
    pytest.importorskip("uvicorn", reason='the page needs the extra "web"')
    server = subprocess.Popen(
        [sys.executable, "-m", "diamant_env", "page", "--no-browser", "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = re.fullmatch(
            r"The page is at (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\.\n", server.stdout.readline()
        )[1]
        with urllib.request.urlopen(f"{address}menu", timeout=600) as response:
            assert "champion" in {agent["text"] for agent in json.load(response)["agents"]}
            assert "server" not in response.headers
        asked = {"edition": "iello-2016", "agents": ["you", "champion"], "seed": 1}
        request = urllib.request.Request(
            f"{address}new", json.dumps(asked).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as response:
            assert json.load(response)["must_decide"]
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "diamant.example"}), timeout=600)
        server.send_signal(signal.SIGINT)
        output, errors = server.communicate(timeout=600)
    finally:
        server.kill()
    assert (server.returncode, output, errors) == (130, "", "diamant page: stopped\n")


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


def test_missing_library_names_the_extra(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "diamant_env.page.server", raising=False)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    assert diamant.main(["page", "--no-browser"]) == 2
    assert "diamant-env[web]" in capsys.readouterr().err
