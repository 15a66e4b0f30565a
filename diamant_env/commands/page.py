"""Command ``diamant page``: a local web page to play against agents."""

from __future__ import annotations

import os
import socket
import threading
import webbrowser
from collections.abc import Sequence

from diamant_env.commands.terminal import LIST, add_edition, new_parser, print_line
from diamant_env.engine.arguments import checked_int

COMMAND = "diamant page"
_HERE = "127.0.0.1"
_PORT = 8733  # constant, since browser storage is per port


def run(argv: Sequence[str]) -> int:
    parser = new_parser(COMMAND, "Play against any agents in a browser, with hints and a review.", LIST)
    parser.add_argument("--agents", nargs="+", default=[], metavar="AGENT", help="further agents, seated at the start")
    add_edition(parser)
    parser.add_argument(
        "--port", type=int, default=_PORT, metavar="N", help=f"port of the page ({_PORT}); 0 takes a free one"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    options = parser.parse_args(argv)
    checked_int("--port", options.port, 0, 65535)
    try:
        import uvicorn

        from diamant_env.page.menu import Menu
        from diamant_env.page.server import make_app
    except ImportError as error:
        raise ImportError(f'the page needs {error.name}: pip install "diamant-env[web]"') from error
    app = make_app(Menu(options.agents, options.edition))
    listener = _listen(options.port)
    app.state.warm_up()
    address = f"http://{_HERE}:{listener.getsockname()[1]}/"
    print_line(f"The page is at {address} (Ctrl-C ends it).")
    if not options.no_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # a text browser blocks
    config = uvicorn.Config(
        app, ws="none", lifespan="off", log_level="error", access_log=False, server_header=False,
        timeout_graceful_shutdown=1, backlog=64,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])
    return 0


def _listen(port: int) -> socket.socket:
    # asyncio sets TCP_NODELAY only on sockets of explicit protocol TCP; without it each answer takes 40 ms longer.
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    if os.name == "posix":  # on Windows this would share a port in use
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_HERE, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise OSError(f"port {port} can't be used: {error.strerror}; choose another --port") from None
    return listener
