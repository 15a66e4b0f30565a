"""Games with one learner among opponents: shared logic of the Gymnasium environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from diamant_env.batch import Batch
from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.arguments import checked_actions, checked_int
from diamant_env.engine.loops import count_turn
from diamant_env.envs.renderer import Renderer
from diamant_env.observation import NUM_FEATURES, Observation, Observations, shown_fields
from diamant_env.opponents.matchup import Opponents, make_opponents, read_matchup, seat_around, seed_agents
from diamant_env.opponents.seated_agents import SeatedAgents
from diamant_env.random_numbers import first_draw_below
from diamant_env.rewards import Reward


class SingleAgentGames:
    """N games, each with one seat of the caller and agents on the others; arguments are those of `DiamantEnv`.

    Turns that a learner spends in camp are played within the same call: between calls, it must decide unless its game
    is over. `seats`, int64 (N,), are the learners'.
    """

    def __init__(
        self,
        num_games: int,
        num_players: int,
        edition: str | Edition,
        reward: Reward,
        seat: int | None,
        opponents: Opponents,
        render_mode: str | None,
        metadata: dict[str, Any],
        observation: Observation = None,
    ) -> None:
        num_players = checked_int("num_players", num_players, 1, MAX_PLAYERS)
        self.seat = None if seat is None else checked_int("seat", seat, 0, num_players - 1, "None or ")
        self.edition = find_edition(edition)
        self.space, self._columns = shown_fields(observation)
        self._matchup = read_matchup(opponents, num_players - 1, [self.edition])
        self._opponents = make_opponents(self._matchup.members)
        self.batch = Batch(num_games, num_players, self.edition, reward)
        self.seats = np.full(num_games, self.seat or 0, np.int64)
        self.renderer = Renderer(render_mode, self.batch, metadata, ResetNeeded)
        self._renders = render_mode is not None
        self._observations = np.zeros((num_games, num_players, NUM_FEATURES), np.float32)
        self._actions = np.zeros((num_games, num_players), np.int8)
        self._rewards = np.zeros((num_games, num_players), np.float32)
        self._done = np.zeros(num_games, np.bool_)
        self._rows = self._rows_of_learners()
        self._seated = SeatedAgents(self.batch, self._opponents, self._seating())

    def reset(self, chosen: NDArray[np.bool_], seeds: NDArray[np.uint64] | None = None) -> None:
        """Start the games in `chosen`, bool (N,), with `seeds`, uint64 (N,), or else the next of each sequence.

        Opponents are seeded only if all games are.
        """
        self.batch.reset(seeds, chosen, self._observations)
        if seeds is not None and chosen.all():
            seed_agents(self._opponents, int(seeds[0]))
        if self.seat is None:
            self.seats[chosen] = first_draw_below(self.batch.games["key"][chosen], self.batch.max_players)
        if self.seat is None or self._matchup.seats is None:
            self._rows = self._rows_of_learners()
            self._seated.reseat(self._seating())
        if self._renders:
            self.renderer.restart(np.flatnonzero(chosen))

    def advance(self, actions: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Play until each learner must decide again or its game is over; games already over are unchanged.

        Return per game the sum of the rewards, float64 (N,), and the number of turns, int64 (N,). After an exception of
        an opponent or a reward, `reset` starts the games anew.
        """
        rewards = np.zeros(len(self.seats), np.float64)
        turns = np.zeros(len(self.seats), np.int64)
        playing = ~self.over
        actions = checked_actions(actions, playing)
        waiting = playing.any()
        while waiting:
            self._seated.decide_unchecked(self._observations, self._actions, playing)
            self._actions.reshape(-1)[self._rows] = actions  # ignored in camp
            self.batch.play_unchecked(self._actions, self._rewards, self._done, playing)
            self.batch.observe_unchecked(self._observations, playing)
            if self._renders:
                self.renderer.update(np.flatnonzero(playing))
            waiting = count_turn(self._observations, self.seats, self._rewards, self._done, playing, rewards, turns)
        return rewards, turns

    @property
    def over(self) -> NDArray[np.bool_]:
        """The games that are over, bool (N,)."""
        return self.batch.over

    @property
    def action_masks(self) -> NDArray[np.bool_]:
        """The learners' legal actions, bool (N, 2): CONTINUE always, LEAVE unless the game is over."""
        return np.stack([np.ones_like(self.over), ~self.over], axis=1)

    @property
    def observations(self) -> NDArray[np.float32]:
        """The learners' observations, float32 (N, features)."""
        return self._learners_observations()[..., self._columns]

    @property
    def won(self) -> NDArray[np.bool_]:
        """The games that the learner has won, ties included, bool (N,)."""
        return self.batch.win_shares().reshape(-1)[self._rows] > 0

    @property
    def scores(self) -> NDArray[np.int64]:
        """The learners' chests in gems, relics included, int64 (N,)."""
        return Observations(self._learners_observations())["chest"].astype(np.int64)

    def _learners_observations(self) -> NDArray[np.float32]:
        """Return a copy of the learners' observations with all features, float32 (N, NUM_FEATURES)."""
        return self._observations.reshape(-1, NUM_FEATURES)[self._rows]

    def _rows_of_learners(self) -> NDArray[np.int64]:
        return np.arange(self.seats.size) * self.batch.max_players + self.seats

    def _seating(self) -> NDArray[np.int64]:
        return seat_around(self.seats, self._matchup.draw(self.batch.games["key"]))
