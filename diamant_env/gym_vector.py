"""Diamant as a Gymnasium vector environment: many games with one learner each."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import Edition
from diamant_env.engine.arguments import BOOL, MAX_SEED, checked_array, checked_int
from diamant_env.envs.single_agent_games import SingleAgentGames
from diamant_env.gym_env import DiamantEnv
from diamant_env.observation import Observation
from diamant_env.opponents.matchup import Opponents
from diamant_env.rewards import Reward


class DiamantVectorEnv(VectorEnv):
    """Vectorised `diamant_env.gym_env.DiamantEnv` over the batch engine.

    Game i is byte-identical to a single environment with seed ``seed + i``, except against opponents with their own
    random state (``"mixture"``, custom agents), which all games share.

    Action space, observation space, rewards, starting state, episode end and infos are those of `DiamantEnv`, in
    arrays (num_envs,) and (num_envs, NUM_FEATURES); rewards are float64. Infos have Gymnasium's vector form: an array
    per key, and its mask under ``"_" + key``.

    Args:
        num_envs: Number of games.
        opponents: See `DiamantEnv`, also for the other arguments up to `observation`. Called with rows of many games.
        render_mode: ``"rgb_array"``, ``"ansi"`` or None; `render` returns a tuple with one entry per game.
        autoreset_mode: An `AutoresetMode` or its value. ``"NextStep"``: the step after the end of a game ignores the
            action and starts the next one. ``"SameStep"``: the next game starts at once; the last observation and
            info of the previous one are in ``infos["final_obs"]`` and ``infos["final_info"]``. ``"Disabled"``: the
            caller resets, ``reset(options={"reset_mask": ended})``.

    Raises:
        ValueError: If an argument is out of range; the message lists what is allowed.
    """

    closed = True  # until the constructor succeeds: VectorEnv.__del__ calls close()

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        reward: Reward = "score",
        opponents: Opponents = "random",
        seat: int | None = 0,
        render_mode: str | None = None,
        observation: Observation = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.num_envs = checked_int("num_envs", num_envs, 1)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        modes = {"render_modes": ["rgb_array", "ansi"], "autoreset_mode": self.autoreset_mode}
        self.metadata = {**DiamantEnv.metadata, **modes}
        self._games = SingleAgentGames(
            self.num_envs, num_players, edition, reward, seat, opponents, render_mode, self.metadata, observation
        )
        self._started = self.closed = False
        self.render_mode = render_mode
        self.single_action_space = Discrete(2)
        self.single_observation_space = self._games.space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    @property
    def edition(self) -> Edition:
        """The edition of the games."""
        return self._games.edition

    @property
    def games(self) -> np.recarray:
        """A copy of the games' records (num_envs,), of type `diamant_env.GAME`."""
        return self._games.batch.games

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start games; `np_random_seed` is then the first game's seed, if given.

        Args:
            seed: One seed, giving game i ``seed + i``; or a sequence with one per game. None continues the sequence of
                games.
            options: ``{"reset_mask": mask}``, bool (num_envs,), starts only these games.

        Raises:
            ValueError: If a seed is out of range, 0 to 2**64 - 1, an option unknown, or the mask has the wrong shape
                or selects no game; the games are then unchanged.
            ResetNeeded: If the mask of the first reset excludes games.
        """
        seeds = self._seeds(seed)
        chosen = self._reset_mask(options)
        if not self._started and not chosen.all():
            raise ResetNeeded("the first reset must start all games: call reset() without a reset_mask first")
        seeded = chosen & [one is not None for one in seeds]
        if (chosen & ~seeded).any():
            self._games.reset(chosen if not self._started else chosen & ~seeded)
        if seeded.any():
            self._games.reset(seeded, np.array([one or 0 for one in seeds], np.uint64))
        super().reset(seed=seeds[0])
        self._started = True
        return self._games.observations, self._infos(chosen, np.zeros(self.num_envs, np.int64))

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play the learners' actions and all turns until each learner's next decision or the end of its game.

        Raises:
            ResetNeeded: Before reset; with autoreset disabled, also while a game is over.
            ValueError: If the actions have the wrong shape or one is neither 0 nor 1; the games are then unchanged.
        """
        if not self._started:
            raise ResetNeeded("no games are being played: call reset() first")
        was_over = self._games.over
        if self.autoreset_mode == AutoresetMode.DISABLED and was_over.any():
            raise ResetNeeded(
                f"games {np.flatnonzero(was_over).tolist()} are over and autoreset is disabled: "
                'call reset(options={"reset_mask": ...}) for them first'
            )
        rewards, turns = self._games.advance(actions)
        ended = self._games.over & ~was_over
        infos: dict[str, Any] = {}
        if ended.any():
            infos = {"is_success": self._games.won & ended, "_is_success": ended.copy()}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            infos = self._final_infos(ended, turns, infos)
            self._start_next_games(ended, turns)
        elif was_over.any():
            self._start_next_games(was_over, turns)
        infos.update(self._infos(np.ones(self.num_envs, np.bool_), turns))
        return self._games.observations, rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of each learner, bool (num_envs, 2)."""
        return self._games.action_masks

    def render(self) -> tuple[Any, ...] | None:
        """Return the text or picture of every game, or None without a render mode.

        Raises:
            ResetNeeded: Before the first reset.
            ImportError: If pygame-ce, which pictures need, isn't installed.
        """
        return None if self.render_mode is None else tuple(self._games.renderer.draw())

    def close_extras(self, **kwargs: Any) -> None:
        """Release the resources of rendering."""
        self._games.renderer.close()

    __copy__ = copy.deepcopy  # a shallow copy would share the games

    def _start_next_games(self, chosen: NDArray[np.bool_], turns: NDArray[np.int64]) -> None:
        self._games.reset(chosen)
        turns[chosen] = 0

    def _infos(self, chosen: NDArray[np.bool_], turns: NDArray[np.int64]) -> dict[str, Any]:
        """Return the infos of some games in Gymnasium's vector form."""
        infos: dict[str, Any] = {}
        for key, values in (("seat", self._games.seats), ("score", self._games.scores), ("turns", turns)):
            infos[key] = np.where(chosen, values, 0)
            infos[f"_{key}"] = chosen.copy()
        return infos

    def _final_infos(
        self, ended: NDArray[np.bool_], turns: NDArray[np.int64], success: dict[str, Any]
    ) -> dict[str, Any]:
        last, observations = np.full(self.num_envs, None, object), self._games.observations
        for game in np.flatnonzero(ended):
            last[game] = observations[game]
        infos = {"final_obs": last, "_final_obs": ended.copy()}
        return {**infos, "final_info": self._infos(ended, turns) | success, "_final_info": ended.copy()}

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if np.ndim(seed) == 0:  # None is one of several seeds
            first = checked_int("seed", seed, 0, MAX_SEED + 1 - self.num_envs, "None, one per game, or ")
            return list(range(first, first + self.num_envs))
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds; one number, or one for each of the {self.num_envs} games, is allowed")
        return [None if one is None else checked_int("seed", one, 0, MAX_SEED, "None or ") for one in seed]

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        if not options:
            return np.ones(self.num_envs, np.bool_)
        if list(options) != ["reset_mask"]:
            raise ValueError(f"options {list(options)}; reset_mask is allowed")
        mask = checked_array(options["reset_mask"], "reset_mask", BOOL, (self.num_envs,)).copy()
        if not mask.any():
            raise ValueError("reset_mask selects no game")
        return mask
