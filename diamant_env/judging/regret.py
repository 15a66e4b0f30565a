"""Regret of agents on action values as data, by depth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diamant_env.agent import Agent, answer_of
from diamant_env.editions import Edition
from diamant_env.exact import ActionValues
from diamant_env.judging.decisions import lost
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.text_reports import TextReport, estimate_text
from diamant_env.observation import Observations
from diamant_env.state import CONTINUE, LEAVE

BANDS = {"all": (0, 999), "cards 1 to 3": (1, 3), "cards 4 to 6": (4, 6), "cards 7 on": (7, 999)}
"""First and last depth of the columns of a report."""
_NORMAL = 1.96  # quantile of 95 %; a sampled depth has tens of draws


@dataclass(frozen=True)
class Regret:
    """Regret of an agent's decisions at the states of a data set.

    Attributes:
        agent: The agent.
        players: Players at the table.
        states: Number of states, each asked once.
        regret: Mean regret of a decision, in gems, in each of `BANDS` that has states: value of the better action less
            the expected value under the agent's probabilities. States count as the equilibrium's players decide in
            them; the interval is over those that are sampled.
        by_depth: The same by number of cards revealed.
        illegal: Number of a `diamant_env.opponents.TextAgent`'s decisions with two illegal answers, None for others.
    """

    agent: str
    players: int
    states: int
    regret: dict[str, Estimate]
    by_depth: dict[int, Estimate]
    illegal: int | None


def regret_on(agent: Agent, data: ActionValues, edition: Edition) -> Regret:
    """Return the regret of an agent, asked once at each state.

    Args:
        agent: An agent.
        data: Action values by depth, see `diamant_env.exact.action_values`.
        edition: Edition of the data, with one expedition.

    Raises:
        ValueError: If the agent does not return probabilities.
    """
    obs = Observations(data.observation, edition)
    before = getattr(agent, "illegal", None)
    leave = answer_of(agent, obs, np.ones(len(data.depth), np.bool_))
    gain = data.action_value[:, LEAVE] - data.action_value[:, CONTINUE]
    regret = lost(np.repeat(gain[:, None], 2, axis=1), leave)

    def mean(first: int, last: int) -> Estimate:
        total, error, weight = 0.0, 0.0, 0.0
        for depth in np.unique(data.depth[(first <= data.depth) & (data.depth <= last)]):
            rows = data.depth == depth
            share, draws = float(data.weight[rows].sum()), data.draws[rows]
            here = float(data.weight[rows] @ regret[rows]) / share
            total, weight = total + share * here, weight + share
            if n := int(draws.sum()):
                error += share**2 * float(draws @ (regret[rows] - here) ** 2) / (n - 1) / n
        half = _NORMAL * math.sqrt(error)
        return Estimate(total / weight, max(0.0, total - half) / weight, (total + half) / weight)  # none is negative

    depths = np.unique(data.depth).tolist()
    bands = {name: band for name, band in BANDS.items() if band[0] <= depths[-1]}
    return Regret(
        str(agent),
        int(obs["num_players"][0]),
        len(regret),
        {name: mean(*band) for name, band in bands.items()},
        {depth: mean(depth, depth) for depth in depths},
        None if before is None else getattr(agent, "illegal", 0) - before,
    )


def regret_report(found: Sequence[Regret]) -> TextReport:
    """Return the regrets as a report."""
    asked = any(row.illegal is not None for row in found)
    report = TextReport("Regret per decision in gems", ("players", "agent"), ("states", *BANDS, *["illegal"] * asked))
    for row in found:
        figures = [estimate_text(row.regret[band], 4) if band in row.regret else "" for band in BANDS]
        illegal = ["" if row.illegal is None else str(row.illegal)] * asked
        report.add_row(str(row.players), row.agent, f"{row.states:,}", *figures, *illegal)
    report.notes = "The others play the equilibrium. In brackets: 95 % intervals over the sampled states."
    return report
