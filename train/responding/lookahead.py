"""Gain of one-step search against copies of an agent, by summed advantages."""

from __future__ import annotations

import numpy as np
import torch

from diamant_env.agent import Agent
from diamant_env.editions import find_edition
from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.games import Progress, children
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.registry import make
from diamant_env.opponents.search import Budget, SearchAgent
from diamant_env.opponents.values import Values
from train.learning.values import fit, play_starts
from train.responding.advantages import SummedGain, summed_gain, with_values
from train.responding.config import LookaheadConfig


def no_lookahead(game: DeviationGame, config: LookaheadConfig) -> str:
    """Return the reason why search is impossible, or an empty text."""
    if config.games == 0:
        return "search.games = 0"
    if game.blank_rivals or find_edition(game.edition).hidden_chests:
        return "it needs open chests, and this table hides them"
    if isinstance(make(game.agent, fresh=True), SearchAgent):
        return "the agent is a search itself"
    return ""


def look_ahead(
    game: DeviationGame, config: LookaheadConfig, seeds: np.random.SeedSequence, progress: Progress | None = None
) -> SummedGain:
    """Fit value networks and measure the gain of the search with them; without values in `full_games` games."""
    *fitting, playing = children(seeds, 3)
    agent, values = fit_values(game, config.fit_games, *fitting)
    budget = Budget(config.pairs, objective=game.reward)  # type: ignore[arg-type]
    searcher = SearchAgent(agent, budget, certain=config.certain)
    games = config.full_games if values is None else config.games
    return summed_gain(searcher, game, games, playing, config.value_pairs, values, config.full_games, progress)


def fit_values(
    game: DeviationGame, games: int, deciding: np.random.SeedSequence, valuing: np.random.SeedSequence
) -> tuple[Agent, Values | None]:
    """Return the agent with value networks for the decisions of its search, and others for their advantages.

    There are none except for networks and wins in several expeditions. They are fitted here, not the agent's own, so
    that gains of different agents are comparable; those for advantages to other games, against maximisation bias.
    """
    agent = make(game.agent, fresh=True)
    if not isinstance(agent, NetworkAgent) or game.reward != "win" or find_edition(game.edition).expeditions == 1:
        return agent, None
    return with_values(agent, fitted(agent, game, games, deciding)), fitted(agent, game, games, valuing)


def fitted(network: NetworkAgent, game: DeviationGame, games: int, seeds: np.random.SeedSequence) -> Values:
    """Return value networks for one table size and edition, fitted to self-play games."""
    torch.set_num_threads(1)
    playing, learning = children(seeds, 2)
    layers, _ = fit(play_starts(network, game.players, games, playing, [game.edition]), learning)
    return Values({game.players: layers})
