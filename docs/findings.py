"""What the benchmark found, in sentences to quote: their figures are read from docs/measured/benchmark.json.

A figure stands in a sentence as ``{TASK, ALGORITHM, COLUMN}``, that of one algorithm less another's as ``{TASK, FIRST -
SECOND, COLUMN}``. No test sees whether the words fit the figures: read them when runs are added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from train.benchmarking.page import COLUMNS, difference, figure, figure_text, over_seeds
from train.benchmarking.suite import TASKS

Runs = Sequence[dict[str, Any]]
SENTENCES = (
    "With two players, two million decisions bring `mirror-descent` to a NashConv of {expedition-2, mirror-descent, "
    "NashConv} gems and `ppo` to {expedition-2, ppo, NashConv}; who leaves by chance has {expedition-2, random:0.2, "
    "NashConv}.",
    "What one seat gains by deviating from copies of `ppo` shows no clear trend with the number of players: "
    "{expedition-2, ppo, deviation gain} gems with two, {expedition-3, ppo, deviation gain} with three, "
    "{expedition-4, ppo, deviation gain} with four and {expedition-5, ppo, deviation gain} with five.",
    "Thirty iterations of mirror descent on the tree, without sampling, leave a NashConv of {expedition-2, tabular, "
    "NashConv} gems with two players and {expedition-5, tabular, NashConv} with five, where the network that learns "
    "from samples by the same rule ends at {expedition-5, mirror-descent, NashConv}.",
    "`dqn`, whose policy is deterministic, falls behind as players are added: from its copies one deviator gains "
    "{expedition-2, dqn, deviation gain} gems with two players and {expedition-5, dqn, deviation gain} with five, "
    "where each scores {expedition-5, dqn, score among copies} among copies.",
    "A score among strangers does not show exploitability: with five players `ev:0.75` earns {expedition-5, "
    "ev:0.75, score among strangers} gems there and the equilibrium {expedition-5, equilibrium, score among "
    "strangers}, but from `ev:0.75` a deviator gains {expedition-5, ev:0.75, deviation gain}.",
    "Alone, `ppo` stays {solitaire, lone - ppo, score} gems below optimal stopping, about as the rule `ev:0.75` does "
    "({solitaire, lone - ev:0.75, score}); for `r-nad` three seeds show no difference ({solitaire, lone - r-nad, "
    "score}) and for `dqn` the seeds differ most ({solitaire, lone - dqn, score}).",
    "In full-4-win `ppo` wins {full-4-win, ppo, wins from strangers} from strangers after "
    "{full-4-win, ppo, training, CPU s} CPU seconds, as the champion does after 200 times the decisions "
    "({full-4-win, champion, wins from strangers}); their strongest responders, found by a smaller search than the "
    "standard one, gain {full-4-win, ppo, strongest responder's gain} and {full-4-win, champion, strongest "
    "responder's gain}.",
    "The two aims conflict: in full-4-win the hunter wins most from strangers, {full-4-win, hunter, wins from "
    "strangers}, and gives away {full-4-win, hunter, strongest responder's gain}.",
    "In full-4-win, against self-play by the same PPO, a league of earlier selves changes the wins from strangers by "
    "{full-4-win, league - ppo, wins from strangers} and what the strongest responder gains by {full-4-win, league - "
    "ppo, strongest responder's gain}; PSRO changes them by {full-4-win, psro - ppo, wins from strangers} and "
    "{full-4-win, psro - ppo, strongest responder's gain}.",
    "In full-4-win strangers hardly tell `dqn` from `ppo`: it wins {full-4-win, dqn, wins from strangers} from them, "
    "`ppo` {full-4-win, ppo, wins from strangers}; who knows it gains {full-4-win, dqn, strongest "
    "responder's gain} of the 0.75 that there are to gain.",
)


def findings(runs: Runs) -> str:
    """Return the sentences as a numbered list."""
    texts = [re.sub(r"\{(.+?), (.+?), (.+?)\}", lambda name: _figure(runs, *name.groups()), text) for text in SENTENCES]
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


def _figure(runs: Runs, task: str, algorithms: str, heading: str) -> str:
    """Return a figure over seeds, or a difference, with its interval if it has one."""
    (column,) = (each for each in COLUMNS[TASKS[task].family] if each.heading == heading)
    chosen = [
        [row for row in runs if (row["task"], row["algorithm"]) == (task, algorithm)]
        for algorithm in algorithms.split(" - ")
    ]
    if len(chosen) == 1:
        return figure(chosen[0], column)
    first, second = ([found for row in rows if (found := column.read(row))] for rows in chosen)
    pairs = islice(zip(cycle(first), cycle(second), strict=False), max(len(first), len(second)))  # seed by seed
    return figure_text(over_seeds([difference(*pair) for pair in pairs]), column)
