"""Fitted value iteration over afterstates, from the last expedition back to the first.

In each round, paths through an expedition take the action with the greater value, with exploration. The target of an
afterstate is its mean over cards and the rivals' likely decisions, by the networks so far, plus the later residuals of
its path, weighted by powers of λ (Bertsekas and Ioffe: Temporal differences-based policy iteration, 1996).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import create_mlp
from torch import nn
from tqdm import tqdm

from diamant_env.editions import find_edition
from diamant_env.evaluation.games import progress_bar, seeds_for
from diamant_env.opponents.layers import one_blas_thread, transposed
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.registry import make_agent
from diamant_env.opponents.search import SearchAgent
from diamant_env.state import CONTINUE, DECIDE, LEAVE, OVER
from train.responding.afterstates import Afterstates, GreedyAgent
from train.responding.config import IterationConfig, SearchConfig
from train.responding.gains import ResponseGame

_EXPLORES = 0.05  # probability that a decision of seat 0 is random
_MINIBATCH = 512  # afterstates
_FIRST_PASSES = 4  # over the outcomes of self-play
_RATES = (1e-3, 2e-5)  # first and last learning rate of Adam


class Paths(NamedTuple):
    """Afterstates of paths, in the order of turns."""

    states: NDArray  # records of type `GAME` (N,)
    path: NDArray[np.int64]  # (N,), the path of each
    explored: NDArray[np.bool_]  # (N,), whether the decision that follows is random
    turns: list[int]  # number of afterstates in each turn
    ends: NDArray  # records of type `GAME` (paths,), the state in which each path ends

    def before_last_exploration(self) -> NDArray[np.bool_]:
        """Return whether a later decision of the same path is random, bool (N,)."""
        last = np.full(len(self.ends), -1)
        np.maximum.at(last, self.path[self.explored], np.flatnonzero(self.explored))
        return np.arange(len(self.path)) <= last[self.path]


def no_values(game: ResponseGame, config: IterationConfig) -> str:
    """Return the reason why there is no value iteration, or an empty text."""
    agent = make_agent(game.agent)
    if config.self_play == 0:
        return "values.self_play = 0"
    if find_edition(game.edition).hidden_chests:
        return "it needs open chests, and this table hides them"
    if isinstance(agent, SearchAgent):
        return "the agent is a search, which is too slow"
    return "" if getattr(agent, "stateless", False) else "the agent keeps a state of its games"


def value_response(game: ResponseGame, config: SearchConfig, number: int = 0) -> GreedyAgent:
    """Return the greedy agent of fitted values; fits of other numbers have other seeds."""
    torch.set_num_threads(config.threads)
    rounds = find_edition(game.edition).expeditions * len(config.values.lambdas)
    with progress_bar(total=rounds, desc="value iteration", unit=" rounds") as bar:
        seeds = seeds_for(config.seed, "values", *([number] if number else []))
        return GreedyAgent(iterate_values(game, config.values, seeds, bar), f"value iteration {number or ''}".strip())


def iterate_values(
    game: ResponseGame, config: IterationConfig, seeds: np.random.SeedSequence, progress: tqdm | None = None
) -> Afterstates:
    """Return the afterstates of a game with open chests and fitted values; `progress` is updated after each round."""
    values, random = Afterstates(game), np.random.default_rng(seeds)
    last = values.edition.expeditions
    with one_blas_thread(config.paths):
        played = walk(values, values.starts(config.self_play), random)
        states, expedition = played.states, played.states["expedition"]
        exact = (expedition == last) & ~played.before_last_exploration()
        outcomes = values.payoffs(played.ends)[played.path[exact]]
        minibatches = _FIRST_PASSES * -(-len(outcomes) // _MINIBATCH)
        fit(values, (states[exact], outcomes), config.hidden, minibatches, random)
        for here in range(last, 0, -1):
            if here < last:
                later = {inside: network for (part, inside), network in values.networks.items() if part == here + 1}
                values.networks |= {(here, inside): network for inside, network in later.items()}
            starts = states[(expedition == here) & (states["turn"] == 0)]
            for decay in config.lambdas:
                paths = walk(values, random.choice(starts, config.paths), random, here)
                wanted = targets(values, paths, decay)
                fit(values, (paths.states, wanted), config.hidden, config.minibatches, random)
                if progress is not None:
                    progress.update(1)
    return values


def walk(values: Afterstates, starts: NDArray, random: np.random.Generator, expedition: int | None = None) -> Paths:
    """Return paths from afterstates, with exploration by seat 0.

    With `expedition`, paths end with it, and seat 0 takes the action with the greater value; else with the game, and
    seat 0 plays as its rivals.
    """
    now, path, ends = starts, np.arange(len(starts)), starts.copy()
    seen = []
    while len(now):
        place = random.random(len(now)) * now["deck_size"]
        after = values.after_cards(now, (now["deck"].cumsum(axis=1) > place[:, None]).argmax(axis=1))
        deciding = np.flatnonzero(after["phase"] == DECIDE)
        games = after[deciding]
        leave = values.leave_probabilities(games, first=0 if expedition is None else 1)
        if expedition is not None:
            action_values = values.action_values(games, leave)
            leave[:, 0] = action_values[:, LEAVE] > action_values[:, CONTINUE]
        random_decisions = (random.random(len(games)) < _EXPLORES) & (games["inside"][:, 0] > 0)
        leave[random_decisions, 0] = 0.5
        after[deciding] = values.after_decisions(games, random.random(leave.shape) < leave)
        random_in_all = np.zeros(len(now), np.bool_)
        random_in_all[deciding] = random_decisions
        seen.append((now, path, random_in_all))
        ended = after["phase"] == OVER
        if expedition is not None:
            ended |= after["expedition"] != expedition
        ends[path[ended]] = after[ended]
        now, path = after[~ended], path[~ended]
    states, paths, explored = (np.concatenate(part) for part in zip(*seen, strict=True))
    return Paths(states, paths, explored, [len(turn) for turn, *_ in seen], ends)


def targets(values: Afterstates, paths: Paths, decay: float) -> NDArray[np.float64]:
    """Return the target of each afterstate, float64 (N,), with residuals weighted by powers of `decay`."""
    means, now = values.card_means(paths.states), values.values(paths.states)
    targets, later, stop = np.zeros(len(means)), np.zeros(len(paths.ends)), len(means)
    for number in reversed(paths.turns):
        turn = slice(stop - number, stop)
        path, stop = paths.path[turn], stop - number
        targets[turn] = means[turn] + np.where(paths.explored[turn], 0, later[path])
        later[path] = decay * (targets[turn] - now[turn])
    return targets


def fit(
    values: Afterstates,
    data: tuple[NDArray, NDArray[np.float64]],
    hidden: tuple[int, ...],
    minibatches: int,
    random: np.random.Generator,
) -> None:
    """Fit the networks of an expedition to (afterstates, targets) by mean squared error, from the current weights."""
    states, wanted = data[0], values.remainders(*data)
    expedition = int(states["expedition"][0])
    for inside in (0, 1):
        rows = np.flatnonzero(states["inside"][:, 0] == inside)
        if not len(rows):
            continue
        inputs = torch.from_numpy(values.inputs(states[rows]))
        outputs = torch.from_numpy(wanted[rows].astype(np.float32))[:, None]
        torch.manual_seed(int(random.integers(2**31)))
        model = nn.Sequential(*create_mlp(inputs.shape[1], 1, list(hidden)))
        for layer, (weight, bias) in zip(list(model)[::2], values.networks.get((expedition, inside), []), strict=False):
            layer.load_state_dict({"weight": torch.from_numpy(weight.T), "bias": torch.from_numpy(bias)})
        optimizer = torch.optim.Adam(model.parameters(), _RATES[0])
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, _RATES[1] / _RATES[0], minibatches)
        for _ in range(minibatches):
            chosen = torch.from_numpy(random.integers(len(rows), size=_MINIBATCH))
            loss = ((model(inputs[chosen]) - outputs[chosen]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        values.networks[expedition, inside] = transposed(layers_of(model))
