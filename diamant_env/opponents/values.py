"""Value networks: the win share to expect at the start of an expedition where everyone plays one policy.

All that is used is what an observation shows beside the first card, so the card adds no noise. A perceptron gives each
seat a logit, from how its chest compares with the others'; the softmax over the seats makes win shares of them. So the
shares of a table add up to 1, and seats with equal chests have equal ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_PLAYERS
from diamant_env.observation import Observations
from diamant_env.opponents.layers import Layers, check_layers, hidden, one_blas_thread, transposed

_FAR, _NEAR = 12.0, 3.0  # gems
_SPREAD, _MOST = 8.0, 4.0  # gems by which chests drift apart in an expedition; leads are clipped at so many of these


class Values:
    """A value network for each of some table sizes.

    Args:
        networks: By the number of players, the layers of a perceptron with ReLU: weight (outputs, inputs) and bias
            (outputs,) of each, float32; see `inputs`, and one output.

    Raises:
        ValueError: If layers don't fit, a weight is no finite number, or a table has an impossible size.
    """

    def __init__(self, networks: Mapping[int, Layers]) -> None:
        for players, layers in networks.items():
            if not 2 <= players <= MAX_PLAYERS:
                raise ValueError(f"values of tables of {players}; 2 to {MAX_PLAYERS} players are possible")
            try:
                check_layers(layers, number_of_inputs(players), 1)
            except ValueError as error:
                raise ValueError(f"values of tables of {players}: {error}") from None
        self.networks = {players: transposed(layers) for players, layers in networks.items()}

    def weights(self) -> dict[int, Layers]:
        """Return the layers as they were given."""
        return {
            players: [(weight.T.copy(), bias) for weight, bias in layers] for players, layers in self.networks.items()
        }

    def shares(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the win share to expect of each seat, float32 (rows, players), the observer's first.

        Args:
            flat: float32 (rows, NUM_FEATURES), observations with open chests at the first turn of an expedition, all of
                tables of one size.

        Raises:
            KeyError: If there is no network for tables of that size.
        """
        players = int(Observations(flat[0])["num_players"])
        return shares_of(self.networks[players], inputs(*seen_at_start(flat)))


def seen_at_start(flat: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return what values depend on, for observations as in `Values.shares`.

    Returns:
        The chests in gems, float32 (rows, players), the observer's first, and what all seats share, float32 (rows, 7):
        the expeditions to come with this one, whether it is the last and the last but one, the traps in the deck, the
        pairs that could end an expedition, the relics in the deck and those taken. The first card lies in the deck.
    """
    seen = Observations(flat)
    players = int(seen["num_players"][0])
    chests = np.concatenate([seen["chest"][:, None], seen["rival_chest"][:, : players - 1]], axis=1)
    to_come = seen["expeditions_left"] + 1
    traps = seen["traps_left"] + seen["traps_on_path"]
    public = [
        *(to_come / 4, to_come == 1, to_come == 2),
        *(traps.sum(axis=1) / 16, (traps * (traps - 1)).sum(axis=1) / 16),
        *((seen["relics_left"].sum(axis=1) + seen["path_relics"]) / 2, seen["relics_taken"] / 2),
    ]
    return chests, np.stack(public, axis=1).astype(np.float32)


def inputs(chests: NDArray[np.float32], public: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the network computes from, float32 (rows, players, 3 * players + 4), see `seen_at_start`.

    Of each seat its chest less each other one's, these from the largest down: clipped closely and less so, and as a
    part of what is to be expected of the expeditions to come; then what all seats share.
    """
    players = chests.shape[1]
    places = np.arange(players)
    others = np.array([np.delete(places, place) for place in places])
    order = np.argsort(-chests, axis=1, kind="stable")
    falling = np.take_along_axis(chests, order, axis=1)
    lead = falling[:, :, None] - falling[:, others]
    drift = _SPREAD * np.sqrt(4 * public[:, :1, None])
    found = np.empty((len(chests), players, number_of_inputs(players)), np.float32)
    width = players - 1
    ranked = np.concatenate(
        [
            np.clip(lead, -_NEAR, _NEAR) / 2,
            np.clip(lead, -_FAR, _FAR) / 8,
            np.clip(lead / drift, -_MOST, _MOST),
        ],
        axis=2,
    )
    np.put_along_axis(found[:, :, : 3 * width], order[:, :, None], ranked, axis=1)
    found[:, :, 3 * width :] = public[:, None]
    return found


def number_of_inputs(players: int) -> int:
    """Return how many `inputs` a seat has: three for each other seat, and seven that all share."""
    return 3 * (players - 1) + 7


def shares_of(layers: Layers, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the win shares, float32 (rows, players), that transposed layers give for `inputs`."""
    weight, bias = layers[-1]
    with one_blas_thread():
        logits = hidden(rows.reshape(-1, rows.shape[2]), layers[:-1], "relu") @ weight + bias
    logits = logits.reshape(rows.shape[:2])
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
