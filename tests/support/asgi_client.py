"""Client of an ASGI application without a socket."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

HOST = "127.0.0.1:8000"


@dataclass(frozen=True)
class Response:
    """Response of an application; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def request(app, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Response:
    """Send one request; `headers` override the defaults, an empty value removes one."""
    sent = {"host": HOST, "content-type": "application/json"} | (headers or {})
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items() if value],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    parts = [body[i : i + 10_000] for i in range(0, len(body), 10_000)] or [b""]
    messages: list[dict] = []

    async def receive() -> dict:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: dict) -> None:
        messages.append(message)

    await app(scope, receive, send)
    names = [name for name, _ in messages[0]["headers"]]
    assert len(set(names)) == len(names)
    got = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return Response(messages[0]["status"], got, b"".join(message.get("body", b"") for message in messages[1:]))


class Client:
    def __init__(self, app) -> None:
        self.app = app

    def get(self, path: str) -> Response:
        return asyncio.run(request(self.app, "GET", path))

    def post(self, path: str, /, **message) -> Response:
        return self.send(path, json.dumps(message).encode())

    def send(self, path: str, body: bytes) -> Response:
        return asyncio.run(request(self.app, "POST", path, body))

    def new(self, *agents: str, seed: int = 3, edition: str = "iello-2016") -> dict:
        """Begin a game and return its view."""
        response = self.post("/new", edition=edition, agents=list(agents), seed=seed)
        assert response.status == 200, response.body
        return response.json

    def turn(self, view: dict, decision: int | None = None) -> dict:
        """Play a turn and return the new view; `decision` of "you" defaults to CONTINUE."""
        response = self.post("/turn", game=view["game"], decision=(decision or 0) if view["must_decide"] else None)
        assert response.status == 200, response.body
        return response.json

    def to_the_end(self, view: dict, bag: int = 8) -> list[dict]:
        """Play to the end, leaving with `bag` gems; return all views from this one on."""
        views = [view]
        while not views[-1]["over"]:
            you = views[-1]["you"]
            leaves = views[-1]["must_decide"] and views[-1]["seats"][you]["bag"] >= bag
            views.append(self.turn(views[-1], int(leaves)))
        return views
