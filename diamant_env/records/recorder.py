"""Two ways to get the record of a game: keep it while somebody plays, or let agents play one."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pettingzoo.utils import BaseParallelWrapper

from diamant_env.agent import Agent
from diamant_env.diamant_v0 import parallel_env
from diamant_env.editions import Edition
from diamant_env.records.log import GameLog, GameRecord
from diamant_env.records.sitting import Sitting


class Recorder(BaseParallelWrapper):
    """A `parallel_env`, which may be wrapped already, that keeps the record of its game.

    The names and notes are those of `GameRecord`.

    Raises:
        ValueError: If `env` is no Diamant.
    """

    def __init__(self, env: Any, names: Sequence[str] = (), notes: Sequence[str] = ()) -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, parallel_env):
            raise ValueError(f"{env} is no diamant_v0.parallel_env")
        self._texts = {"names": names, "notes": notes}
        self._log: GameLog | None = None

    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        """See `parallel_env.reset`. A record begins, without a seed where cards are chosen."""
        answer = self.env.reset(seed=seed, options=options)
        game = self.env.unwrapped
        chosen = bool((options or {}).get("deck"))
        self._log = GameLog(game.edition, game.num_seats, None if chosen else seed, **self._texts)
        self._log.follow(game.game)
        return answer

    def step(self, actions: Any) -> Any:
        """See `parallel_env.step`."""
        answer = self.env.step(actions)
        if self._log is not None:
            self._log.follow(self.env.unwrapped.game)
        return answer

    @property
    def record(self) -> GameRecord:
        """The record of the game.

        Raises:
            RuntimeError: While no game is over.
        """
        if self._log is None:
            raise RuntimeError("no game is being played: call reset() first")
        return self._log.record()

    def clone_state(self) -> Any:
        """Return the game and its log as a value for `restore_state`."""
        return self.env.clone_state(), copy.deepcopy(self._log)

    def restore_state(self, state: Any) -> None:
        """Continue from a value of `clone_state`.

        Raises:
            ValueError: If it is no such value; nothing changes then.
        """
        if not isinstance(state, tuple) or len(state) != 2 or not isinstance(state[1], GameLog | None):
            raise ValueError(f"a {type(state).__name__} is no state; a value of Recorder.clone_state() is expected")
        self.env.restore_state(state[0])
        self._log = copy.deepcopy(state[1])


def record_of(
    agents: Sequence[Agent],
    edition: str | Edition = "iello-2016",
    seed: int = 0,
    hidden_chests: bool | None = None,
    notes: Sequence[str] = (),
) -> GameRecord:
    """Let agents play a game and return its record.

    Args:
        agents: Who plays, one per seat; each seat needs an object of its own.
        edition: A published name or an `Edition`.
        seed: Of the cards and of the draw of the agents' decisions.
        hidden_chests: See `parallel_env`.
        notes: See `GameRecord`.

    Raises:
        ValueError: If an argument is out of range; the message says what is allowed.
    """
    sitting = Sitting(edition, agents, seed, [str(agent) for agent in agents], hidden_chests, notes)
    while not sitting.over:
        sitting.play(sitting.decisions())
    return sitting.log.record()
