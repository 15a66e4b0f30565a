"""Hostile and invalid requests to the page's server."""

import asyncio
import json

import numpy as np
import pytest

from diamant_env.records import GameSession
from tests.support.asgi_client import HOST, Client, request

pytest.importorskip("starlette", reason='the page needs the extra "web"')
from diamant_env.page.server import MOST_BYTES, make_app


def text_of(*turns: list[int], names: tuple[str, ...] = ("you", "bag:8"), seed: int = 3) -> str:
    """Return the record of a game with these decisions, on the page's side."""
    session = GameSession("iello-2016", [None, None], seed, names)
    for turn in turns:
        session.play(turn)
    return session.record().to_json()


GAME, WAITING = text_of([0, 0]), text_of([1, 0])
OVER = text_of(*[[1, 1]] * 5, names=("bag:8", "bag:18"))
NEW = {"edition": "iello-2016", "hidden_chests": False, "agents": ["you", "bag:8"], "seed": 3}


@pytest.fixture(scope="module")
def client():
    return Client(make_app())


INVALID = [
    *[
        ("/new", NEW | wrong, message)
        for wrong, message in (
            ({"edition": "diamond"}, 'unknown edition "diamond"; editions: iello-2016, '),
            ({"hidden_chests": 1}, "hidden_chests=1; true, false or null is allowed"),
            ({"agents": ["you"] + ["bag:8"] * 8}, "a list of 1 to 8"),
            ({"agents": ["you", "you"]}, "2 times 'you' among the agents"),
            ({"agents": ["you", "os:system"]}, 'unknown agent "os:system"; agents: you, champion'),
            ({"agents": ["you", []]}, "unknown agent []"),
            ({"seed": 2**53}, "seed=9007199254740992; a whole number"),
            ({"hidden_chests": True, "agents": ["catch-up", "bag:8"]}, "this table hides them"),
            ({"more": 1}, "a JSON object with exactly edition, hidden_chests, agents, seed is required"),
        )
    ],
    *[
        ("/view", {"game": GAME.replace(old, new), "turns": None}, message)
        for old, new, message in (
            ("bag:8", "os:system", 'unknown agent "os:system"; agents: you, champion'),
            ('"seed": 3', '"cards": []', "0 cards are too few"),
            ('"names": ["you", "bag:8"]', '"names": []', "a record with a seed and the players' names is required"),
        )
    ],
    ("/turn", {"game": GAME, "decision": None}, "you must decide: 0 continues, 1 leaves"),
    ("/turn", {"game": WAITING, "decision": 0}, "you need not decide: null"),
    ("/turn", {"game": GAME, "decision": 2}, "0 continues, 1 leaves"),
    ("/view", {"game": GAME, "turns": -1}, "turns=-1; a whole number"),
    ("/view", {"game": [], "turns": None}, "the text of a record is required"),
    ("/odds", {"game": WAITING}, "nothing to advise"),
    ("/review", {"game": GAME}, "the game is not over yet"),
    ("/review", {"game": OVER}, "only agents played this game"),
]


@pytest.mark.parametrize(("path", "given", "message"), INVALID)
def test_invalid_request_is_refused(client, path, given, message):
    response = client.post(path, **given)
    assert (response.status, list(response.json)) == (400, ["error"])
    assert message in response.json["error"]
    assert "\n" not in response.json["error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b'{"game": NaN}', 400),
        (b'{"game": "\\ud800"}', 400),
        (b'{"game": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", 400),
        (b'{"game": "' + b"x" * MOST_BYTES + b'"}', 413),
    ],
)
def test_malformed_body_is_refused(client, body, status):
    response = client.send("/view", body)
    assert (response.status, list(response.json)) == (status, ["error"])


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"host": "localhost:80"}, 200),
        ("GET", "/", {"host": "diamant.example:8000"}, 403),
        ("GET", "/", {"host": "127.0.0.1.example"}, 403),
        ("GET", "/menu", {"origin": f"http://{HOST}"}, 200),
        ("GET", "/menu", {"origin": "https://diamant.example"}, 403),
        ("POST", "/view", {"origin": "http://diamant.example"}, 403),
        ("POST", "/view", {"content-type": "text/plain"}, 415),
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


def test_concurrent_random_requests_get_an_answer(client):
    """No exception, and the state of the game is unchanged."""
    rng = np.random.default_rng(1)
    values = [None, True, -1, 1.5, 2**60, "", "0", "you", [], ["00"] * 3, {}, *[GAME, OVER] * 6]
    paths = ["/turn", "/view", "/odds", "/open", "/new"]

    def message() -> dict:
        game, turns, decision = (values[place] for place in rng.integers(len(values), size=3))
        fields = {"game": game, "turns": turns, "decision": decision, "text": "diamant record 1"}
        return {name: fields[name] for name in rng.permutation(list(fields))[: rng.integers(0, 4)]}

    asked = [("POST", str(rng.choice(paths)), json.dumps(message()).encode()) for _ in range(300)]

    async def ask_at_once():
        return await asyncio.gather(*(request(client.app, *each) for each in asked))

    before = client.post("/view", game=GAME, turns=None).json
    found = asyncio.run(ask_at_once())
    assert {response.status for response in found} == {200, 400}
    assert all(response.json for response in found)
    assert client.post("/view", game=GAME, turns=None).json == before
