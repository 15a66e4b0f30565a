"""The algorithms of the benchmark, one entry each. To add one, add an entry: a function that returns an agent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from diamant_env.judging.games import Player, name_of
from diamant_env.opponents import make
from diamant_env.opponents.pools import POOLS, load_pool
from train.benchmarking import stable_baselines as sb3
from train.benchmarking.config import BenchmarkConfig
from train.benchmarking.fictitious import fictitious_play
from train.benchmarking.suite import Task
from train.learning.training import train
from train.runs.config import Config, OpponentsConfig, reward_scale
from train.runs.report import able

KINDS = ("learned", "scripted", "exact")


class Algorithm(NamedTuple):
    """One way to get an agent for a task.

    Attributes:
        name: What the command calls it.
        kind: One of `KINDS`; what is ``"learned"`` has several seeds and a budget.
        meaning: What it is, in a few words.
        agent: Called with the task, the configuration, the seed and the cell's own folder; returns an agent or a text.
        plays: Whether it can play a task.
    """

    name: str
    kind: str
    meaning: str
    agent: Callable[[Task, BenchmarkConfig, int, Path], Player]
    plays: Callable[[Task], bool]


def _ours(
    task: Task, config: BenchmarkConfig, seed: int, folder: Path, *, league: bool = False, reward: str | None = None
) -> Player:
    """PPO of `train.ppo`, which goes on where it was if the cell was cut off."""
    game = task.game if reward is None else task.game.model_copy(update={"reward": reward})
    scale = config.ppo.reward_scale * reward_scale(game.reward)
    run = Config(
        name="cell",
        seed=seed,
        threads=config.threads,
        game=game,
        opponents=config.league if league else OpponentsConfig(),
        ppo=config.ppo.model_copy(update={"decisions": config.decisions, "reward_scale": scale}),
        network=config.network,
        judge={"curve_points": 0},
    )
    return train(run, folder / "run")


def _theirs(make_model: Callable, task: Task, config: BenchmarkConfig, seed: int, folder: Path) -> Player:
    return sb3.learn(make_model, task, config, seed)


def _fictitious(task: Task, config: BenchmarkConfig, seed: int, folder: Path) -> Player:
    return fictitious_play(task, config, seed)


def _text(text: str, task: Task, config: BenchmarkConfig, seed: int, folder: Path) -> Player:
    return text


def _solved(family: str, task: Task, config: BenchmarkConfig, seed: int, folder: Path) -> Player:
    return f"{family}:{task.game.edition}"


def _anything(task: Task) -> bool:
    return True


def _can_play(text: str, task: Task) -> bool:
    """Whether an agent can play what its task hides: some need the rivals' chests."""
    return able(text, task.players, task.game.played(), task.game.blank)


def _algorithms() -> list[Algorithm]:
    ours, theirs = "(ours)", "of stable-baselines3, self-play"
    league, score = partial(_ours, league=True), partial(_ours, reward="score")
    learned = [
        ("ppo", f"PPO, self-play with shared parameters {ours}", _ours, _anything),
        ("league", f"PPO in a league of earlier versions {ours}", league, lambda task: task.players > 1),
        ("ppo-score", f"PPO, self-play, paid by score {ours}", score, lambda task: task.game.reward != "score"),
        ("fictitious", f"neural fictitious self-play with PPO {ours}", _fictitious, lambda task: task.players > 1),
        ("maskable-ppo", "MaskablePPO of sb3-contrib, self-play", partial(_theirs, sb3.maskable_ppo), _anything),
        ("a2c", f"A2C {theirs}", partial(_theirs, sb3.a2c), _anything),
        ("dqn", f"DQN {theirs}", partial(_theirs, sb3.dqn), _anything),
    ]
    exact = [
        ("equilibrium", "the symmetric equilibrium in score", lambda task: task.family == "expedition"),
        ("difference", "the equilibrium in score difference", lambda task: task.name == "expedition-2"),
        ("lone", "optimal stopping", lambda task: task.players == 1),
    ]
    texts = dict.fromkeys(name_of(text) for pool in POOLS for text in load_pool(pool))
    return [
        *(Algorithm(name, "learned", meaning, agent, plays) for name, meaning, agent, plays in learned),
        *map(from_text, texts),
        *(Algorithm(name, "exact", meaning, partial(_solved, name), plays) for name, meaning, plays in exact),
    ]


def from_text(text: str, kind: str = "scripted") -> Algorithm:
    """Return the algorithm that is an agent as it is: a scripted one, a policy file, the folder of a run.

    Raises:
        ValueError: If the text names no agent.
    """
    make(text)
    return Algorithm(text, kind, "as it is", partial(_text, text), partial(_can_play, text))


ALGORITHMS = {algorithm.name: algorithm for algorithm in _algorithms()}
"""The algorithms by name."""


def find_algorithms(names: tuple[str, ...]) -> list[Algorithm]:
    """Return the algorithms of these names or kinds, or agents by their texts; all algorithms for none.

    Raises:
        ValueError: If there is no such algorithm and no such agent.
    """
    found: dict[str, Algorithm] = {}
    for name in names or KINDS:
        if name in KINDS:
            found |= {each.name: each for each in ALGORITHMS.values() if each.kind == name}
        else:
            found[name] = ALGORITHMS.get(name) or _agent(name)
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
    rows = [(f"`{each.name}`", each.kind, each.meaning) for each in ALGORITHMS.values() if each.kind != "scripted"]
    rows.append((scripted, "scripted", "the members of both pools, as they are"))
    return "\n".join(
        ["| algorithm | kind | what it is |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    )
