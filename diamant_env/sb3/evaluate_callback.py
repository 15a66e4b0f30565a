"""Evaluation callback of stable-baselines3 by win share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stable_baselines3.common.callbacks import BaseCallback

from diamant_env.editions import Edition
from diamant_env.sb3.vec_env import DiamantVecEnv

if TYPE_CHECKING:
    from diamant_env.evaluation import Result
    from diamant_env.opponents.matchup import Opponents


class CallbackResult(NamedTuple):
    """Win share of the model at one time step.

    Attributes:
        steps: Number of environment steps.
        win_share: Mean win share.
        half_width: Half the width of its 95 % interval.
    """

    steps: int
    win_share: float
    half_width: float


class EvaluateCallback(BaseCallback):
    """Evaluation of a model of stable-baselines3 or sb3-contrib at regular intervals, in the same games each time.

    Logs ``eval/win_share`` and saves the best model. Each training begins a new curve and overwrites the best model;
    ``learn(…, reset_num_timesteps=False)`` of the same model continues them.

    Args:
        against: Opponents, see `diamant_env.evaluation.evaluate`.
        every: Environment steps between two evaluations; there is one at the end of training.
        games: Games of each evaluation.
        players: Players at each table.
        edition: The edition to play.
        best: Path of the model with the largest win share, such as ``"best.zip"``, or None. Statistics of
            ``VecNormalize`` are saved beside it, in ``"best.pkl"``.
        seed: Seed of the games.
        after: Function called with each `CallbackResult`; exceptions such as ``optuna.TrialPruned`` end training.

    Attributes:
        curve: All evaluations of the current or last training in order.

    Raises:
        ValueError: If an argument is out of range; at the start of training, if a recurrent policy learns from
            `DiamantVecEnv`; at the first evaluation, if the model does not support the table.
    """

    def __init__(
        self,
        against: Opponents = "held-out",
        every: int = 50_000,
        games: int = 2_000,
        players: int = 4,
        edition: str | Edition = "iello-2016",
        best: str | Path | None = None,
        seed: int = 0,
        after: Callable[[CallbackResult], object] | None = None,
    ) -> None:
        super().__init__()
        if every < 1:
            raise ValueError(f"every={every}; at least 1 step is allowed")
        self.every, self.best, self.after, self.curve = every, best, after, list[CallbackResult]()
        self._trained: Any = None  # the model of `curve`
        self._last = 0  # environment steps at the last evaluation or at the beginning
        self._how: dict[str, Any] = {
            "against": against, "games": games, "players": players, "edition": edition, "seed": seed,
        }  # fmt: skip
        if best is not None and (Path(best).suffix not in ("", ".zip") or not Path(best).parent.is_dir()):
            raise ValueError(f"best={str(best)!r}; a .zip file in an existing folder is required")
        self._evaluate("random:0.5", games=min(games, players))  # rejects invalid settings before training

    def _evaluate(self, agent: Any, **changed: Any) -> Result:
        from diamant_env.evaluation import evaluate  # lazy, since it imports scipy

        return evaluate(agent, **self._how | changed).results[0]

    def _on_training_start(self) -> None:
        if hasattr(self.model.policy, "lstm_actor") and isinstance(self.training_env.unwrapped, DiamantVecEnv):
            raise ValueError("a recurrent policy would learn rows of seats in camp: train it on GymnasiumVecEnv")
        if self.model is not self._trained or self.num_timesteps < self._last:
            self._trained, self._last, self.curve = self.model, self.num_timesteps, []

    def _on_step(self) -> bool:
        if self.num_timesteps - self._last >= self.every:
            self._record()
        return True

    def _on_training_end(self) -> None:
        if self._last < self.num_timesteps:
            self._record()

    def _record(self) -> None:
        share = self._evaluate(self.model).win_share
        if self.best and share.mean > max((point.win_share for point in self.curve), default=-1):
            self._save(Path(self.best))
        self._last = self.num_timesteps
        self.curve.append(CallbackResult(self._last, share.mean, (share.high - share.low) / 2))
        self.logger.record("eval/win_share", share.mean)
        self.logger.dump(self._last)  # as EvalCallback does: the next dump of `learn` is later, and there may be none
        if self.after is not None:
            self.after(self.curve[-1])

    def _save(self, best: Path) -> None:
        """Save the model and its `VecNormalize` statistics."""
        self.model.save(best)
        if (statistics := self.model.get_vec_normalize_env()) is not None:
            statistics.save(str(best.with_suffix(".pkl")))
