"""Progress bar of a training run, and the error of one that has diverged; for every trainer."""

from __future__ import annotations

import sys
from multiprocessing import parent_process

from tqdm import tqdm

from train.runs.config import PPOConfig


def progress_bar(config: PPOConfig, done: int, shown: bool = True) -> tqdm:
    """Return a bar of the decisions, `done` at the start; hidden in worker processes."""
    return tqdm(
        total=config.decisions,
        initial=done,
        unit=" decisions",
        unit_scale=True,
        desc="training",
        mininterval=0.1 if sys.stderr.isatty() else 30,
        disable=not shown or parent_process() is not None,  # bars of workers would overwrite each other
    )


def diverged(config: PPOConfig, decisions: int, why: object) -> ValueError:
    """Return the error of a training run with weights that are not finite."""
    return ValueError(
        f"the training has diverged after {decisions:,} decisions: {why}; earlier checkpoints are valid; lower "
        f"ppo.learning_rate = {config.learning_rate:g}"
    )
