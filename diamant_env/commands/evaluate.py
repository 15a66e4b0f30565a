"""Command ``diamant evaluate AGENT --against LINE-UP …``."""

from __future__ import annotations

from collections.abc import Sequence

from diamant_env.commands.terminal import AGENTS, EDITION, add_hidden_chests, in_folder, new_parser, save_and_say
from diamant_env.judging import DecisionLosses, Evaluation, evaluate, judge_decisions

COMMAND = "diamant evaluate"
_ABOUT = """\
Judge an agent: its win share and mean score in each line-up, with 95 %
intervals. Each table plays a fixed quota of games, the agent's seat rotates
evenly, and the same seed gives the same numbers.

  diamant evaluate champion --against pool held-out
  diamant evaluate bag:18 --against traps:3,cards:6,continue --compare ev bag:12
  diamant evaluate ppo.zip --against other.zip

--per-decision reports the mean loss per decision, which needs few games:
score: in one expedition among equilibrium players, in gems, exact;
win: in games against the line-ups, in win share, by search.

  diamant evaluate text:score:my_module:ask --per-decision score --games 20"""
_USUAL = {None: (20_000, "iello-2016"), "win": (200, "iello-2016"), "score": (200, "iello-2016-fr")}
"""Default games and edition, by --per-decision."""
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
    add("--against", nargs="+", metavar="LINE-UP", help="see below (pool)")
    add("--compare", nargs="+", default=[], metavar="AGENT", help="others that take the same seats in the same games")
    add("--per-decision", choices=("score", "win"), help="loss per decision; score takes no --against")
    add("--games", type=int, help="games of each agent in each line-up (20,000; with --per-decision 200)")
    add("--players", type=int, default=4, help="players at each table, 2 to 8 (%(default)s)")
    add("--edition", metavar="NAME", help=f"{EDITION} (iello-2016; with --per-decision score iello-2016-fr)")
    add_hidden_chests(parser)
    add("--seed", type=int, default=0, help="random seed (%(default)s)")
    add("--out", type=in_folder, metavar="FILE.json", help="write the figures to this file")
    given = parser.parse_args(argv)
    games, edition = _USUAL[given.per_decision]
    given.games = games if given.games is None else given.games
    given.edition = given.edition or edition
    names = ("games", "against", "players", "edition", "hidden_chests", "seed")
    settings = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    settings |= {"compare_with": given.compare, "progress": True}
    judged: Evaluation | DecisionLosses
    if given.per_decision is None:
        judged = evaluate(given.agent, **settings)
    else:
        judged = judge_decisions(given.agent, given.per_decision, **settings)
    save_and_say(judged, lambda path: judged.save(path, command=COMMAND, arguments=vars(given)), given.out)
    return 0
