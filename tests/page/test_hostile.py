"""Invalid requests to the page's server, and those of other sites."""

import asyncio
import json

import pytest

from diamant_env.records import GameSession
from tests.support.asgi_client import HOST, Client, request

pytest.importorskip("starlette", reason='the page needs the extra "web"')
from diamant_env.page.server import make_app


def text_of(*turns: list[int], names: tuple[str, ...] = ("you", "bag:8"), seed: int = 3) -> str:
    """Return the record of a game with these decisions, on the page's side."""
    session = GameSession("iello-2016", [None, None], seed, names)
    for turn in turns:
        session.play(turn)
    return session.record().to_json()


GAME, WAITING = text_of([0, 0]), text_of([1, 0])
OVER = text_of(*[[1, 1]] * 5, names=("bag:8", "bag:18"))
NEW = {"edition": "iello-2016", "agents": ["you", "bag:8"], "seed": 3}


@pytest.fixture(scope="module")
def client():
    return Client(make_app())


INVALID = [
    *[
        ("/new", NEW | wrong)
        for wrong in (
            {"edition": "diamond"},
            {"edition": "iello-2016/hidden_chests:2"},
            {"agents": ["you"] + ["bag:8"] * 8},
            {"agents": ["you", "you"]},
            {"agents": ["you", "os:system"]},
            {"agents": ["you", []]},
            {"seed": 2**53},
            {"edition": "iello-2016/hidden_chests:1", "agents": ["catch-up", "bag:8"]},
            {"more": 1},
        )
    ],
    *[
        ("/view", {"game": GAME.replace(old, new), "turns": None})
        for old, new in (
            ("bag:8", "os:system"),
            ('"seed": 3', '"cards": []'),
            ('"names": ["you", "bag:8"]', '"names": []'),
        )
    ],
    ("/turn", {"game": GAME, "decision": None}),
    ("/turn", {"game": WAITING, "decision": 0}),
    ("/turn", {"game": GAME, "decision": 2}),
    ("/view", {"game": GAME, "turns": -1}),
    ("/view", {"game": [], "turns": None}),
    ("/odds", {"game": WAITING}),
    ("/review", {"game": GAME}),
    ("/review", {"game": OVER}),
]


@pytest.mark.parametrize(("path", "given"), INVALID)
def test_invalid_request_is_refused(client, path, given):
    response = client.post(path, **given)
    assert (response.status, list(response.json)) == (400, ["error"])


def test_malformed_body_is_refused(client):
    assert client.send("/view", b"{").status == 400


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"host": "localhost:80"}, 200),
        ("GET", "/", {"host": "diamant.example:8000"}, 403),
        ("GET", "/", {"host": "127.0.0.1.example"}, 403),
        ("GET", "/menu", {"origin": f"http://{HOST}"}, 200),
        ("GET", "/menu", {"origin": "https://diamant.example"}, 403),
        ("POST", "/view", {"origin": "http://diamant.example"}, 403),
        ("POST", "/view", {"origin": "null"}, 403),
        ("GET", "/view", {}, 405),
        ("GET", "/nothing", {}, 404),
        ("GET", "/static/../server.py", {}, 404),
        ("GET", "/static/index.html", {}, 200),
        ("GET", "/card/17/snake.svg", {}, 200),
        ("GET", "/card/29/relic.svg", {}, 404),
    ],
)
def test_host_origin_method_and_path_are_checked(client, method, path, headers, status):
    body = json.dumps({"game": GAME}).encode() if method == "POST" else b""
    response = asyncio.run(request(client.app, method, path, body, headers))
    assert response.status == status
    assert "default-src 'none'; script-src 'self'" in response.headers["content-security-policy"]
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in response.headers
    if status >= 400:
        assert list(response.json) == ["error"]
