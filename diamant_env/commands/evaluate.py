"""Command ``diamant evaluate AGENT --against OPPONENT …``."""

from __future__ import annotations

from collections.abc import Sequence

from diamant_env.commands.terminal import AGENTS, add_edition, in_folder, new_parser, save_and_print
from diamant_env.evaluation import evaluate

COMMAND = "diamant evaluate"
_ABOUT = """\
Evaluate an agent: its win share and mean score, with 95 % intervals. Each
table plays a fixed quota of games, the agent's seat rotates evenly, and the
same seed gives the same numbers.

  diamant evaluate champion --against held-out
  diamant evaluate bag:18 --against traps:3 cards:6 continue --compare ev bag:12
  diamant evaluate ppo.zip --against other.zip"""
_OPPONENTS = """\
opponents:
  pool, held-out or FILE.toml   distinct members that can play the edition,
                                drawn at random for each table
  AGENT                         its copies take all other seats
  AGENT AGENT AGENT             one for each rival, in seat order after the
                                agent; of more, distinct ones are drawn

"""


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    parser = new_parser(COMMAND, _ABOUT, _OPPONENTS + AGENTS)
    add = parser.add_argument
    add("agent", metavar="AGENT", help="who is evaluated")
    add("--against", nargs="+", default=["pool"], metavar="OPPONENT", help="see below (pool)")
    add("--compare", nargs="+", default=[], metavar="AGENT", help="others that take the same seats in the same games")
    add("--games", type=int, default=20_000, help="games of each agent (%(default)s)")
    add("--players", type=int, default=4, help="players at each table, 2 to 8 (%(default)s)")
    add_edition(parser)
    add("--seed", type=int, default=0, help="random seed (%(default)s)")
    add("--out", type=in_folder, metavar="FILE.json", help="write the figures to this file")
    arguments = parser.parse_args(argv)
    evaluation = evaluate(
        arguments.agent,
        arguments.against,
        arguments.games,
        compare=arguments.compare,
        players=arguments.players,
        edition=arguments.edition,
        seed=arguments.seed,
        progress=True,
    )
    save_and_print(
        evaluation, lambda path: evaluation.save(path, command=COMMAND, arguments=vars(arguments)), arguments.out
    )
    return 0
