"""Value networks for starts of expeditions, fitted to self-play games of a policy (not PPO's critic)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import create_mlp
from torch import nn

from diamant_env.batch import Batch
from diamant_env.editions import EDITIONS, find_edition
from diamant_env.opponents.layers import Layers, transposed
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.table import Table
from diamant_env.opponents.values import inputs, number_of_inputs, shares_of, start_features

HIDDEN = (32, 32)
HELD_OUT_SHARE = 0.1  # share of the games
_TOGETHER = 4096  # games per batch
_MINIBATCH = 1024  # starts of expeditions
_RATES = (2e-3, 5e-4, 1e-4)  # successive learning rates of Adam, each with early stopping
_PATIENCE = 2  # epochs without a better loss
_Rows = tuple[NDArray[np.float32], NDArray[np.float32]]  # inputs and final win shares


@dataclass(frozen=True)
class Starts:
    """Starts of expeditions and final win shares of their games.

    Attributes:
        chests: float32 (starts, players), see `diamant_env.opponents.values.start_features`.
        public: float32 (starts, 7), likewise.
        shares: float32 (starts, players), the final win shares.
        games: int (starts,), the game of each start.
    """

    chests: NDArray[np.float32]
    public: NDArray[np.float32]
    shares: NDArray[np.float32]
    games: NDArray[np.int64]


def play_starts(network: NetworkAgent, players: int, games: int, seeds: np.random.SeedSequence) -> Starts:
    """Play self-play games, evenly divided among the published editions, with open chests.

    Returns:
        The starts of all expeditions but the first.
    """
    editions = [find_edition(edition, hidden_chests=False) for edition in EDITIONS]
    keys = seeds.generate_state(games, np.uint64).astype(np.uint64)
    parts = []
    for number, edition in enumerate(editions):
        own = keys[number :: len(editions)]
        for first in range(0, len(own), _TOGETHER):
            batch = Batch(len(own[first : first + _TOGETHER]), players, edition, "win")
            parts.append(_starts_of(network, batch, own[first : first + _TOGETHER]))
    firsts = np.cumsum([0, *(part.games.max() + 1 for part in parts)])
    return Starts(
        np.concatenate([part.chests for part in parts]),
        np.concatenate([part.public for part in parts]),
        np.concatenate([part.shares for part in parts]),
        np.concatenate([part.games + first for part, first in zip(parts, firsts[:-1], strict=True)]),
    )


def _starts_of(network: NetworkAgent, batch: Batch, seeds: NDArray[np.uint64]) -> Starts:
    batch.reset(seeds)
    shares, found = np.zeros((batch.num_games, batch.seats), np.float32), []
    expedition = batch.public_states["expedition"].copy()
    for turn in Table(batch, [network], np.zeros(shares.shape, np.int64)).turns():
        shares += turn.rewards
        started = np.flatnonzero(batch.public_states["expedition"] != expedition)
        expedition[:] = batch.public_states["expedition"]
        if len(started):
            found.append((started, *start_features(turn.next_observations[started, 0])))
    games, chests, public = (np.concatenate(each) for each in zip(*found, strict=True))
    return Starts(chests, public, shares[games], games)


def fit_values(starts: Starts, seeds: np.random.SeedSequence) -> tuple[Layers, float]:
    """Fit a value network by the cross-entropy of the final win shares.

    Returns:
        Its layers and the explained variance of the final win shares in held-out games, which also select the epoch.
    """
    shuffle_seed, torch_seed = seeds.generate_state(2, np.uint64)
    random = np.random.default_rng(shuffle_seed)
    held_out = random.random(starts.games.max() + 1)[starts.games] < HELD_OUT_SHARE
    torch.manual_seed(int(torch_seed))
    players = starts.chests.shape[1]
    model = nn.Sequential(*create_mlp(number_of_inputs(players), 1, list(HIDDEN)))
    rows = inputs(starts.chests, starts.public)
    layers = _learn(
        model, (rows[~held_out], starts.shares[~held_out]), (rows[held_out], starts.shares[held_out]), random
    )
    found, true = shares_of(transposed(layers), rows[held_out]), starts.shares[held_out]
    return layers, float(1 - ((true - found) ** 2).mean() / ((true - 1 / players) ** 2).mean())


def _learn(model: nn.Sequential, train: _Rows, held_out: _Rows, random: np.random.Generator) -> Layers:
    """Return the layers of the epoch with the best loss in held-out games."""
    best, kept = np.inf, layers_of(model)
    in_order = np.arange(len(held_out[0]))
    for rate in _RATES:
        optimizer, worse = torch.optim.Adam(model.parameters(), rate), 0
        while worse < _PATIENCE:
            for loss, _ in _losses(model, train, random.permutation(len(train[0]))):
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                total = sum(float(loss) * size for loss, size in _losses(model, held_out, in_order))
            worse = 0 if total < best else worse + 1
            if total < best:
                best, kept = total, layers_of(model)
    return kept


def _losses(model: nn.Module, rows: _Rows, order: NDArray[np.int64]) -> Iterator[tuple[torch.Tensor, int]]:
    """Yield the mean cross-entropy and the size of each minibatch."""
    for first in range(0, len(order), _MINIBATCH):
        chosen, true = (torch.from_numpy(part[order[first : first + _MINIBATCH]]) for part in rows)
        yield -(true * torch.log_softmax(model(chosen)[:, :, 0], dim=1)).sum(dim=1).mean(), len(true)
