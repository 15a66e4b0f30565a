"""Train the self-play task on Ray: ``python -m train.rllib --config configs/rllib.toml``; see docs/cluster.md.

The task, the network, the run folder and the report are those of `train.ppo`. Here any number of runners play and any
number of learners learn, on one machine or many. A run that was killed goes on with ``--resume RUN_FOLDER``, which
opens a checkpoint that Ray's parts are pickled in: resume none that somebody else gave you (SECURITY.md).
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from tqdm import tqdm

from diamant_env.commands.command import run_command
from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.files import write_whole
from train.distributed.cluster import join_cluster, require_ray
from train.runs.command_line import run_experiment
from train.runs.config import RayRun
from train.runs.report import RunRecord

if TYPE_CHECKING:
    from train.distributed.algorithm import SelfPlay

COMMAND = "python -m train.rllib"
CHECKPOINT = "checkpoint.pickle"  # Ray pickles its state, and opening that can run code: see SECURITY.md
ATTEMPTS = 20


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; return the exit status."""

    def run() -> None:
        require_ray()
        run_experiment(argv, COMMAND, RayRun, Path("configs/rllib.toml"), train, checkpoint=CHECKPOINT)

    return run_command(COMMAND, run)


def train(config: RayRun, folder: Path) -> NetworkAgent:
    """Train, or go on from the folder's checkpoint, and return the policy, which is also saved in the folder."""
    saved = load_checkpoint(folder, config)
    join_cluster(config.ray.runners + config.ray.learners)
    from train.distributed.algorithm import algorithm_config

    torch.set_num_threads(config.threads)
    algorithm = algorithm_config(config).build_algo()
    record = RunRecord(config, folder)
    try:
        if saved is not None:
            algorithm.set_state(saved["algorithm"])
            record.checkpoints, record.curve = saved["checkpoints"], saved["curve"]
        learn(algorithm, config, record)
        return algorithm.agent(config.name)
    finally:
        algorithm.stop()


def load_checkpoint(folder: Path, config: RayRun) -> dict[str, Any] | None:
    """Return the last saved state of a run, or None if it was killed before the first. ValueError if it is damaged."""
    path = folder / CHECKPOINT
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


def save_checkpoint(algorithm: SelfPlay, config: RayRun, record: RunRecord) -> None:
    """Save the policy and the state of the run."""
    record.save_checkpoint_policy(algorithm.agent(config.name), algorithm.decisions)
    state = {
        "config": config.model_dump(mode="json"),
        "algorithm": algorithm.get_state(),
        "checkpoints": record.checkpoints,
        "curve": record.curve,
    }
    write_whole(record.folder / CHECKPOINT, pickle.dumps(state))


def learn(algorithm: SelfPlay, config: RayRun, record: RunRecord) -> None:
    """Train until the budget is spent; save the policy, the learning curve and the time."""
    before, start, budget = algorithm.decisions, perf_counter(), config.ppo.decisions
    with tqdm(total=budget, initial=before, unit=" decisions", unit_scale=True, desc="training") as bar:
        while algorithm.decisions < budget:
            learn_once(algorithm, config.name)
            done = algorithm.decisions
            bar.update(done - bar.n)
            if record.is_judgement_due(done):
                record.judge(algorithm.agent(config.name), done)
            if record.is_checkpoint_due(done):
                save_checkpoint(algorithm, config, record)
    seconds, decisions = perf_counter() - start - record.judging_seconds, algorithm.decisions - before
    record.finish(algorithm.agent(config.name), algorithm.decisions)
    if decisions:
        how = f"ray.runners = {config.ray.runners} and ray.learners = {config.ray.learners}"
        record.save_time(seconds, decisions, how, **config.ray.model_dump())


def learn_once(algorithm: SelfPlay, name: str) -> None:
    """Play and learn once. Runners that died are brought back; where none ever answers, the run ends."""
    done = algorithm.decisions
    for _ in range(ATTEMPTS):
        algorithm.train()
        if algorithm.decisions > done:
            algorithm.agent(name)  # refuses weights that have diverged before they are saved
            return
    raise RuntimeError(f"no runner has answered {ATTEMPTS} times in a row; Ray's logs (/tmp/ray) say why")


if __name__ == "__main__":
    sys.exit(main())
