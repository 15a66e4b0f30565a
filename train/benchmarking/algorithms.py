"""Algorithms of the benchmark: functions from a benchmark run to an agent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from diamant_env.judging.games import Player
from diamant_env.opponents.custom import NAMES_OBJECT
from diamant_env.storage.reading import nearest
from train.algorithms import stable_baselines as sb3
from train.algorithms.counting import CountedVecEnv
from train.algorithms.fictitious import fictitious_play
from train.algorithms.mirror_descent import MirrorDescent
from train.algorithms.regularised_nash import RegularisedNash
from train.algorithms.response_oracles import response_oracles
from train.benchmarking.benchmark_run import Algorithm, BenchmarkRun
from train.benchmarking.entry import from_agent, from_function
from train.benchmarking.exact_tasks import equilibrium
from train.benchmarking.suite import EXACT, Task
from train.ppo import Learner, train
from train.runs.config import Config
from train.runs.markdown import markdown_table
from train.runs.run_folder import CHECKPOINT

KINDS = ("learned", "scripted", "shipped", "exact")
REFERENCES = ("random:0.2", "ev:0.75")
"""Scripted reference agents in every part of the benchmark."""
PPO = {"entropy": 0.1, "final_entropy": 0.01}
"""Tuned settings of `ppo` that override the configuration (docs/benchmark_tasks.md)."""


def _ppo(run: BenchmarkRun, experiment: Config, learner: type[Learner] = Learner) -> Player:
    """Train by `train.ppo` with a `Learner` class, resuming an interrupted run."""
    if not (run.training / CHECKPOINT).is_file():
        run.meter.clear()
    return train(experiment, run.training, learner, partial(CountedVecEnv, run.meter), progress=False)


def _library(make_model: Callable) -> Callable[[BenchmarkRun], Player]:
    return lambda run: sb3.learn(make_model, run.experiment(), run.meter, run.training)


def _is_win_task(task: Task) -> bool:
    return task.game.reward == "win"


_ALGORITHMS = (
    Algorithm(
        "ppo", "learned", "PPO, self-play with shared parameters (ours)", lambda run: _ppo(run, run.experiment(ppo=PPO))
    ),
    Algorithm(
        "league",
        "learned",
        "PPO in a league of earlier versions (ours)",
        lambda run: _ppo(run, run.experiment(run.config.league)),
        lambda task: task.players > 1,
    ),
    Algorithm(
        "fictitious",
        "learned",
        "neural fictitious self-play with PPO (ours)",
        lambda run: fictitious_play(run.experiment(), run.meter, run.training),
        lambda task: task.players > 1,
    ),
    Algorithm(
        "mirror-descent",
        "learned",
        "magnetic mirror descent, self-play (ours)",
        lambda run: _ppo(run, run.experiment(), MirrorDescent),
    ),
    Algorithm(
        "r-nad",
        "learned",
        "R-NaD, regularised Nash dynamics, self-play with PPO (ours)",
        lambda run: _ppo(run, run.experiment(), RegularisedNash),
    ),
    Algorithm(
        "psro",
        "learned",
        "PSRO, policy-space response oracles, with PPO (ours)",
        lambda run: response_oracles(run.experiment(), run.meter, run.training),
        lambda task: task.players > 1,
    ),
    Algorithm("maskable-ppo", "learned", "MaskablePPO of sb3-contrib, self-play", _library(sb3.maskable_ppo)),
    Algorithm("a2c", "learned", "A2C of stable-baselines3, self-play", _library(sb3.a2c)),
    Algorithm("dqn", "learned", "DQN of stable-baselines3, self-play", _library(sb3.dqn)),
    Algorithm(REFERENCES[0], "scripted", "leaves with probability 0.2", lambda _run: REFERENCES[0]),
    Algorithm(REFERENCES[1], "scripted", "one-step lookahead on expected gems", lambda _run: REFERENCES[1]),
    Algorithm("champion", "shipped", "PPO, 800 million decisions per size", lambda _run: "champion", _is_win_task),
    Algorithm("hunter", "shipped", "80 million, mostly against random rules", lambda _run: "hunter", _is_win_task),
    Algorithm(
        "equilibrium",
        "exact",
        "the symmetric equilibrium in score, an equilibrium of a small whole game",
        lambda run: equilibrium(run.task),
        lambda task: task.family in EXACT,
    ),
    Algorithm(
        "difference",
        "exact",
        "the equilibrium in score difference",
        lambda _run: "difference",
        lambda task: task.name == "expedition-2",
    ),
    Algorithm("lone", "exact", "optimal stopping", lambda _run: "lone", lambda task: task.players == 1),
)
ALGORITHMS = {algorithm.name: algorithm for algorithm in _ALGORITHMS}
"""The algorithms by name."""


def find_algorithms(names: tuple[str, ...], agents: tuple[str, ...] = ()) -> list[Algorithm]:
    """Return the algorithms of these names, kinds or ``module:function``, and finished agents; all by default.

    Raises:
        ValueError: If a name is unknown.
    """
    found: dict[str, Algorithm] = {}
    for name in names or (() if agents else KINDS):
        named = [each for each in ALGORITHMS.values() if name in (each.name, each.kind)]
        if not named and not NAMES_OBJECT.fullmatch(name):
            known = [*(each.name for each in ALGORITHMS.values() if each.kind != "scripted"), *KINDS]
            own = "a custom one is module:function; finished agents go to --agents"
            near = nearest(name, known, f"algorithms: {', '.join(known)}; {own}")
            raise ValueError(f"unknown algorithm {name!r}; {near}")
        found |= {each.name: each for each in named or [from_function(name)]}
    finished = {name: each for name, each in ALGORITHMS.items() if each.kind != "learned"}
    return list((found | {text: finished.get(text) or from_agent(text) for text in agents}).values())


def algorithm_table() -> str:
    """Return the algorithms as a Markdown table."""
    rows = [[f"`{each.name}`", each.kind, each.meaning] for each in ALGORITHMS.values()]
    return markdown_table(["algorithm", "kind", "what it is"], rows)
