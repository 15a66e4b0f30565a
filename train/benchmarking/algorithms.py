"""The algorithms of the benchmark, one entry each: a function of a benchmark run that returns an agent."""

from __future__ import annotations

from collections.abc import Callable

from diamant_env.judging.games import Player, name_of
from diamant_env.opponents import make
from diamant_env.opponents.pools import POOLS, load_pool
from diamant_env.storage.markdown import markdown_table
from train.algorithms import stable_baselines as sb3
from train.algorithms.fictitious import fictitious_play
from train.algorithms.mirror_descent import MirrorDescent
from train.algorithms.regularised_nash import RegularisedNash
from train.algorithms.response_oracles import response_oracles
from train.benchmarking.benchmark_run import Algorithm, BenchmarkRun
from train.learning.self_play import SelfPlayPPO
from train.learning.training import train
from train.runs.config import Config
from train.runs.report import able

KINDS = ("learned", "scripted", "exact")


def _ppo(run: BenchmarkRun, experiment: Config, learner: type[SelfPlayPPO] = SelfPlayPPO) -> Player:
    """PPO of `train.ppo` or a learner made of it, which goes on where it was if the run was cut off."""
    return train(experiment, run.folder / "run", learner)


def _library(make_model: Callable) -> Callable[[BenchmarkRun], Player]:
    return lambda run: sb3.learn(make_model, run.experiment())


def _solved(family: str) -> Callable[[BenchmarkRun], Player]:
    return lambda run: f"{family}:{run.task.game.edition}"


def from_text(text: str) -> Algorithm:
    """Return the algorithm that is an agent as it is: a scripted one or a trained one; else a ValueError."""
    make(text)
    # Some agents need the rivals' chests.
    return Algorithm(
        text,
        "scripted",
        "as it is",
        lambda _run: text,
        lambda task: able(text, task.players, task.game.played(), task.game.blank),
    )


_ALGORITHMS = (
    Algorithm(
        "ppo", "learned", "PPO, self-play with shared parameters (ours)", lambda run: _ppo(run, run.experiment())
    ),
    Algorithm(
        "league",
        "learned",
        "PPO in a league of earlier versions (ours)",
        lambda run: _ppo(run, run.experiment(opponents=run.config.league)),
        lambda task: task.players > 1,
    ),
    Algorithm(
        "ppo-score",
        "learned",
        "PPO, self-play, paid by score (ours)",
        lambda run: _ppo(run, run.experiment(reward="score")),
        lambda task: task.game.reward != "score",
    ),
    Algorithm(
        "fictitious",
        "learned",
        "neural fictitious self-play with PPO (ours)",
        lambda run: fictitious_play(run.experiment()),
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
        lambda run: response_oracles(run.experiment()),
        lambda task: task.players > 1,
    ),
    Algorithm("maskable-ppo", "learned", "MaskablePPO of sb3-contrib, self-play", _library(sb3.maskable_ppo)),
    Algorithm("a2c", "learned", "A2C of stable-baselines3, self-play", _library(sb3.a2c)),
    Algorithm("dqn", "learned", "DQN of stable-baselines3, self-play", _library(sb3.dqn)),
    *map(from_text, dict.fromkeys(name_of(text) for pool in POOLS for text in load_pool(pool))),
    Algorithm(
        "equilibrium",
        "exact",
        "the symmetric equilibrium in score",
        _solved("equilibrium"),
        lambda task: task.family == "expedition",
    ),
    Algorithm(
        "difference",
        "exact",
        "the equilibrium in score difference",
        _solved("difference"),
        lambda task: task.name == "expedition-2",
    ),
    Algorithm("lone", "exact", "optimal stopping", _solved("lone"), lambda task: task.players == 1),
)
ALGORITHMS = {algorithm.name: algorithm for algorithm in _ALGORITHMS}
"""The algorithms by name."""


def find_algorithms(names: tuple[str, ...]) -> list[Algorithm]:
    """Return the algorithms of these names or kinds, or agents by their texts, else a ValueError; all for none."""
    found: dict[str, Algorithm] = {}
    for name in names or KINDS:
        named = [each for each in ALGORITHMS.values() if name in (each.name, each.kind)]
        found |= {each.name: each for each in named or [_agent(name)]}
    return list(found.values())


def _agent(text: str) -> Algorithm:
    try:
        return from_text(text)
    except ValueError as error:
        known = ", ".join(each.name for each in ALGORITHMS.values() if each.kind != "scripted")
        raise ValueError(f"unknown algorithm {text!r}; algorithms: {known}, scripted; and no agent: {error}") from None


def algorithm_table() -> str:
    """Return the algorithms as a Markdown table, the scripted agents in one row."""
    scripted = ", ".join(f"`{each.name}`" for each in ALGORITHMS.values() if each.kind == "scripted")
    rows = [[f"`{each.name}`", each.kind, each.meaning] for each in ALGORITHMS.values() if each.kind != "scripted"]
    rows.append([scripted, "scripted", "the members of both pools, as they are"])
    return markdown_table(["algorithm", "kind", "what it is"], rows)
