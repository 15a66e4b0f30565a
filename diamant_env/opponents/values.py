"""Value networks: expected win shares at the start of an expedition in self-play of one policy.

The features exclude the first card, whose variance would be noise. A perceptron computes a logit for each seat from the
differences of chests; a softmax over the seats gives win shares that sum to 1 and are equal for equal chests.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations
from diamant_env.opponents.layers import Layers, check_layers, hidden, one_blas_thread, transposed

_FAR, _NEAR = 12.0, 3.0  # gems
_SPREAD, _MOST = 8.0, 4.0  # typical change of a lead per expedition in gems; clip, in multiples of it


class Values:
    """Value networks by number of players: the layers of perceptrons with ReLU from `inputs` to one output."""

    def __init__(self, networks: Mapping[int, Layers]) -> None:
        for players, layers in networks.items():
            check_layers(layers, number_of_inputs(players), 1)
        self.networks = {players: transposed(layers) for players, layers in networks.items()}

    def weights(self) -> dict[int, Layers]:
        """Return copies of the layers by number of players, see `Layers`."""
        return {
            players: [(weight.T.copy(), bias.copy()) for weight, bias in layers]
            for players, layers in self.networks.items()
        }

    def shares(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the expected win share of each seat, float32 (rows, players), the observer's first.

        `flat`, float32 (rows, NUM_FEATURES), are observations with open chests at the first turn of an expedition, all
        with the same number of players.
        """
        players = int(Observations(flat[0])["num_players"])
        return shares_of(self.networks[players], inputs(*start_features(flat)))


def start_features(flat: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return chests in gems, float32 (rows, players), and public features, float32 (rows, 7), of `Values.shares`.

    The observer's chest is the first. Public features: remaining expeditions including this one, whether that number is
    1, whether it is 2, traps in the deck, pairs of equal traps, relics in the deck, relics taken. The deck includes the
    first card.
    """
    obs = Observations(flat)
    players = int(obs["num_players"][0])
    chests = np.concatenate([obs["chest"][:, None], obs["rival_chest"][:, : players - 1]], axis=1)
    to_come = obs["expeditions_left"] + 1
    traps = obs["traps_left"] + obs["traps_on_path"]
    public = [
        *(to_come / 4, to_come == 1, to_come == 2),
        *(traps.sum(axis=1) / 16, (traps * (traps - 1)).sum(axis=1) / 16),
        *((obs["relics_left"].sum(axis=1) + obs["path_relics"]) / 2, obs["relics_taken"] / 2),
    ]
    return chests, np.stack(public, axis=1).astype(np.float32)


def inputs(chests: NDArray[np.float32], public: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the network's inputs, float32 (rows, players, 3 * players + 4), see `start_features`.

    For each seat its leads over the other seats, sorted by their chests in descending order: clipped at `_NEAR`,
    clipped at `_FAR`, and divided by their typical change in the remaining expeditions; then the public features.
    """
    players = chests.shape[1]
    places = np.arange(players)
    others = np.array([np.delete(places, place) for place in places])
    order = np.argsort(-chests, axis=1, kind="stable")
    falling = np.take_along_axis(chests, order, axis=1)
    lead = falling[:, :, None] - falling[:, others]
    drift = _SPREAD * np.sqrt(4 * public[:, :1, None])
    result = np.empty((len(chests), players, number_of_inputs(players)), np.float32)
    width = players - 1
    ranked = [np.clip(lead, -_NEAR, _NEAR) / 2, np.clip(lead, -_FAR, _FAR) / 8, np.clip(lead / drift, -_MOST, _MOST)]
    np.put_along_axis(result[:, :, : 3 * width], order[:, :, None], np.concatenate(ranked, axis=2), axis=1)
    result[:, :, 3 * width :] = public[:, None]
    return result


def number_of_inputs(players: int) -> int:
    """Return the number of `inputs` of a seat: three for each other seat, and seven public ones."""
    return 3 * (players - 1) + 7


def shares_of(layers: Layers, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the win shares that transposed layers compute from `inputs`, float32 (rows, players)."""
    weight, bias = layers[-1]
    with one_blas_thread(rows.shape[0] * rows.shape[1]):
        logits = hidden(rows.reshape(-1, rows.shape[2]), layers[:-1], "relu") @ weight + bias
    logits = logits.reshape(rows.shape[:2])
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
