"""Conversion of perceptrons of stable-baselines3 and torch to policy files, which load without running code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from diamant_env.agent import Agent
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.layers import Layers
from diamant_env.opponents.models.policies import ModuleAgent, SB3Agent
from diamant_env.opponents.network import NetworkAgent

_ACTIVATIONS = {"ReLU": "relu", "Tanh": "tanh"}


def to_network(agent: Agent) -> NetworkAgent:
    """Return the policy of a model as a `NetworkAgent`, whose `save` writes a policy file.

    Args:
        agent: Agent from `diamant_env.opponents.make_agent` for a PPO, A2C or MaskablePPO with an ``MlpPolicy``, or for
            a torch module whose linear layers follow one another; other connections, such as residual ones, are lost.

    Returns:
        The agent with copies of the weights.

    Raises:
        ValueError: If the model is not such a perceptron, or was trained with ``VecNormalize``.
    """
    if isinstance(agent, SB3Agent):
        layers, activation = _of_policy(agent)
    elif isinstance(agent, ModuleAgent):
        layers, activation = _perceptron(list(agent.module.modules()), str(agent))
    else:
        raise ValueError(f"{agent} is not a model of stable-baselines3 or torch")
    return NetworkAgent(layers, activation, str(agent))


def layers_of(modules: Iterable[Any]) -> Layers:
    """Return copies of weight and bias, float32, of each ``torch.nn.Linear`` among modules."""
    layers = []
    for module in modules:
        if type(module).__name__ == "Linear":
            weight = module.weight.detach().cpu().numpy().astype(np.float32)
            bias = None if module.bias is None else module.bias.detach().cpu().numpy().astype(np.float32)
            layers.append((weight, np.zeros(len(weight), np.float32) if bias is None else bias))
    return layers


def _of_policy(agent: SB3Agent) -> tuple[Layers, str]:
    """Return layers and activation of a policy, from all features to two logits."""
    policy = agent.policy
    if not agent.stateless or agent.masked or agent.statistics is not None or not hasattr(policy, "action_net"):
        raise ValueError(f"{agent} is not an MlpPolicy of PPO, A2C or MaskablePPO that learned without VecNormalize")
    parts = [*policy.features_extractor.modules(), *policy.mlp_extractor.policy_net.modules(), policy.action_net]
    layers, activation = _perceptron(parts, str(agent))
    (weight, bias), *rest = layers
    expanded = np.zeros((NUM_FEATURES, len(bias)), np.float32)
    np.add.at(expanded, agent.columns, weight.T)  # a field may occur twice
    return [(expanded.T, bias), *rest], activation


def _perceptron(modules: list[Any], name: str) -> tuple[Layers, str]:
    """Return the linear layers among modules, in order, and the activation between them."""
    leaves = [module for module in modules if not list(module.children())]
    kinds = {type(leaf).__name__ for leaf in leaves}
    between = kinds - {"Linear", "Flatten", "Identity"}
    if len(between) > 1 or not between <= set(_ACTIVATIONS) or "Linear" not in kinds:
        raise ValueError(f"{name} has {', '.join(sorted(kinds))}; only Linear with either ReLU or Tanh is supported")
    return layers_of(leaves), _ACTIVATIONS[between.pop()] if between else "relu"
