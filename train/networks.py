"""Trained networks seen anew: their shape as a configuration, their policy made decided."""

from __future__ import annotations

import numpy as np

from diamant_env.opponents.network import NetworkAgent
from train.config import NetworkConfig

_SHARPER = np.float32(1000)  # times the logits: all but decided


def shape_of(network: NetworkAgent) -> NetworkConfig:
    """Return the shape of a network as a configuration has it; ValueError if it has no hidden layer."""
    hidden = tuple(weight.shape[1] for weight, _ in network.layers[:-1])
    if not hidden:
        raise ValueError(f"{network} has no hidden layer; a learner can't start from it")
    return NetworkConfig(hidden=hidden, activation=network.activation)


def sharpened(network: NetworkAgent) -> NetworkAgent:
    """Return the network that does what this one does more often: against what never changes, that is often better."""
    layers = [(weight.T.copy(), bias) for weight, bias in network.layers]
    weight, bias = layers[-1]
    return NetworkAgent([*layers[:-1], (weight * _SHARPER, bias * _SHARPER)], network.activation, network.name)
