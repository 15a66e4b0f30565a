"""Export of perceptrons of stable-baselines3 and torch to policy files, which load without torch or code execution."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from diamant_env.batch import Batch
from diamant_env.editions import EDITIONS
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.custom import CustomAgent
from diamant_env.opponents.layers import Layers
from diamant_env.opponents.models.outputs import OutputAgent, run_module
from diamant_env.opponents.models.policies import SB3Agent
from diamant_env.opponents.network import NetworkAgent

_ACTIVATIONS = {"ReLU": "relu", "Tanh": "tanh"}
_ENDS = ("Sigmoid", "Softmax", "Flatten", "Identity")
TOLERANCE = 1e-6
"""Maximum difference of the exported policy's probabilities."""


def to_network(agent: object) -> NetworkAgent:
    """Return the policy of a model as a `NetworkAgent`.

    Args:
        agent: Agent from `diamant_env.opponents.make` for a PPO, A2C or MaskablePPO with an ``MlpPolicy`` (or a
            ``MultiInputPolicy`` of observation and action mask), or for a torch module of linear layers.

    Raises:
        ValueError: If it is not such a perceptron, or its probabilities would differ by more than `TOLERANCE`.
    """
    if isinstance(agent, CustomAgent):  # a named one
        agent = agent.agent
    if isinstance(agent, NetworkAgent):
        return agent
    if isinstance(agent, SB3Agent):
        layers, activation = _of_policy(agent)
    elif isinstance(agent, OutputAgent) and isinstance(agent.run, partial) and agent.run.func is run_module:
        layers, activation = _perceptron(list(agent.run.args[0].modules()), str(agent))
        layers = layers if len(layers[-1][1]) == 2 else with_two_logits(layers)
    else:
        raise ValueError(f"{agent} is no model of stable-baselines3 or torch; only those are exported")
    network = NetworkAgent(layers, activation, str(agent))
    _check_same(agent, network)
    return network


def layers_of(modules: Iterable[Any]) -> Layers:
    """Return copies of weight and bias, float32, of each ``torch.nn.Linear`` among modules."""
    found = []
    for module in modules:
        if type(module).__name__ == "Linear":
            weight = module.weight.detach().cpu().numpy().astype(np.float32)
            bias = None if module.bias is None else module.bias.detach().cpu().numpy().astype(np.float32)
            found.append((weight, np.zeros(len(weight), np.float32) if bias is None else bias))
    return found


def with_two_logits(layers: Layers) -> Layers:
    """Return layers with a constant logit of 0 for CONTINUE before that of LEAVE."""
    *others, (weight, bias) = layers
    return [*others, (np.concatenate([0 * weight, weight]), np.concatenate([0 * bias, bias]))]


def _of_policy(agent: SB3Agent) -> tuple[Layers, str]:
    """Return the layers and the activation of a policy, from all features to two logits."""
    policy = agent.policy
    if not agent.memoryless or not hasattr(policy, "action_net"):
        reason = "only feed-forward policies with probabilities are exported"
        raise ValueError(f"{agent} can't be exported: {reason}")
    parts = [*policy.features_extractor.modules(), *policy.mlp_extractor.policy_net.modules(), policy.action_net]
    layers, activation = _perceptron(parts, str(agent))
    (weight, bias), *rest = [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in layers]
    if agent.masked:  # the mask comes first and is [1, 1] in rows that decide
        weight, bias = weight[:, 2:], bias + weight[:, :2].sum(axis=1)
    if agent.statistics is not None and agent.statistics.norm_obs:
        known = agent.statistics.obs_rms["observation"] if agent.masked else agent.statistics.obs_rms
        weight = weight / np.sqrt(known.var + agent.statistics.epsilon)
        bias = bias - weight @ known.mean
    whole = np.zeros((NUM_FEATURES, len(bias)))
    np.add.at(whole, agent.columns, weight.T)  # a field may occur twice
    return [
        (weight.astype(np.float32), bias.astype(np.float32)) for weight, bias in ((whole.T, bias), *rest)
    ], activation


def _perceptron(modules: list[Any], name: str) -> tuple[Layers, str]:
    """Return the linear layers among modules in order, and the activation between them."""
    leaves = [module for module in modules if not list(module.children())]
    kinds = [type(leaf).__name__ for leaf in leaves]
    between = {kind for kind in kinds if kind not in ("Linear", *_ENDS)}
    if len(between) > 1 or not between <= set(_ACTIVATIONS) or "Linear" not in kinds:
        raise ValueError(
            f"{name} can't be exported: {', '.join(sorted(set(kinds)))}; only Linear with ReLU or Tanh is supported"
        )
    activation = _ACTIVATIONS[between.pop()] if between else "relu"
    return layers_of(leaves), activation


def _check_same(agent: SB3Agent | OutputAgent, network: NetworkAgent) -> None:
    """Compare the probabilities in games of all editions and table sizes, with open and hidden chests."""
    editions = list(EDITIONS)
    batch = Batch(16 * len(editions), np.arange(16 * len(editions)) % 6 + 3, editions * 16)
    rows, random = batch.reset(0), np.random.default_rng(0)
    first, worst = np.zeros(rows.shape[0] * rows.shape[1], bool), 0.0
    for _ in range(30):
        obs = Observations(rows.reshape(-1, NUM_FEATURES))
        worst = max(worst, float(np.abs(agent.act(obs, first) - network.act(obs, first)).max()))
        rows, _, _ = batch.step((random.random(rows.shape[:2]) < 0.15).astype(np.int8), auto_reset=True)
    if not worst <= TOLERANCE:
        clips = (
            "; VecNormalize clips features that hardly vary in training" if getattr(agent, "statistics", None) else ""
        )
        raise ValueError(f"{agent} can't be exported: probabilities would differ by up to {worst:.2g}{clips}")
