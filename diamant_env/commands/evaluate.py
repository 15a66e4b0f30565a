"""Command ``diamant evaluate AGENT --against OPPONENT …``."""

from __future__ import annotations

from collections.abc import Sequence

from diamant_env.commands.terminal import LIST, add_edition, in_folder, new_parser, save_and_print
from diamant_env.evaluation import evaluate

COMMAND = "diamant evaluate"
_ABOUT = """\
Evaluate an agent: its win share and mean score, with 95 % intervals.

  diamant evaluate champion --against held-out
  diamant evaluate ppo.zip --against bag:18 traps:3 cards:6"""


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    parser = new_parser(COMMAND, _ABOUT, LIST, "AGENT")
    add = parser.add_argument
    add("agent", metavar="AGENT", help="the evaluated agent")
    against = (
        "one agent for all other seats, one for each, or the pool to draw from: pool, held-out or FILE.toml (pool)"
    )
    add("--against", nargs="+", default=["pool"], metavar="NAME", help=against)
    add("--compare", nargs="+", default=[], metavar="AGENT", help="other agents in the same games")
    add("--games", type=int, default=20_000, metavar="N", help="games of each agent (%(default)s)")
    add("--players", type=int, default=4, metavar="N", help="players at each table, 2 to 8 (%(default)s)")
    add_edition(parser)
    add("--seed", type=int, default=0, metavar="N", help="random seed (%(default)s)")
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
