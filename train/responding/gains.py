"""Gains of deviating alone from an agent that all others play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diamant_env.editions import Edition
from diamant_env.evaluation import Estimate, evaluate
from diamant_env.opponents.custom import AgentSpec


@dataclass(frozen=True)
class ResponseGame:
    """Games of one player among copies of an agent."""

    agent: AgentSpec  # the agent that is copied
    players: int  # at the table, 2 to 8
    edition: str | Edition
    reward: str  # "win", "score" or "margin"
    name: str = ""  # of the copies in evaluations, by default the agent's; equal names give equal games


@dataclass(frozen=True)
class Gain:
    """Mean payoff of a response, and what it exceeds that of a copy by."""

    agent: str
    payoff: float
    gain: Estimate


def gains_of(
    responses: Sequence[AgentSpec], game: ResponseGame, games: int, seed: int, purpose: str, progress: bool = False
) -> list[Gain]:
    """Return the gains of responses in the same games, with simultaneous intervals.

    By symmetry a copy's payoff is 1 / players in win share and 0 in margin; in score it is measured in the same seats.
    """
    others = (game.name, game.agent) if game.name else game.agent
    copies = [game.agent] if game.reward == "score" else []
    agents: list[AgentSpec] = [*copies, *responses]
    evaluation = evaluate(
        agents[0], others, games, compare=agents[1:], players=game.players, edition=game.edition, seed=seed,
        progress=progress, purpose=purpose, simultaneous=True,
    )  # fmt: skip
    results = evaluation.results[len(copies) :]
    if game.reward == "win":
        return [Gain(result.agent, result.win_share.mean, result.gain) for result in results]
    if game.reward == "margin":
        return [Gain(result.agent, result.margin.mean, result.margin) for result in results]
    less = [difference.score for difference in evaluation.differences]
    gains = [Estimate(-copy.mean, -copy.high, -copy.low) for copy in less]
    return [Gain(result.agent, result.score.mean, gain) for result, gain in zip(results, gains, strict=True)]
