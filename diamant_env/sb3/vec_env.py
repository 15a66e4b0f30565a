"""`VecEnv` of stable-baselines3 over a batch of games, one row per learning seat."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import ArrayLike, NDArray
from stable_baselines3.common.vec_env import VecEnv

from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.engine.arguments import FLOAT32, MAX_SEED, checked_actions, checked_array, checked_int
from diamant_env.envs.renderer import Renderer
from diamant_env.gym_env import DiamantEnv
from diamant_env.observation import NUM_FEATURES, Observation, Observations, shown_fields
from diamant_env.opponents.matchup import Matchup, Opponents, make_opponents, read_matchup, seat_around, seed_agents
from diamant_env.opponents.seated_agents import EMPTY, SeatedAgents
from diamant_env.rewards import Reward


class Rows(VecEnv):
    """Base `VecEnv` of rows backed by one object: shared attributes, no wrappers per row."""

    _methods: tuple[str, ...] = ("action_masks",)  # methods of the object that return one value per row

    __copy__ = copy.deepcopy  # a shallow copy would share the games

    def _owner(self, name: str) -> Any:
        return self

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the object, once per row."""
        return [getattr(self._owner(attr_name), attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the object, which all rows share."""
        rows = list(self._get_indices(indices))
        if set(rows) != set(range(self.num_envs)):
            raise ValueError(
                f"indices={rows}; {attr_name} is one attribute of all {self.num_envs} rows: give no indices"
            )
        setattr(self._owner(attr_name), attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Return the results of a method by row, such as ``"action_masks"`` for MaskablePPO."""
        if method_name not in self._methods:
            raise NotImplementedError(f"{method_name!r} is not a method of the rows of {type(self).__name__}")
        answers = getattr(self._owner(method_name), method_name)(*method_args, **method_kwargs)
        return [None if answers is None else answers[row] for row in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next reset."""
        return super().seed(None if seed is None else checked_int("seed", seed, 0, MAX_SEED, "None or "))

    def _take_options(self) -> dict[str, Any]:
        """Return the options of `set_options`, equal for all rows, and clear them."""
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError(f"options {self._options}; one dictionary for all rows is allowed")
        self._reset_options()
        return options

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each row."""
        return [False] * len(list(self._get_indices(indices)))


class DiamantVecEnv(Rows):
    """Vectorised environment with one row for each learning seat of each game.

    A row whose seat is in camp gets observations (feature 0 is 0) and its action is ignored. Games restart in the step
    in which they end, as stable-baselines3 expects.

    Args:
        num_games: Games played side by side.
        num_players: One number, or one per game (num_games,).
        edition: An edition, see `diamant_env.find_edition`, or a sequence with one per game.
        reward: See `diamant_env.Batch`.
        opponents: See `diamant_env.gym_env.DiamantEnv`; seat 0 learns. By default all seats learn. A reset with a seed
            reseeds those given as specs or classes.
        seating: int (num_games, seats), indices into the list `opponents`, or `EMPTY` for a learning seat; replaces the
            default seating.
        observation: Fields of the observation, see `diamant_env.diamant_v0.parallel_env`.
        render_mode: ``"rgb_array"`` or None; `get_images` returns one picture per game.

    Attributes:
        decisions: Decisions of the learning seats in all games so far.

    The infos of resets and steps hold ``"seat"`` and ``"score"``, the gems in that seat's chest (final ones at the end
    of a game), and at the end ``"is_success"``, whether it has won, ties included.

    Raises:
        ValueError: If an argument is out of range.
    """

    def __init__(
        self,
        num_games: int,
        num_players: int | ArrayLike = 4,
        edition: str | Edition | Sequence[str | Edition] = "iello-2016",
        reward: Reward = "score",
        opponents: Opponents | None = None,
        seating: ArrayLike | None = None,
        observation: Observation = None,
        render_mode: str | None = None,
    ) -> None:
        space, self._columns = shown_fields(observation)
        self.batch = Batch(num_games, num_players, edition, reward)
        shape = (num_games, self.batch.max_players)
        self._matchup: Matchup | None = None
        members: Any = opponents or []
        if seating is None and opponents is not None:
            self._matchup = read_matchup(opponents, self.batch.max_players - 1, self.batch.editions)
            members, seating = self._matchup.members, self._draw_seating(self._matchup)
        agents = make_opponents(members)
        self._made = [agent for agent, one in zip(agents, members, strict=True) if isinstance(one, str | Path | type)]
        self.seated = SeatedAgents(self.batch, agents, np.full(shape, EMPTY) if seating is None else seating)
        present = np.arange(self.batch.max_players) < self.batch.num_players[:, None]
        self.rows = np.flatnonzero((self.seated.seating == EMPTY) & present)
        self.games_of_rows = self.rows // self.batch.max_players
        self._seats = (self.rows % self.batch.max_players).tolist()
        self.decisions = 0
        if len(self.rows) == 0:
            raise ValueError("no seat is left for the learner")
        self._has_opponents = bool((self.seated.seating != EMPTY).any())
        self._observations = np.zeros((*shape, NUM_FEATURES), np.float32)
        self._final_observations = np.zeros_like(self._observations)
        self._rewards = np.zeros(shape, np.float32)
        self._done = np.zeros(num_games, np.bool_)
        self._shares = np.zeros(shape, np.float32)
        self._actions = np.zeros(shape, np.int8)
        self._leave = np.zeros(shape, np.float32)
        self.render_mode = render_mode
        modes = {**DiamantEnv.metadata, "render_modes": ["rgb_array"]}
        self._renderer = Renderer(render_mode, self.batch, modes, ResetNeeded)
        super().__init__(len(self.rows), space, Discrete(2))
        self.metadata = {**modes, **self.metadata}

    def reset(self) -> NDArray[np.float32]:
        """Start new games with the seed of `seed`, if any; return float32 (rows, NUM_FEATURES)."""
        seed = self._seeds[0]
        self.batch.reset(seed, observations=self._observations)
        if seed is not None:
            seed_agents(self._made, seed)
        self._reset_seeds()
        self._reseat()
        self._renderer.restart(range(self.batch.num_games))
        self.reset_infos = self._infos()
        return self.observations()

    def observations(self) -> NDArray[np.float32]:
        """Return the observations of the learning seats, float32 (rows, NUM_FEATURES)."""
        return self._shown(self._observations)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool (rows, 2): CONTINUE is always legal, LEAVE inside the cave."""
        inside = self.batch.must_decide.reshape(-1)[self.rows]
        return np.stack([np.ones_like(inside), inside], axis=1)

    def draw_decisions(self, leave_probability: NDArray[np.float32]) -> NDArray[np.int8]:
        """Sample int8 (rows,) from P(LEAVE), float32 (rows,), with the games' random numbers."""
        leave_probability = checked_array(leave_probability, "leave_probability", FLOAT32, self.rows.shape)
        self._leave.reshape(-1)[self.rows] = leave_probability
        self.batch.draw_decisions(self._leave, self._actions)
        return self._actions.reshape(-1)[self.rows]

    def play(self, actions: NDArray) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Play one turn without the per-row dictionaries of `step`.

        Args:
            actions: Integers (rows,), 0 or 1; those of rows in camp are ignored.

        Returns:
            Observations float32 (rows, NUM_FEATURES), rewards float32 (rows,), done bool (rows,).
        """
        deciding = self.batch.must_decide.reshape(-1)[self.rows]
        actions = checked_actions(actions, deciding)
        if self._has_opponents:
            self.seated.decide_unchecked(self._observations, self._actions)
        self._actions.reshape(-1)[self.rows] = actions
        self.batch.step(self._actions, self._observations, self._rewards, self._done)
        self.decisions += int(np.count_nonzero(deciding))
        if self._done.any():
            self._final_observations[self._done] = self._observations[self._done]
            self._shares = self.batch.win_shares()
            self.batch.reset(mask=self._done, observations=self._observations)
            self._reseat()
        if self.render_mode is not None:
            self._renderer.restart(np.flatnonzero(self._done))
            self._renderer.update(np.flatnonzero(~self._done))
        return self.observations(), self._rewards.reshape(-1)[self.rows], self._done[self.games_of_rows]

    def step_async(self, actions: NDArray) -> None:
        """Store the actions, (rows,)."""
        self.actions = np.asarray(actions).reshape(-1)

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict]]:
        """Play the turn; infos of rows whose game ended have ``terminal_observation``."""
        observations, rewards, done = self.play(self.actions)
        infos = self._infos()
        if done.any():
            final, scores = self._shown(self._final_observations), self._scores(self._final_observations)
            won = (self._shares.reshape(-1)[self.rows] > 0).tolist()
            for row in np.flatnonzero(done):
                self.reset_infos[row] = infos[row]
                last = {"seat": self._seats[row], "score": scores[row], "is_success": won[row]}
                infos[row] = {**last, "terminal_observation": final[row], "TimeLimit.truncated": False}
        return observations, rewards, done, infos

    def get_images(self) -> list[Any]:
        """Return a picture of each game, uint8 (640, 960, 3); None without a render mode."""
        return self._renderer.draw()

    def restore(self, games: NDArray) -> NDArray[np.float32]:
        """Continue from saved records of type `GAME`, (num_games,); return the observations of the rows."""
        self.batch.set_states(games)
        self.batch.observe(self._observations)
        self._reseat()
        self._renderer.restart(range(self.batch.num_games))
        return self.observations()

    def close(self) -> None:
        """Do nothing."""

    def __repr__(self) -> str:
        return f"<DiamantVecEnv: {self.num_envs} learning seats in {self.batch!r}>"

    def _infos(self) -> list[dict[str, Any]]:
        """Return the infos of the games being played, one per row."""
        scores = self._scores(self._observations)
        return [{"seat": seat, "score": score} for seat, score in zip(self._seats, scores, strict=True)]

    def _scores(self, observations: NDArray[np.float32]) -> list[int]:
        """Return the gems in the chest of each row, from observations (num_games, seats, NUM_FEATURES)."""
        return Observations(observations)["chest"].reshape(-1)[self.rows].astype(int).tolist()

    def _reseat(self) -> None:
        """Draw the opponents of all games from their keys, if they differ between games."""
        if self._matchup is not None and self._matchup.seats is None:
            self.seated.reseat(self._draw_seating(self._matchup))

    def _draw_seating(self, matchup: Matchup) -> NDArray[np.int64]:
        return seat_around(np.zeros(self.batch.num_games, np.int64), matchup.draw(self.batch.games["key"]))

    def _shown(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the shown fields of (num_games, seats, NUM_FEATURES), one row per learning seat."""
        return observations.reshape(-1, NUM_FEATURES)[self.rows][..., self._columns]
