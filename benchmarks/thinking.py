"""Cost and precision of a decision of the search agent: ``python -m benchmarks.thinking``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Annotated

import numpy as np
import tyro
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tyro.conf import Positional

from benchmarks.results import machine
from diamant_env import Batch
from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.search import SearchAgent
from diamant_env.opponents.table import Table
from diamant_env.state import CONTINUE, LEAVE
from diamant_env.storage.results import save_json

COMMAND = "python -m benchmarks.thinking"
EDITION = "iello-2016"
_PLAYERS, _PAIRS = (3, 4, 6, 8), (16, 64, 256, 1024)
_IN_A_BATCH = {True: 16_384, False: 4096}  # pairs at least, by whether they are cut
_DECISIONS, _EACH = 256, 32  # of which the precision is taken, and pairs of each
_DOUBT = 0.01  # probability of the less likely choice, below which nobody thinks


@dataclass(frozen=True)
class Arguments:
    """Measure what a decision costs on one core and how precise it is, with cut roll-outs and with full ones.

    The decisions are those in games of copies where the policy is not sure. It takes about a minute.
    """

    agent: Annotated[str, Positional] = "champion"
    """A policy with values: an agent's name, a policy file or a run folder."""
    out: Path = Path("runs/benchmarks/thinking")
    """Folder for results.json; it is made if it is not there."""
    quick: bool = False
    """Only show that everything runs: the figures mean nothing."""


@threadpool_limits.wrap(limits=1, user_api="blas")
def measure(arguments: Arguments) -> None:
    """Measure and save, for each table size, number of pairs, and cut or full roll-outs.

    A row has the root mean square over decisions of the standard error of the difference of both choices in win share,
    and the milliseconds of a decision on one core: of many decisions together (batch), and of a single one (alone).

    Raises:
        ValueError: If the agent has no values of some table size.
    """
    base, smaller = make(arguments.agent), 64 if arguments.quick else 1
    if not isinstance(base, NetworkAgent) or base.values is None or not {*_PLAYERS} <= base.values.networks.keys():
        at = ", ".join(map(str, _PLAYERS))
        raise ValueError(f"{arguments.agent} has no values of tables of {at}; give it some by python -m train.values")
    rows = []
    for players in _PLAYERS:
        seen = doubtful_decisions(base, players, _DECISIONS // smaller)
        for cut in (True, False):
            agent = SearchAgent(base, cut=cut)
            earned = agent.outcomes(seen, EDITION, _EACH)
            variance = (earned[LEAVE] - earned[CONTINUE]).reshape(-1, _EACH).var(axis=1, ddof=1).mean()
            for pairs in _PAIRS:
                pairs = max(2, pairs // smaller)
                many = np.resize(np.arange(len(seen)), max(1, _IN_A_BATCH[cut] // smaller // pairs))
                batch = milliseconds(agent, seen[many], pairs) / len(many)
                alone = median(milliseconds(agent, row[None], pairs) for row in seen[:5])
                row = {"players": players, "cut": cut, "pairs": pairs, "error": float(np.sqrt(variance / pairs))}
                rows.append(row | {"batch": batch, "alone": alone})
                say(" ".join(f"{name} {figure:.4g}" for name, figure in rows[-1].items()))
    save_json({"command": COMMAND, "machine": machine(), "rows": rows}, arguments.out / "results.json")


def doubtful_decisions(agent: NetworkAgent, players: int, rows: int) -> NDArray[np.float32]:
    """Return observations, float32 (rows, NUM_FEATURES), of seats that must decide and where the agent is not sure."""
    batch = Batch(rows, players, EDITION, "win")
    table = Table(batch, [agent], np.zeros((rows, players), int))
    observations, actions, found = batch.reset(0), np.zeros((rows, players), np.int8), []
    while not batch.over.all():
        leave = table.leave_probabilities(observations)
        doubt = batch.must_decide & (np.minimum(leave, 1 - leave) > _DOUBT)
        found.append(observations[doubt])
        batch.draw_decisions(leave, actions)
        batch.step(actions, observations)
    return np.random.default_rng(0).permutation(np.concatenate(found))[:rows]


def milliseconds(agent: SearchAgent, seen: NDArray[np.float32], pairs: int) -> float:
    """Return the processor time of so many pairs for each of some observations, all together."""
    start = process_time()
    agent.outcomes(seen, EDITION, pairs)
    return 1e3 * (process_time() - start)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: measure(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
