"""Command ``diamant tournament AGENT …``."""

from __future__ import annotations

from collections.abc import Sequence

from diamant_env.commands.terminal import add_edition, add_hidden_chests, in_folder, new_parser, save_and_say
from diamant_env.judging import hold_tournament
from diamant_env.storage.results import save_json, versions

COMMAND = "diamant tournament"
_ABOUT = """\
Hold a tournament: tables of distinct agents drawn at random, all seated
equally often. It gives each agent's win share and mean score with 95 %
intervals, and for each pair how often one outscores the other at the same
table.

  diamant tournament --pool pool held-out --games 100000
  diamant tournament champion my_agents:Greedy --pool pool --players 6"""


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    parser = new_parser(COMMAND, _ABOUT)
    add = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help="agents that play")
    pools = "pools whose members also play: pool, held-out or a .toml; pool if no agent is given"
    add("--pool", nargs="+", default=[], metavar="POOL", help=pools)
    add("--games", type=int, default=20_000, help="total number of games (%(default)s)")
    add("--players", type=int, default=4, help="players at each table, 2 to 8 (%(default)s)")
    add_edition(parser)
    add_hidden_chests(parser)
    add("--seed", type=int, default=0, help="random seed (%(default)s)")
    add("--out", type=in_folder, metavar="FILE.json", help="write the figures to this file")
    given = parser.parse_args(argv)
    result = hold_tournament(
        given.agents,
        given.games,
        given.seed,
        given.players,
        given.edition,
        progress=True,
        pools=given.pool or (() if given.agents else ("pool",)),
        hidden_chests=given.hidden_chests,
    )
    content = {"command": COMMAND, "arguments": vars(given), "versions": versions(), "tournament": result}
    save_and_say(result, lambda path: save_json(content, path), given.out)
    return 0
