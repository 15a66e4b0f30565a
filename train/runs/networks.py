"""Networks that a run starts from, their shape as a configuration, and a policy made nearly deterministic."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from train.runs.config import Config, NetworkConfig
from train.runs.run_folder import START, save_policy

_SHARPER = np.float32(1000)  # times the logits


def shape_of(network: NetworkAgent) -> NetworkConfig:
    """Return the shape of a network as a configuration has it; ValueError if it has no hidden layer."""
    hidden = tuple(weight.shape[1] for weight, _ in network.layers[:-1])
    if not hidden:
        raise ValueError(f"{network} has no hidden layer; a learner can't start from it")
    return NetworkConfig.model_validate({"hidden": hidden, "activation": network.activation, "inputs": network.inputs})


def start_of(config: Config) -> NetworkAgent:
    """Return the network that `config.start` names; ValueError if there is none that the run could start from."""
    text = config.start.replace("{seed}", str(config.seed))
    network = make(text)
    if not isinstance(network, NetworkAgent):
        raise ValueError(f"start = {text!r} is no network that a policy could start from")
    shape = shape_of(network)
    if shape != config.network:
        needed = f"network.hidden = {list(shape.hidden)}, activation = {shape.activation!r}, inputs = {shape.inputs!r}"
        raise ValueError(f"start = {text!r} needs {needed}; the run has {config.network}")
    return network


def kept_start(config: Config, folder: Path) -> NetworkAgent:
    """Return the network that the run starts from, from a copy in the run's folder: the original may change later."""
    if not (folder / START).is_file():
        save_policy(folder / START, start_of(config), config, 0)
    return NetworkAgent.load(folder / START)


def sharpened(network: NetworkAgent) -> NetworkAgent:
    """Return the network that nearly always does what this one does more often."""
    layers = list(network.weights())
    weight, bias = layers[-1]
    layers[-1] = (weight * _SHARPER, bias * _SHARPER)
    return NetworkAgent(layers, network.activation, network.name, inputs=network.inputs)
