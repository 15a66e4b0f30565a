"""Best-response search by PPO against frozen copies, from scratch and from the agent's weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

from diamant_env.agent import Agent
from diamant_env.evaluation.games import progress_bar, seeds_for
from diamant_env.opponents import make_agent
from diamant_env.opponents.inputs import RAW
from diamant_env.opponents.matchup import seat_learner
from diamant_env.opponents.network import LAYOUT, NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.storage.results import save_json
from train.ppo import Learner
from train.responding.config import SearchConfig
from train.responding.gains import ResponseGame, gains_of
from train.runs.config import NetworkConfig
from train.runs.run_folder import POLICY, read_json, save_policy

CURVE = "curve.json"
_SHARPER = np.float32(1000)  # factor of the logits


@dataclass(frozen=True)
class ResponseRun:
    """One run of the search, finished if `CURVE` exists in its folder."""

    game: ResponseGame
    config: SearchConfig
    start: str  # "scratch" or "warm"
    number: int  # index of the seed
    folder: Path

    @property
    def name(self) -> str:
        """Name in tables."""
        return f"PPO {self.start} {self.number}"

    def curve(self) -> dict[str, Any] | None:
        """Return points and seconds of a finished run, else None."""
        return read_json(self.folder / CURVE) if (self.folder / CURVE).is_file() else None

    def policy(self) -> NetworkAgent:
        """Return the selected policy of a finished run."""
        network = NetworkAgent.load(self.folder / POLICY)
        network.name = self.name
        return network

    def finish(self) -> None:
        """Train, select a checkpoint and save policy and curve, unless finished; an interrupted run restarts."""
        if self.curve() is not None:
            return
        start, game, config = perf_counter(), self.game, self.config
        torch.set_num_threads(config.threads)
        seeds = seeds_for(config.seed, "response", self.start, self.number)
        agent = make_agent(game.agent)
        warm = agent.for_players(game.players) if isinstance(agent, NetworkAgent) and self.start == "warm" else None
        checkpoints = learn(game, config, seeds, warm)
        points, (decisions, policy) = pick(checkpoints, game, config)
        save_policy(self.folder / POLICY, policy, config, decisions)
        save_json({"points": points, "seconds": perf_counter() - start}, self.folder / CURVE)


def response_runs(game: ResponseGame, config: SearchConfig, folder: Path) -> list[ResponseRun]:
    """Return the runs of a search, with warm starts if a learner can begin with the agent's weights."""
    starts = ["scratch", "warm"] if can_start(make_agent(game.agent), game.players) else ["scratch"]
    return [
        ResponseRun(game, config, start, n, folder / f"{start}-{n}") for start in starts for n in range(config.seeds)
    ]


def can_start(agent: Agent, players: int) -> bool:
    """Return whether an agent is a network that has a hidden layer at these tables and the inputs of learners."""
    if not isinstance(agent, NetworkAgent):
        return False
    return len(agent.weights(players)) > 1 and (agent.inputs != RAW or agent.layout == LAYOUT)


def learn(
    game: ResponseGame, config: SearchConfig, seeds: np.random.SeedSequence, warm: NetworkAgent | None
) -> list[tuple[int, NetworkAgent]]:
    """Train a learner among copies, from random weights or `warm`; return (decisions, policy) of its checkpoints."""
    copy_seed, learner_seed = (int(state) for state in seeds.generate_state(3)[1:])
    seating = seat_learner(config.ppo.games, game.players)
    copies = [make_agent(game.agent, copy_seed)]
    env = DiamantVecEnv(config.ppo.games, game.players, game.edition, game.reward, copies, seating)
    shape = config.network if warm is None else shape_of(warm)
    ppo = config.ppo.model_copy(update={"reward_scale": config.ppo.reward_scale * reward_scale(game.reward)})
    learner = Learner(env, ppo, shape, learner_seed)
    if warm is not None:
        learner.start_from(warm)
    kept: list[tuple[int, NetworkAgent]] = []
    value_only = 0 if warm is None else config.value_warmup * ppo.decisions
    with progress_bar(total=ppo.decisions, unit=" decisions") as bar:
        while (done := learner.decisions) < ppo.decisions:
            learner.train_policy(done >= value_only)
            learner.learn()
            bar.update(learner.decisions - bar.n)
            if learner.decisions >= min(ppo.decisions, ppo.decisions / config.checkpoints * (len(kept) + 1)):
                kept.append((learner.decisions, learner.network()))
    return kept


def pick(
    checkpoints: list[tuple[int, NetworkAgent]], game: ResponseGame, config: SearchConfig
) -> tuple[list[dict[str, Any]], tuple[int, NetworkAgent]]:
    """Compare policies and their sharpened versions on the same games; return the curve and the best one."""
    tried = [(decisions, each) for decisions, policy in checkpoints for each in (policy, sharpened(policy))]
    measured = gains_of([policy for _, policy in tried], game, config.selection_games, config.seed, "pick")
    points = [
        {"decisions": decisions, "gain": plain.gain, "sharpened": sharp.gain}
        for (decisions, _), plain, sharp in zip(checkpoints, measured[::2], measured[1::2], strict=True)
    ]
    # Ties go to the latest checkpoint.
    return points, tried[max(range(len(tried)), key=lambda place: (measured[place].gain.mean, place))]


def reward_scale(reward: str) -> float:
    """Return the factor that scales returns to about 1: scores are about 16 gems, win shares at most 1."""
    return 1.0 if reward == "win" else 1 / 16


def shape_of(network: NetworkAgent) -> NetworkConfig:
    """Return the configuration of a network's shape."""
    hidden = tuple(len(bias) for _, bias in network.weights()[:-1])
    return NetworkConfig.model_validate({"hidden": hidden, "activation": network.activation, "inputs": network.inputs})


def sharpened(network: NetworkAgent) -> NetworkAgent:
    """Return a nearly deterministic network that takes the more probable action."""
    *layers, (weight, bias) = network.weights()
    layers.append((weight * _SHARPER, bias * _SHARPER))
    return NetworkAgent(layers, network.activation, network.name, inputs=network.inputs)
