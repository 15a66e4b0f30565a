"""Train the self-play task on Ray: ``python -m train.rllib --config configs/rllib.toml``; see docs/cluster.md.

The task, the network, the run folder and the judgement are those of `train.ppo`. Here any number of runners play and
any number of learners learn, on one machine or many. A run that was killed goes on with ``--resume RUN_FOLDER``,
which opens a checkpoint that Ray's parts are pickled in: resume none that somebody else gave you (SECURITY.md).
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from agents.command import run_command
from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.files import write_whole
from train.distributed.cluster import join_cluster, require_ray
from train.runs.checkpoint import PICKLED  # Ray pickles its state, and opening that can run code: see SECURITY.md
from train.runs.command_line import run_experiment
from train.runs.config import RayRun
from train.runs.report import curve_point, draw_curve
from train.runs.results import save_json
from train.runs.run_folder import POLICY, save_policy
from train.runs.screen import say

if TYPE_CHECKING:
    from train.distributed.algorithm import SelfPlay

COMMAND = "python -m train.rllib"
ATTEMPTS = 20


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; return the exit status."""

    def run() -> None:
        require_ray()
        run_experiment(argv, COMMAND, RayRun, Path("configs/rllib.toml"), train, PICKLED)

    return run_command(COMMAND, run)


def train(config: RayRun, folder: Path) -> NetworkAgent:
    """Train, or go on from the folder's checkpoint, and return the policy, which is also saved in the folder.

    Raises:
        ValueError: If the checkpoint is damaged or belongs to another configuration, or Ray is not installed.
        ConnectionError: If there is no cluster where ``RAY_ADDRESS`` says.
    """
    saved = load_checkpoint(folder, config)
    join_cluster(config.ray.runners + config.ray.learners)
    from train.distributed.algorithm import algorithm_config

    torch.set_num_threads(config.threads)
    threadpool_limits(1, "blas")  # as in train.ppo, should this process play
    algorithm = algorithm_config(config).build_algo()
    try:
        course = Course(config, folder, algorithm)
        if saved is not None:
            algorithm.set_state(saved["algorithm"])
            course.checkpoints, course.curve = saved["checkpoints"], saved["curve"]
        course.run()
        return algorithm.agent(config.name)
    finally:
        algorithm.stop()


def load_checkpoint(folder: Path, config: RayRun) -> dict[str, Any] | None:
    """Return the last saved state of a run, or None if it was killed before the first. Open your own files only.

    Raises:
        ValueError: If the file is damaged or belongs to another configuration.
    """
    path = folder / PICKLED
    if not path.is_file():
        return None
    try:
        state = pickle.loads(path.read_bytes())
        saved = RayRun.model_validate(state["config"])  # keys that are new since then have their defaults
    except Exception as error:
        raise ValueError(f"{path} is damaged: {type(error).__name__}: {error}") from None
    if saved != config:
        raise ValueError(f"{path} belongs to another configuration than the one in {folder}, which was changed since")
    return state


class Course:
    """What happens along the run: checkpoints, the learning curve, the progress bar."""

    def __init__(self, config: RayRun, folder: Path, algorithm: SelfPlay) -> None:
        self.config = config
        self.folder = folder
        self.algorithm = algorithm
        self.checkpoints = 0
        self.curve: list[dict[str, float]] = []

    def run(self) -> None:
        """Train until the budget is spent; save the policy, the learning curve and the time."""
        algorithm, before, start, judging = self.algorithm, self.algorithm.decisions, perf_counter(), 0.0
        budget = self.config.ppo.decisions
        with tqdm(total=budget, initial=before, unit=" decisions", unit_scale=True, desc="training") as bar:
            while (done := algorithm.decisions) < budget:
                self._train_once(done)
                bar.update(algorithm.decisions - done)
                judging += self._add_to_curve(algorithm.decisions)
                if self.checkpoints < algorithm.decisions * self.config.checkpoints // budget:
                    self._save(algorithm.decisions)
        save_policy(self.folder / POLICY, algorithm.agent(self.config.name), self.config, done)
        save_json(self.curve, self.folder / "curve.json")
        draw_curve(self.curve, self.config, self.folder / "learning_curve.png")
        if done > before:
            self._report_time(perf_counter() - start - judging, done - before)

    def _train_once(self, done: int) -> None:
        """Play and learn once. Runners that died are brought back; ones that never answer would be so for ever."""
        for _ in range(ATTEMPTS):
            self.algorithm.train()
            if self.algorithm.decisions > done:
                self.algorithm.agent(self.config.name)  # refuses weights that have diverged before they are saved
                return
        raise RuntimeError(f"no runner has answered {ATTEMPTS} times in a row; Ray's logs (/tmp/ray) say why")

    def _add_to_curve(self, done: int) -> float:
        """Judge the policy if it is time; return the seconds that took."""
        start = perf_counter()
        if len(self.curve) < min(1, done / self.config.ppo.decisions) * self.config.judge.curve_points // 1:
            point = curve_point(self.algorithm.agent(self.config.name), self.config)
            self.curve.append({"decisions": done, **point})
        return perf_counter() - start

    def _save(self, done: int) -> None:
        self.checkpoints = done * self.config.checkpoints // self.config.ppo.decisions
        policy = self.algorithm.agent(self.config.name)
        save_policy(self.folder / "checkpoints" / f"{done:010d}.safetensors", policy, self.config, done)
        state = {
            "config": self.config.model_dump(mode="json"),
            "algorithm": self.algorithm.get_state(),
            "checkpoints": self.checkpoints,
            "curve": self.curve,
        }
        write_whole(self.folder / PICKLED, pickle.dumps(state))

    def _report_time(self, seconds: float, decisions: int) -> None:
        speed, ray = decisions / seconds, self.config.ray
        save_json(
            {"seconds": seconds, "decisions": decisions, "decisions_per_second": speed, **ray.model_dump()},
            self.folder / "time.json",
        )
        say(
            f"{decisions:,} decisions in {seconds:.0f} s: {speed:,.0f} a second with ray.runners = {ray.runners} and "
            f"ray.learners = {ray.learners}."
        )


if __name__ == "__main__":
    sys.exit(main())
