"""Environments that count the decisions of their learning seats."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.utils import EzPickle
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import Agent
from diamant_env.batch import Batch
from diamant_env.diamant_v0 import parallel_env
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.judging.lineups import seat_learner
from diamant_env.sb3 import DiamantVecEnv
from train.runs.config import Config, GameConfig


class Meter:
    """Persistent counter of decisions, one file per process, shared by copies, forks and resumed runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process = -1

    def add(self, decisions: int) -> None:
        """Add a number of decisions."""
        if self._process != os.getpid():  # first use in this process, perhaps a fork
            self.folder.mkdir(parents=True, exist_ok=True)
            self._count = np.memmap(self.folder / secrets.token_hex(8), np.int64, "w+", shape=1)
            self._process = os.getpid()
        self._count[0] += decisions

    def spent(self) -> int:
        """Return the decisions of all processes."""
        files = self.folder.iterdir() if self.folder.is_dir() else ()
        return sum(int(np.fromfile(file, np.int64, 1).sum()) for file in files)

    def clear(self) -> None:
        """Reset to 0."""
        self.__dict__.pop("_count", None)  # Windows deletes no file that is mapped
        for file in self.folder.iterdir() if self.folder.is_dir() else ():
            file.unlink()
        self._process = -1

    def __deepcopy__(self, memo: dict) -> Meter:
        return self

    def __reduce__(self) -> tuple[type[Meter], tuple[Path]]:
        return Meter, (self.folder,)


class CountedBatch(Batch):
    """`diamant_env.Batch` that counts every seat inside at each turn."""

    def __init__(self, meter: Meter, num_games: int, **settings: Any) -> None:
        super().__init__(num_games, **settings)
        self.meter = meter

    def step(self, *arrays: Any, **how: Any) -> tuple[NDArray, NDArray, NDArray]:
        """See `diamant_env.Batch.step`."""
        return self._counted(super().step, *arrays, **how)

    def play(self, *arrays: Any, **how: Any) -> tuple[NDArray, NDArray]:
        """See `diamant_env.Batch.play`."""
        return self._counted(super().play, *arrays, **how)

    def _counted(self, play: Any, *arrays: Any, mask: ArrayLike | None = None, **how: Any) -> Any:
        deciding = np.count_nonzero(self.must_decide if mask is None else self.must_decide[np.asarray(mask)])
        played = play(*arrays, mask=mask, **how)
        self.meter.add(int(deciding))
        return played


class CountedVecEnv(DiamantVecEnv):
    """`diamant_env.sb3.DiamantVecEnv` that counts the rows inside."""

    def __init__(self, meter: Meter, *settings: Any) -> None:
        super().__init__(*settings)
        self.meter = meter

    @classmethod
    def of(
        cls, meter: Meter, game: GameConfig, num_games: int, opponents: Any = (), seating: ArrayLike | None = None
    ) -> CountedVecEnv:
        """Return the environment of a game with one table size."""
        players, edition = game.num_players[0], game.judged_edition()
        return cls(meter, num_games, players, edition, game.reward, opponents, seating, game.blank)

    @classmethod
    def among(cls, meter: Meter, config: Config, agent: Agent) -> CountedVecEnv:
        """Return games of one learner among copies of an agent, with as many rows as in self-play."""
        players = config.game.num_players[0]
        games = config.ppo.games * players
        return cls.of(meter, config.game, games, [agent], seat_learner(games, players))

    def play(self, actions: NDArray) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """See `DiamantVecEnv.play`."""
        deciding = int(np.count_nonzero(self.batch.must_decide.reshape(-1)[self.rows]))
        played = super().play(actions)
        self.meter.add(deciding)
        return played


class CountedParallelEnv(parallel_env):
    """`diamant_env.diamant_v0.parallel_env` that counts every agent inside at each turn."""

    def __init__(self, meter: Meter, blank: bool, **settings: Any) -> None:
        super().__init__(**settings)
        EzPickle.__init__(self, meter, blank, **settings)  # arguments for copies
        self.meter, self._batch.blank_rivals = meter, blank

    def step(self, actions: Mapping[str, Any]) -> Any:
        """See `diamant_v0.parallel_env.step`."""
        deciding = int(np.count_nonzero(self._batch.must_decide))
        played = super().step(actions)
        self.meter.add(deciding)
        return played


class CountedEnv(DiamantEnv):
    """`diamant_env.gym_env.DiamantEnv` that counts every step."""

    def __init__(self, meter: Meter, blank: bool, **settings: Any) -> None:
        super().__init__(**settings)
        self.meter, self._learner.batch.blank_rivals = meter, blank

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """See `DiamantEnv.step`."""
        played = super().step(action)
        self.meter.add(1)
        return played


class CountedVectorEnv(DiamantVectorEnv):
    """`diamant_env.gym_vector.DiamantVectorEnv` that counts every game that a step advances."""

    def __init__(self, meter: Meter, blank: bool, **settings: Any) -> None:
        super().__init__(**settings)
        self.meter, self._learner.batch.blank_rivals = meter, blank

    def step(self, actions: ArrayLike) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """See `DiamantVectorEnv.step`."""
        playing = int(np.count_nonzero(~self._learner.over))
        played = super().step(actions)
        self.meter.add(playing)
        return played
