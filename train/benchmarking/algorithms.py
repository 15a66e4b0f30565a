"""Algorithms of the benchmark: functions from a benchmark run to an agent."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm

from diamant_env.benchmark import EXACT, BenchmarkTask, equilibrium
from diamant_env.opponents.custom import NAMES_OBJECT
from diamant_env.storage.files import nearest
from train.algorithms import stable_baselines as sb3
from train.algorithms.fictitious import fictitious_play
from train.algorithms.mirror_descent import MirrorDescent
from train.algorithms.regularised_nash import RegularisedNash
from train.algorithms.response_oracles import response_oracles
from train.benchmarking.benchmark_run import Algorithm, BenchmarkRun, Trained
from train.benchmarking.entry import from_agent, from_function
from train.league import LeagueLearner
from train.runs.run_folder import TIME, read_json
from train.runs.training_run import train

KINDS = ("learned", "scripted", "shipped", "exact")
REFERENCES = ("random:0.2", "ev:0.75")
"""Scripted reference agents in every part of the benchmark."""
# fmt: off
TUNED: dict[str, dict[str, Any]] = {
    "ppo": {"learning_rate": 0.0098, "entropy": 0.069, "epochs": 1, "minibatch": 1024, "average": 0.1},
    "fictitious": {"learning_rate": 0.002, "entropy": 0.01, "epochs": 4, "minibatch": 512, "average": 0.05,
        "passes": 4, "rate": 0.0008},
    "mirror-descent": {"learning_rate": 0.0048, "entropy": 0.046, "epochs": 4, "minibatch": 2048, "average": 0.1,
        "step_size": 2.1},
    "r-nad": {"learning_rate": 0.0015, "entropy": 0.081, "epochs": 4, "minibatch": 1024, "average": 0.2,
        "weight": 0.0039, "replacements": 10},
    "psro": {"learning_rate": 0.0065, "entropy": 0.012, "epochs": 4, "minibatch": 512, "average": 0.05, "rounds": 48},
    "maskable-ppo": {"learning_rate": 0.0079, "entropy": 0.076, "epochs": 4, "minibatch": 1024, "average": 0.4,
        "turns": 4},
    "a2c": {"learning_rate": 0.0065, "entropy": 0.14, "epochs": 1, "minibatch": 1024, "average": 0.1, "turns": 4},
}
# fmt: on
"""The best settings of each learner in `train.tune`; A2C ignores epochs and minibatch."""


def _ppo(run: BenchmarkRun, learner: Callable = LeagueLearner, **ppo: Any) -> Trained:
    """Train by PPO with these settings, resuming an interrupted run."""
    agent = train(run.experiment(**ppo), run.training, learner, progress=False)
    return agent, read_json(run.training / TIME)["decisions"]


def _fictitious(run: BenchmarkRun, passes: int, rate: float, **ppo: Any) -> Trained:
    return fictitious_play(run.experiment(**ppo), run.training, passes, rate)


def _mirror_descent(run: BenchmarkRun, step_size: float, **ppo: Any) -> Trained:
    return _ppo(run, partial(MirrorDescent, step_size=step_size), **ppo)


def _regularised_nash(run: BenchmarkRun, weight: float, replacements: int, **ppo: Any) -> Trained:
    return _ppo(run, partial(RegularisedNash, weight=weight, replacements=replacements), **ppo)


def _response_oracles(run: BenchmarkRun, rounds: int, **ppo: Any) -> Trained:
    return response_oracles(run.experiment(**ppo), run.training, rounds)


def _library(make_model: Callable[..., BaseAlgorithm], run: BenchmarkRun, **ppo: Any) -> Trained:
    return sb3.learn(make_model, run.experiment(**ppo), run.training)


def _is_win_task(task: BenchmarkTask) -> bool:
    return task.reward == "win"


def _learner(name: str, meaning: str, agent: Callable[..., Trained], fits: int = 1) -> Algorithm:
    """Return a learning algorithm with its tuned settings."""
    version = sha256(json.dumps(TUNED[name]).encode()).hexdigest()[:16]
    return Algorithm(name, "learned", meaning, partial(agent, **TUNED[name]), version=version, fits=fits)


_ALGORITHMS = (
    _learner("ppo", "PPO, self-play with shared parameters (ours)", _ppo, fits=3),
    _learner("fictitious", "neural fictitious self-play with PPO (ours)", _fictitious),
    _learner("mirror-descent", "magnetic mirror descent, self-play (ours)", _mirror_descent, fits=3),
    _learner("r-nad", "R-NaD, regularised Nash dynamics, self-play with PPO (ours)", _regularised_nash),
    _learner("psro", "PSRO with PPO as oracle, fictitious play as meta-solver (ours)", _response_oracles),
    _learner("maskable-ppo", "MaskablePPO of sb3-contrib, self-play", partial(_library, sb3.maskable_ppo)),
    _learner("a2c", "A2C of stable-baselines3, self-play", partial(_library, sb3.a2c)),
    Algorithm(REFERENCES[0], "scripted", "leaves with probability 0.2", lambda _run: (REFERENCES[0], 0)),
    Algorithm(REFERENCES[1], "scripted", "one-step lookahead on expected gems", lambda _run: (REFERENCES[1], 0)),
    Algorithm(
        "champion",
        "shipped",
        "PPO, 800 million decisions per size",
        lambda _run: ("champion", 0),
        _is_win_task,
        fits=3,
    ),
    Algorithm("hunter", "shipped", "80 million, mostly against random rules", lambda _run: ("hunter", 0), _is_win_task),
    Algorithm(
        "equilibrium",
        "exact",
        "the symmetric equilibrium in score, an equilibrium of a small whole game, minimax play",
        lambda run: (equilibrium(run.task), 0),
        lambda task: task.family in EXACT,
    ),
)
ALGORITHMS = {algorithm.name: algorithm for algorithm in _ALGORITHMS}
"""The algorithms by name."""


def find_algorithms(names: tuple[str, ...], agents: tuple[str, ...] = ()) -> list[Algorithm]:
    """Return the algorithms of these names, kinds or ``module:function``, and finished agents; all by default."""
    chosen: dict[str, Algorithm] = {}
    for name in names or (() if agents else KINDS):
        named = [algorithm for algorithm in ALGORITHMS.values() if name in (algorithm.name, algorithm.kind)]
        if not named and not NAMES_OBJECT.fullmatch(name):
            allowed = [*(algorithm.name for algorithm in ALGORITHMS.values() if algorithm.kind != "scripted"), *KINDS]
            others = "a custom one is module:function; finished agents go to --agents"
            near = nearest(name, allowed, f"algorithms: {', '.join(allowed)}; {others}")
            raise ValueError(f"unknown algorithm {name!r}; {near}")
        chosen |= {algorithm.name: algorithm for algorithm in named or [from_function(name)]}
    finished = {algorithm.name: algorithm for algorithm in ALGORITHMS.values() if algorithm.kind != "learned"}
    return list((chosen | {spec: finished.get(spec) or from_agent(spec) for spec in agents}).values())
