"""Chat model as a player, judged by its games: ``python -m examples.chat_model URL``.

Each decision is one request to a chat-completions API, which most servers of language models have: a JSON object with
``model`` and ``messages``; the answer is in ``choices[0].message.content``. Needs ``pip install ".[judge]"``.
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from collections.abc import Sequence

from diamant_env.commands.command import run_command
from diamant_env.judging import evaluate
from diamant_env.opponents import TextAgent

COMMAND = "python -m examples.chat_model"


class ChatModel:
    """A function from a message to the answer of a model on a server.

    Args:
        url: Endpoint, such as ``http://localhost:8000/v1/chat/completions``.
        model: Name of the model on the server.
        headers: Further HTTP headers, such as ``{"Authorization": "Bearer ..."}``.
        seconds: Timeout of a request.
    """

    def __init__(self, url: str, model: str, headers: dict[str, str] | None = None, seconds: float = 60) -> None:
        self.url, self.model, self.seconds = url, model, seconds
        self.headers = {"Content-Type": "application/json", **(headers or {})}

    def __call__(self, text: str) -> str:
        """Return the model's answer.

        Raises:
            OSError: If the server can't be reached, refuses, or takes too long.
            ValueError: If its answer has another form.
        """
        message = {"model": self.model, "messages": [{"role": "user", "content": text}], "temperature": 0}
        request = urllib.request.Request(self.url, json.dumps(message).encode(), self.headers)
        with urllib.request.urlopen(request, timeout=self.seconds) as reply:
            content = reply.read().decode(errors="replace")
        try:
            return str(json.loads(content)["choices"][0]["message"]["content"])
        except (ValueError, LookupError, TypeError):
            raise ValueError(f"{self.url} answered {content[:200]!r}; choices[0].message.content is expected") from None


def header(text: str) -> tuple[str, str]:
    """Return name and value of ``NAME:VALUE``; raise an ArgumentTypeError for another text."""
    name, colon, value = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text}; NAME:VALUE is needed")
    return name.strip(), value.strip()


def run(argv: Sequence[str]) -> None:
    """Judge the model and another agent in the same games, and print their win shares and scores."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Judge a chat model in games against copies of ev.")
    add = parser.add_argument
    add("url", help="endpoint of the chat-completions API")
    add("--model", default="default", help="name of the model on the server (%(default)s)")
    add("--header", type=header, action="append", default=[], metavar="NAME:VALUE", help="HTTP header; may be repeated")
    add("--objective", choices=("score", "win"), default="score", help="aim that the model is told (%(default)s)")
    add("--games", type=int, default=20, help="each of about 30 decisions (%(default)s)")
    add("--players", type=int, default=2, help="at the table, 2 to 8 (%(default)s)")
    given = parser.parse_args(argv)
    model = TextAgent(ChatModel(given.url, given.model, dict(given.header)), given.model, given.objective)
    print(evaluate(model, "ev", given.games, compare_with=["random:0.5"], players=given.players, progress=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status; invalid input and server errors print one line."""
    return run_command(COMMAND, lambda: run(sys.argv[1:] if argv is None else argv))


if __name__ == "__main__":
    sys.exit(main())
