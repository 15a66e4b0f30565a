"""ASGI application of the page: routes and access control."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from diamant_env.drawing.cards import card_svg
from diamant_env.drawing.svg import icons_svg
from diamant_env.editions import NUM_CARDS
from diamant_env.page.answers import Answers
from diamant_env.page.game import AgentError
from diamant_env.page.menu import Menu

STATIC = Path(__file__).parent / "static"
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?", re.ASCII)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_DAY = {"Cache-Control": "max-age=86400"}
_CARDS = {str(card) for card in range(NUM_CARDS)}


class Guard:
    """Middleware that adds security headers and checks Host (DNS rebinding) and Origin (cross-site requests)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        headers = Headers(scope=scope)
        host, origins = headers.get("host", ""), headers.getlist("origin")
        answer: ASGIApp = self._app
        if not _HOST.fullmatch(host) or any(origin != f"http://{host}" for origin in origins):
            answer = _refusal(403, "only pages of this server, at 127.0.0.1 or localhost, may send requests")
        await answer(scope, receive, send_guarded)


def make_app(menu: Menu | None = None) -> Starlette:
    """Return an application with its own games."""
    answers = Answers(menu or Menu())
    routes = [
        Route("/", _static),
        Route("/static/{name}", _static),
        Route("/drawings.svg", lambda _: Response(icons_svg(), media_type=_KINDS[".svg"], headers=_DAY)),
        Route("/card/{card}/{name:path}.svg", _card),
        Route("/menu", lambda _: JSONResponse(answers.menu.as_json())),
        *(Route(address, partial(_answer, answers, address), methods=["POST"]) for address in answers.by_address),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _error, Exception: _defect})
    app.add_middleware(Guard)
    app.state.warm_up = answers.warm_up
    return app


async def _answer(answers: Answers, address: str, request: Request) -> Response:
    """Respond to a POST; the answer is computed in a thread."""
    function, fields = answers.by_address[address]
    try:
        message = json.loads(await request.body())
        if not isinstance(message, dict) or sorted(message) != sorted(fields):
            raise ValueError(f"a JSON object with exactly {', '.join(fields)} is required")
        content = await run_in_threadpool(_encoded, function, message)
    except ValueError as error:
        return _refusal(400, " ".join(str(error).split()))
    return Response(content, media_type="application/json", headers={"Cache-Control": "no-store"})


def _encoded(function: Callable[..., Any], message: dict[str, Any]) -> bytes:
    return json.dumps(function(**message), allow_nan=False).encode()


def _static(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    files = {file.name: file for file in STATIC.iterdir() if file.suffix in _KINDS}
    if name not in files:
        raise HTTPException(404, f"there is no file {name!r}")
    headers = {"Cache-Control": "no-cache"}
    return Response(files[name].read_bytes(), media_type=_KINDS[files[name].suffix], headers=headers)


def _card(request: Request) -> Response:
    card = request.path_params["card"]
    if card not in _CARDS:
        raise HTTPException(404, f"there is no card {card!r}")
    return Response(card_svg(int(card), request.path_params["name"]), media_type=_KINDS[".svg"], headers=_DAY)


def _refusal(status: int, error: str) -> JSONResponse:
    return JSONResponse({"error": error}, status)


async def _error(_: Request, error: Any) -> Response:
    return _refusal(error.status_code, error.detail)


async def _defect(_: Request, error: Exception) -> Response:
    """Respond to an unexpected error, outside `Guard`; the terminal shows the traceback."""
    words = f"error in the server ({type(error).__name__}); see the terminal"
    answer = _refusal(500, str(error) if isinstance(error, AgentError) else words)
    answer.headers.update(_HEADERS)
    return answer
