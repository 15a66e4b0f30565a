"""Command ``diamant evaluate AGENT --against LINE-UP …``."""

from __future__ import annotations

from collections.abc import Sequence

from diamant_env.commands.terminal import AGENTS, add_edition, in_folder, new_parser, save_and_say
from diamant_env.judging import evaluate

COMMAND = "diamant evaluate"
_ABOUT = """\
Judge an agent: its win share and mean score in each line-up, with 95 %
intervals. Each table plays a fixed quota of games, the agent's seat rotates
evenly, and the same seed gives the same numbers.

  diamant evaluate champion --against pool held-out
  diamant evaluate bag:18 --against traps:3,cards:6,continue --compare ev bag:12
  diamant evaluate ppo.zip --against other.zip"""
_LINE_UPS = """\
line-ups:
  pool, held-out or FILE.toml   distinct members, drawn at random for each
                                table; with hidden chests, those that support
                                them
  AGENT,AGENT,AGENT             the same with these agents
  AGENT                         its copies take all other seats
  clones:POOL                   the same with each member in turn
  intruder:NAME                 one NAME, which is measured, among copies of the
                                agent; for a pool, each member in turn
  self                          copies of the agent

"""


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    parser = new_parser(COMMAND, _ABOUT, _LINE_UPS + AGENTS)
    add = parser.add_argument
    add("agent", metavar="AGENT", help="who is judged")
    add("--against", nargs="+", default=["pool"], metavar="LINE-UP", help="see below (pool)")
    add("--compare", nargs="+", default=[], metavar="AGENT", help="others that take the same seats in the same games")
    add("--games", type=int, default=20_000, help="games of each agent in each line-up (%(default)s)")
    add("--players", type=int, default=4, help="players at each table, 2 to 8 (%(default)s)")
    add_edition(parser)
    add("--seed", type=int, default=0, help="random seed (%(default)s)")
    add("--out", type=in_folder, metavar="FILE.json", help="write the figures to this file")
    given = parser.parse_args(argv)
    judged = evaluate(
        given.agent,
        given.against,
        given.games,
        compare_with=given.compare,
        players=given.players,
        edition=given.edition,
        seed=given.seed,
        progress=True,
    )
    save_and_say(judged, lambda path: judged.save(path, command=COMMAND, arguments=vars(given)), given.out)
    return 0
