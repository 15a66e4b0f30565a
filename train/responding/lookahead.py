"""Gain of one-step search against copies of an agent, by summed advantages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from diamant_env.editions import find_edition
from diamant_env.judging.advantages import SummedGain, summed_gain, with_values
from diamant_env.judging.deviation import DeviationGame
from diamant_env.judging.games import Progress, children
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.registry import make
from diamant_env.opponents.search import Budget, SearchAgent
from diamant_env.opponents.values import Values
from train.learning.values import fit, play_starts
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
    """Measure the gain of the search, see `prepare`."""
    *preparing, measured = children(seeds, 3)
    measure, cut = prepare(game, config, *preparing)
    return measure(config.games if cut else config.full_games, measured, progress=progress)


def prepare(
    game: DeviationGame, config: LookaheadConfig, deciding: np.random.SeedSequence, valuing: np.random.SeedSequence
) -> tuple[Callable[..., SummedGain], bool]:
    """Return a function of games and seeds that measures the gain, and whether its roll-outs are truncated.

    For networks and wins in several expeditions, value networks truncate the roll-outs. They are fitted here, not the
    agent's own, so that gains of different agents are comparable; those for advantages to other games, against
    maximisation bias.
    """
    agent, values = make(game.agent, fresh=True), None
    if isinstance(agent, NetworkAgent) and game.reward == "win" and find_edition(game.edition).expeditions > 1:
        values = fitted(agent, game, config.fit_games, valuing)
        agent = with_values(agent, fitted(agent, game, config.fit_games, deciding))
    budget = Budget(config.pairs, objective=game.reward)  # type: ignore[arg-type]
    searcher = SearchAgent(agent, budget, edition=game.edition)
    measure = partial(
        summed_gain, searcher, game, pairs=config.value_pairs, values=values, full_games=config.full_games
    )
    return measure, values is not None


def fitted(network: NetworkAgent, game: DeviationGame, games: int, seeds: np.random.SeedSequence) -> Values:
    """Return value networks for one table size and edition, fitted to self-play games."""
    torch.set_num_threads(1)
    playing, learning = children(seeds, 2)
    layers, _ = fit(play_starts(network, game.players, games, playing, [game.edition]), learning)
    return Values({game.players: layers})
