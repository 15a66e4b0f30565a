"""Command ``diamant list``: the names of agents and editions."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from diamant_env.commands.terminal import new_parser, print_line
from diamant_env.editions import EDITIONS, RESEARCH
from diamant_env.opponents.registry import FAMILIES
from diamant_env.opponents.scripted.family import Scripted

COMMAND = "diamant list"
_TRAINED = {
    "champion": "hardest to exploit, trained by self-play",
    "hunter": "wins most among unknown opponents",
    "search:AGENT": "look-ahead by roll-outs, such as search:champion",
    "equilibrium": "equal players' equilibrium for score",
    "single-player": "the highest expected score alone",
    "minimax": "wins at least half on average: two players, no relics",
    "FILE": "ppo.zip, policy.safetensors or the folder of a run",
    "MODULE:OBJECT": "an agent of your own, such as mine:patient for mine.py",
}
_VARIATIONS = "/expeditions:N, /hidden_chests:0 or 1, /hidden_rivals:1"


def run(argv: Sequence[str]) -> int:
    new_parser(COMMAND, "List the names of agents and editions.").parse_args(argv)
    scripted = {str(agent): _idea(agent) for agent in (family() for family in FAMILIES.values())}
    _print_section("Trained, exact and your own agents", _TRAINED)
    _print_section("Scripted agents; the numbers may be changed", scripted)
    _print_section(f"Editions, also with {_VARIATIONS}", {name: edition.source for name, edition in EDITIONS.items()})
    _print_section("Small editions", dict.fromkeys(RESEARCH, "small enough for an exact solution"))
    return 0


def _idea(agent: Scripted) -> str:
    """Return the first line of an agent's docstring with the values of its parameters."""
    first = (agent.__doc__ or "").split("\n")[0]
    return re.sub(r"`(\w+)`", lambda name: str(getattr(agent, name[1], name[1])), first)


def _print_section(title: str, names: Mapping[str, str]) -> None:
    print_line(f"{title}:")
    for name, idea in names.items():
        line = f"  {name:<24}{idea}"
        print_line(textwrap.fill(line, 80, subsequent_indent=" " * 26, break_on_hyphens=False))
    print_line("")
