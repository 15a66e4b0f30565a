"""Many games side by side as one environment of TorchRL, and as a task of BenchMARL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from benchmarl.environments.common import TaskClass
from numpy.typing import NDArray
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Categorical, Composite, TensorSpec, Unbounded
from torchrl.envs import EnvBase

from diamant_env.observation import NUM_FEATURES
from train.benchmarking.suite import Task
from train.learning.stable_baselines import CountingVecEnv

SEATS = "player"  # the group of all agents


class Games(EnvBase):
    """A batch of games; what the seats are told and do has a second axis, the seats.

    For a centralised critic each seat has a `state`: what it sees and what `Batch.state` holds. After the end of a
    game the seats see the start of the next one.

    Args:
        task: What is played.
        games: How many side by side.
        seed: Of the games.
    """

    def __init__(self, task: Task, games: int, seed: int) -> None:
        super().__init__(batch_size=[games])
        self.games = CountingVecEnv(task, seed, games)
        seats = task.players
        told = _of_seats(
            seats,
            observation=Unbounded((seats, NUM_FEATURES)),
            state=Unbounded((seats, 2 * NUM_FEATURES)),
            action_mask=Binary(2, (seats, 2), dtype=torch.bool),
        )
        over = Composite({name: Binary(1, (1,), dtype=torch.bool) for name in ("done", "terminated")})
        self.observation_spec = told.expand(games)
        self.action_spec = _of_seats(seats, action=Categorical(2, (seats,))).expand(games)
        self.reward_spec = _of_seats(seats, reward=Unbounded((seats, 1))).expand(games)
        self.done_spec = over.expand(games)

    def _reset(self, tensordict: TensorDictBase | None = None, **options: Any) -> TensorDictBase:
        if tensordict is None or "_reset" not in tensordict:  # else some have ended, whose next ones have begun
            self.games.reset()
        return self._told(np.zeros(self.games.num_envs, np.bool_))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        _, rewards, done = self.games.play(tensordict[SEATS, "action"].numpy().reshape(-1))
        told = self._told(done)
        told[SEATS, "reward"] = torch.from_numpy(rewards).view(*told[SEATS].shape, 1)
        return told

    def _told(self, done: NDArray[np.bool_]) -> TensorDict:
        """Return what the seats see now, and which games the last turn has ended, bool (rows,)."""
        shape = (*self.batch_size, self.games.batch.seats)
        seen = torch.from_numpy(self.games.observations()).view(*shape, -1)
        state = torch.from_numpy(self.games.batch.state())[:, None].expand(*shape, -1)
        masks = torch.from_numpy(self.games.action_masks()).view(*shape, 2)
        seats = {"observation": seen, "state": torch.cat([seen, state], -1), "action_mask": masks}
        over = torch.from_numpy(done).view(shape)[:, :1]
        return TensorDict(
            {SEATS: TensorDict(seats, shape), "done": over, "terminated": over.clone()}, batch_size=self.batch_size
        )

    def _set_seed(self, seed: int | None) -> None:
        self.games.seed(seed)


class DiamantTask(TaskClass):
    """What BenchMARL asks about a task."""

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Callable:
        """Return a function that makes the games."""
        return lambda: Games(self.config["task"], num_envs, seed)

    def supports_continuous_actions(self) -> bool:
        """Decisions are discrete."""
        return False

    def supports_discrete_actions(self) -> bool:
        """CONTINUE and LEAVE."""
        return True

    def has_render(self, env: Games) -> bool:
        """Nothing is drawn here."""
        return False

    def max_steps(self, env: Games) -> int:
        """Of an evaluation, which doesn't take place."""
        return 1

    def group_map(self, env: Games) -> dict[str, list[str]]:
        """All seats are one group."""
        return {SEATS: [f"{SEATS}_{seat}" for seat in range(self.config["task"].players)]}

    def action_spec(self, env: Games) -> Composite:
        """What a seat does."""
        return env.full_action_spec_unbatched

    def observation_spec(self, env: Games) -> Composite:
        """What a seat sees."""
        return _part(env, "observation")

    def state_spec(self, env: Games) -> Composite:
        """What the critic sees."""
        return _part(env, "state")

    def action_mask_spec(self, env: Games) -> Composite:
        """Which actions are legal."""
        return _part(env, "action_mask")

    def info_spec(self, env: Games) -> None:
        """Nothing else is told."""

    @staticmethod
    def env_name() -> str:
        """The name in the library's logs."""
        return "diamant"


def _of_seats(players: int, **specs: TensorSpec) -> Composite:
    """Return the specification of what each seat is told or does."""
    return Composite({SEATS: Composite(specs, shape=(players,))})


def _part(env: Games, name: str) -> Composite:
    seats = env.full_observation_spec_unbatched[SEATS]
    return _of_seats(seats.shape[0], **{name: seats[name]})
