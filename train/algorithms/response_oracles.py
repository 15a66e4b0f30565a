"""PSRO, policy-space response oracles, with PPO.

Lanctot et al.: A unified game-theoretic approach to multiagent reinforcement learning (NIPS 2017). In each round one
seat of each game learns a best response by PPO to the population in the others, where each seat samples one policy per
game from the meta-strategy. The response joins the population and initialises the next one.

The meta-strategy weights each response by its round: fictitious play, one of the paper's meta-solvers, with linear
averaging (Brown and Sandholm: Solving imperfect-information games via discounted regret minimization, AAAI 2019). It
needs no payoff table, whose size is exponential in the players.

The returned agent is the mixture distilled into one network: the population plays the last part of the budget, and the
network learns its average policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import create_mlp
from torch.nn.functional import binary_cross_entropy_with_logits

from diamant_env.batch import Batch
from diamant_env.observation import Observations
from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.models.export import layers_of
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.seated_agents import SeatedAgents
from train.league import vec_env_among
from train.ppo import ACTIVATIONS, Learner
from train.runs.averaging import WeightAverage
from train.runs.config import Config
from train.runs.run_folder import Checkpoints

DISTILLED = 0.1
"""Share of the budget for the decisions of the distillation."""
DISTILLED_EARLIER = 0.02
"""Share for each checkpoint, beyond the budget."""
_PASSES, _BATCH, _RATE = 20, 1024, 3e-3  # distillation


class Population:
    """Mixture agent: each row plays one policy, sampled at the start of a game."""

    def __init__(self, random: np.random.Generator, policies: Sequence[NetworkAgent] = ()) -> None:
        self.policies = list(policies)
        self._random = random
        self._playing = np.zeros(0, np.int64)

    def strategy(self) -> NDArray[np.float64]:
        """Return the meta-strategy, (policies,)."""
        weights = np.arange(1.0, len(self.policies) + 1)
        return weights / weights.sum()

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        if len(self._playing) != len(episode_start):
            self._playing = np.zeros(len(episode_start), np.int64)
        self._playing[episode_start] = self._random.choice(
            len(self.policies), np.count_nonzero(episode_start), p=self.strategy()
        )
        leave = np.zeros(len(episode_start), np.float32)
        for number, policy in enumerate(self.policies):
            rows = np.flatnonzero((self._playing == number) & (obs.flat[:, 0] > 0))
            leave[rows] = policy.leave_probability(obs.flat[rows])
        return leave


def response_oracles(config: Config, folder: Path, rounds: int) -> tuple[NetworkAgent, int]:
    """Train by PSRO for the budget of decisions, `rounds` responses; return the distilled mixture and the decisions.

    Earlier mixtures are distilled for the checkpoints; their decisions are not counted.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    population = Population(np.random.default_rng(config.seed))
    env = vec_env_among(config, population)
    decisions = round(config.ppo.decisions * (1 - DISTILLED))
    ppo = config.ppo.model_copy(update={"decisions": decisions})
    learner = Learner(env, ppo, config.network, config.seed)
    population.policies = [learner.network()]
    checkpoints, joined = Checkpoints(config, folder), 0
    while learner.decisions < decisions:
        learner.learn()
        if learner.decisions >= min(decisions, (joined + 1) * decisions / rounds):
            # The first response replaces the untrained network.
            population.policies[joined:] = [learner.network(f"answer {joined + 1}")]
            joined += 1
            if checkpoints.saved < checkpoints.due(learner.decisions):
                mixture = Population(np.random.default_rng(joined), population.policies)
                with torch.random.fork_rng():
                    network, _ = distilled(mixture, config, round(DISTILLED_EARLIER * config.ppo.decisions))
                checkpoints.save(network, learner.decisions)
    network, distillation_decisions = distilled(population, config, config.ppo.decisions - learner.decisions, folder)
    return network, learner.decisions + distillation_decisions


def distilled(
    population: Population, config: Config, decisions: int, folder: Path | None = None
) -> tuple[NetworkAgent, int]:
    """Return a network distilled from about `decisions` decisions of a population in its games, and their number.

    With `folder`, its weights are averaged over the last steps, and the last iterate is saved there.
    """
    random = np.random.default_rng(config.seed)
    inputs, leave = (torch.from_numpy(part) for part in _played(population, config, decisions))
    shape = config.network
    modules = create_mlp(inputs.shape[1], 2, list(shape.hidden), ACTIVATIONS[shape.activation])
    network = torch.nn.Sequential(*modules)

    def agent() -> NetworkAgent:
        return NetworkAgent(layers_of(network), shape.activation, "mixture", inputs=shape.inputs)

    optimizer = torch.optim.Adam(network.parameters(), _RATE)
    steps = max(1, _PASSES * len(leave) // _BATCH)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    average = WeightAverage(config.ppo.average, steps)
    for step in range(1, steps + 1):
        chosen = torch.from_numpy(random.integers(0, len(leave), _BATCH))
        logits = network(inputs[chosen])
        loss = binary_cross_entropy_with_logits(logits[:, 1] - logits[:, 0], leave[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        average.add(agent(), step)
    return average.finish(agent(), config, folder) if folder else agent(), len(leave)


def _played(population: Population, config: Config, decisions: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return inputs (decisions, width) and P(LEAVE) (decisions,) from games of the population."""
    inputs, game = INPUTS[config.network.inputs], config.game
    shape = config.ppo.games, game.num_players[0]
    batch = Batch(shape[0], num_players=shape[1], edition=game.evaluation_edition())
    batch.reset(config.seed)
    network_inputs: list[NDArray[np.float32]] = []
    probabilities: list[NDArray[np.float32]] = []
    for turn in SeatedAgents(batch, [population], np.zeros(shape, np.int64)).turns(auto_reset=True):
        deciding = turn.observations[:, :, 0] > 0
        network_inputs.append(inputs(turn.observations[deciding]))
        probabilities.append(turn.leave[deciding])
        if sum(map(len, probabilities)) >= decisions:
            break
    return np.concatenate(network_inputs), np.concatenate(probabilities)
