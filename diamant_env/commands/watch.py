"""Command ``diamant watch [AGENT …]``: a game between agents as text."""

from __future__ import annotations

import secrets
import shutil
import sys
import time
from collections.abc import Sequence

from diamant_env.commands.terminal import LIST, add_edition, new_file, new_parser, print_line
from diamant_env.drawing.narration import distinct
from diamant_env.drawing.text import render_text
from diamant_env.records import GameSession

COMMAND = "diamant watch"
DEFAULT_AGENTS = ("ev", "bag:18", "traps", "oppose")


def run(argv: Sequence[str]) -> int:
    about = "Watch a game between agents: the table and each agent's probability of leaving."
    parser = new_parser(COMMAND, about, LIST, "[AGENT …]")
    add = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help=f"agents by seat; by default {' '.join(DEFAULT_AGENTS)}")
    add_edition(parser)
    chance = "seed of the cards and the agents' decisions; random by default"
    add("--seed", type=int, default=secrets.randbelow(1_000_000), metavar="N", help=chance)
    speed = "turns per second, 0 without pauses; by default 1 at a terminal, else 0"
    add("--speed", type=float, default=float(sys.stdout.isatty()), metavar="TURNS", help=speed)
    add("--record", type=new_file, metavar="FILE", help="write the game to this new file when it ends or is stopped")
    options = parser.parse_args(argv)
    agents = options.agents or list(DEFAULT_AGENTS)
    session = GameSession(options.edition, agents, options.seed, agents)
    edition = session.edition.replace(hidden_chests=False)  # a spectator sees all chests
    names, width = distinct(agents), shutil.get_terminal_size().columns
    print_line(f"{session.edition.name}, {len(agents)} players; --seed {options.seed} brings the same game again.", "")
    try:
        while not session.over:
            print_line(render_text(session.now, edition, session.history, names, session.leave, width), "")
            time.sleep(1 / options.speed if options.speed else 0)
            session.play(session.decisions())
        print_line(render_text(session.now, edition, session.history, names, width=width))
    finally:
        if options.record:
            session.record().write(options.record)
            print_line(f"saved: {options.record}")
    return 0
