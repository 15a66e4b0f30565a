"""Progress bar of a training run, and the error of one that has diverged; for every trainer."""

from __future__ import annotations

from tqdm import tqdm

from diamant_env.judging.games import progress_bar
from train.runs.config import PPOConfig


def training_bar(config: PPOConfig, done: int, shown: bool = True) -> tqdm:
    """Return a bar of the decisions, `done` at the start."""
    return progress_bar(shown, total=config.decisions, initial=done, unit=" decisions", desc="training", leave=True)


def diverged(config: PPOConfig, decisions: int, why: object) -> ValueError:
    """Return the error of a training run with weights that are not finite."""
    return ValueError(
        f"the training has diverged after {decisions:,} decisions: {why}; earlier checkpoints are valid; lower "
        f"ppo.learning_rate = {config.learning_rate:g}"
    )
