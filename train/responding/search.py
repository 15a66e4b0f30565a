"""The search for a best response: PPO against frozen copies, some seeds from scratch and from the agent itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from diamant_env.judging.deviation import DeviationGame, deviation_gains
from diamant_env.judging.games import seeds_for
from diamant_env.judging.lineups import seat_with
from diamant_env.opponents import Agent, make
from diamant_env.opponents.network import NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from diamant_env.storage.reading import parse_json
from train.learning.networks import shape_of, sharpened
from train.learning.self_play import SelfPlayPPO
from train.responding.config import SearchConfig
from train.runs.config import reward_scale
from train.runs.results import save_json
from train.runs.run_folder import POLICY, save_policy

CURVE = "curve.json"


@dataclass(frozen=True)
class Course:
    """One run of the search.

    Attributes:
        start: ``"scratch"`` or ``"warm"``.
        number: Which of the seeds.
        folder: Its own; once `CURVE` is there, it is finished.
    """

    start: str
    number: int
    folder: Path

    @property
    def name(self) -> str:
        """How it is called in tables."""
        return f"PPO {self.start} {self.number}"

    def curve(self) -> dict[str, Any] | None:
        """Return points and seconds of a finished run, None of one that is not or whose files are damaged."""
        try:
            NetworkAgent.load(self.folder / POLICY)
            found = parse_json((self.folder / CURVE).read_text(encoding="utf-8"))
            whole = found["seconds"] > 0 and all(np.isfinite(point["gain"]["mean"]) for point in found["points"])
            return found if whole else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def policy(self) -> NetworkAgent:
        """Return what a finished run picked."""
        network = NetworkAgent.load(self.folder / POLICY)
        network.name = self.name
        return network


def courses(agent: Agent, config: SearchConfig, folder: Path) -> list[Course]:
    """Return the runs of a search against an agent: warm ones only where it is a network."""
    starts = ["scratch", "warm"] if isinstance(agent, NetworkAgent) else ["scratch"]
    return [Course(start, n, folder / f"{start}-{n}") for start in starts for n in range(config.seeds)]


def run_course(course: Course, match: DeviationGame, config: SearchConfig) -> None:
    """Learn, pick a checkpoint, and leave the policy and the curve in the run's folder; a finished run stays as it is.

    A run that was cut off begins anew: it takes minutes and ends with the same bytes.
    """
    if course.curve() is not None:
        return
    start = perf_counter()
    torch.set_num_threads(config.threads)
    threadpool_limits(1, "blas")  # the copies' small products lose by more
    seeds = seeds_for(config.seed, "response", course.start, course.number)
    agent = make(match.agent) if isinstance(match.agent, str) else match.agent
    found = learn(match, config, seeds, agent.at(match.players) if course.start == "warm" else None)
    points, (decisions, policy) = pick(found, match, config)
    save_policy(course.folder / POLICY, policy, config, decisions)
    save_json({"points": points, "seconds": perf_counter() - start}, course.folder / CURVE)


def run_apart(job: tuple[Course, DeviationGame, SearchConfig]) -> dict[str, bytes]:
    """Do a run like `run_course`, but return its files by name: on another machine its folder can't be reached."""
    course, match, config = job
    with TemporaryDirectory() as folder:
        apart = replace(course, folder=Path(folder))
        run_course(apart, match, config)
        return {name: (apart.folder / name).read_bytes() for name in (POLICY, CURVE)}


def learn(
    match: DeviationGame, config: SearchConfig, seeds: np.random.SeedSequence, warm: Agent | None
) -> list[tuple[int, NetworkAgent]]:
    """Train one learner among copies; return its policies after so many decisions each.

    Args:
        match: The copies and the game.
        config: The budget and how to learn.
        seeds: Of the games, the copies and the learner.
        warm: The network to start from, None for random weights.
    """
    game_seed, copy_seed, learner_seed = (int(state) for state in seeds.generate_state(3))
    copies = make(match.agent, copy_seed) if isinstance(match.agent, str) else match.agent
    seating = seat_with(np.ones((config.ppo.games, match.players - 1), np.int64)) - 1  # the learner's seat: EMPTY
    env = DiamantVecEnv(config.ppo.games, match.players, match.edition, match.reward, [copies], seating)
    env.seed(game_seed)
    shape = config.network if warm is None else shape_of(warm)
    ppo = config.ppo.model_copy(update={"reward_scale": config.ppo.reward_scale * reward_scale(match.reward)})
    model = SelfPlayPPO(env, ppo, shape, learner_seed)
    if warm is not None:
        model.start_from(warm)
    keeper = Keeper(config, 0 if warm is None else config.value_first * ppo.decisions)
    with tqdm(total=ppo.decisions, unit=" decisions", unit_scale=True, leave=False, disable=None) as keeper.bar:
        model.learn(ppo.decisions, callback=keeper)
    keeper.keep()
    return keeper.kept


class Keeper(BaseCallback):
    """Keeps policies along a run, and lets a warm run's policy rest while its value function begins."""

    def __init__(self, config: SearchConfig, value_only: float) -> None:
        super().__init__()
        self.every = config.ppo.decisions / config.checkpoints
        self.value_only = value_only
        self.kept: list[tuple[int, NetworkAgent]] = []
        self.bar = tqdm(disable=True)

    def _on_rollout_start(self) -> None:
        done = self.model.num_timesteps
        self.bar.update(done - self.bar.n)
        self.model.let_policy_learn(done >= self.value_only)
        if done >= self.every * (len(self.kept) + 1):
            self.keep()

    def _on_step(self) -> bool:
        return True

    def keep(self) -> None:
        """Keep the policy as it is now, unless it was."""
        done = self.model.num_timesteps
        if not self.kept or self.kept[-1][0] < done:
            self.kept.append((done, self.model.network()))


def pick(
    found: list[tuple[int, NetworkAgent]], match: DeviationGame, config: SearchConfig
) -> tuple[list[dict[str, Any]], tuple[int, NetworkAgent]]:
    """Compare policies, each as it is and sharpened, on the same games; return the curve and the best one."""
    tried = [(decisions, each) for decisions, policy in found for each in (policy, sharpened(policy))]
    measured = deviation_gains(
        [policy for _, policy in tried], match, config.pick_games, seeds_for(config.seed, "pick")
    )
    points = [
        {"decisions": decisions, "gain": plain.gain, "sharpened": sharp.gain}
        for (decisions, _), plain, sharp in zip(found, measured[::2], measured[1::2], strict=True)
    ]
    # Where all games are won by several, the one that learned longest is the safest.
    return points, tried[max(range(len(tried)), key=lambda place: (measured[place].gain.mean, place))]
