"""One learner among opponents, many games at a time: the logic of the Gymnasium environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.arguments import whole_number
from diamant_env.envs.layout import Layout, Observation
from diamant_env.envs.opponent_seats import Opponent, OpponentSeats
from diamant_env.envs.pictures import Pictures
from diamant_env.envs.settings import with_expeditions
from diamant_env.native.compiled import jit
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.table import EMPTY, Table
from diamant_env.random_numbers import random_below
from diamant_env.rewards import Reward
from diamant_env.state import OVER


class OneLearner:
    """N games; in each, one seat decides by the caller's actions and agents decide for the others.

    While the learner is in camp the others play on, so that the learner of every game that is not over is inside
    the cave and must decide. The arguments are those of `diamant_env.gym_env.DiamantEnv`.

    Attributes:
        batch: The games.
        seats: int64 (N,), where the learner sits in each.
        pictures: What has happened, to look at.
    """

    def __init__(  # noqa: PLR0913 - every setting has a name
        self,
        num_games: int,
        num_players: int,
        edition: str | Edition,
        reward: Reward,
        seat: int | None,
        opponents: Opponent | Sequence[Opponent],
        hidden_chests: bool | None,
        expeditions: int | None,
        render_mode: str | None,
        metadata: dict[str, Any],
        observation: Observation = None,
    ) -> None:
        players = whole_number("num_players", num_players, 1, MAX_PLAYERS)
        self.seat = None if seat is None else whole_number("seat", seat, 0, players - 1, "None or ")
        self.edition = find_edition(edition, hidden_chests)
        if expeditions is not None:
            self.edition = with_expeditions(self.edition, expeditions)
        self.layout = Layout(observation)
        self.batch = Batch(num_games, players, self.edition, reward, history=self.layout.history)
        self.opponents = OpponentSeats(opponents, players - 1, num_games)
        self.seats = np.full(num_games, self.seat or 0, np.int64)
        self.pictures = Pictures(render_mode, self.batch, metadata, ResetNeeded)
        self._games = np.arange(num_games)
        self._smaller_batches: dict[int, Batch] = {}
        self._views = np.zeros((num_games, players, NUM_FEATURES), np.float32)
        self._actions = np.zeros((num_games, players), np.int8)
        self._rewards = np.zeros((num_games, players), np.float32)
        self._seat_everyone()

    def reset(self, chosen: NDArray[np.bool_], seeds: NDArray[np.uint64] | None = None) -> None:
        """Start new games.

        Args:
            chosen: bool (N,), the places where a game starts.
            seeds: uint64 (N,), one per place; by default each place goes on with its next game, and the first time
                with seeds from the system. Opponents are seeded only where all places are.
        """
        self.batch.reset(seeds, chosen, self._views)
        if seeds is not None and chosen.all():
            self.opponents.seed(int(seeds[0]))
        if self.seat is None:
            draw_seats(self._records, chosen, self.seats)
            self._seat_everyone()
        self.pictures.restart(np.flatnonzero(chosen))

    def _seat_everyone(self) -> None:
        self._table = Table(self.batch, self.opponents.agents, self.opponents.seating(self.seats))

    def play(self, actions: NDArray[np.integer]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Play until each learner must decide again or its game is over; a game that was over stays as it is.

        Args:
            actions: (N,), 0 or 1.

        Returns:
            Per game the sum of the rewards, float64 (N,), and the number of turns played, int64 (N,).
        """
        rewards = np.zeros(len(self.seats), np.float64)
        turns = np.zeros(len(self.seats), np.int64)
        phase, inside = self._records["phase"], self._records["inside"]
        playing = np.flatnonzero(phase != OVER)
        everyone = True  # plays this turn, where the game is not over
        while len(playing):
            if everyone:
                self.opponents.ask_for(self._games)
                self._table.decide(self._views, self._actions)
                self._actions[self._games, self.seats] = actions
                self.batch.step(self._actions, self._views, self._rewards)
            else:
                self._play_turn_apart(playing)
            seats = self.seats[playing]
            rewards[playing] += self._rewards[playing, seats]
            turns[playing] += 1
            self.pictures.follow(playing)
            going_on = phase[playing] != OVER
            in_camp = inside[playing, seats] == 0
            everyone = everyone and bool(in_camp[going_on].all())  # what a learner in camp sends is ignored
            playing = playing[going_on & in_camp]
        return rewards, turns

    def _play_turn_apart(self, playing: NDArray[np.int64]) -> None:
        """Play a turn of these games only, whose learners are in camp: in a smaller batch."""
        count, size = len(playing), 1 << (len(playing) - 1).bit_length()
        if size not in self._smaller_batches:
            self._smaller_batches[size] = Batch(size, self._views.shape[1], self.edition, self.batch.reward)
        batch = self._smaller_batches[size]
        records = batch._core.records
        places = np.full(size, playing[0])  # whose copies fill the rest and play on, unseen
        places[:count] = playing
        records[:] = self._records[places]
        seating = self.opponents.seating(self.seats[places])
        seating[count:] = EMPTY
        views, actions = self._views[places], np.zeros(seating.shape, np.int8)
        self.opponents.ask_for(playing)
        Table(batch, self.opponents.agents, seating).decide(views, actions)
        _, rewards, _ = batch.step(actions, views)
        self._records[playing] = records[:count]
        if self.batch._history is not None:
            self.batch._history.follow(self._records, np.isin(self._games, playing))
        self._views[playing] = views[:count]
        self._rewards[playing] = rewards[:count]

    @property
    def _records(self) -> NDArray:
        """The records of the games where they lie: those of a copied batch lie elsewhere."""
        return self.batch._core.records

    @property
    def over(self) -> NDArray[np.bool_]:
        """The games that are over, a new bool (N,)."""
        return self._records["phase"] == OVER

    @property
    def action_masks(self) -> NDArray[np.bool_]:
        """The learners' legal actions, a new bool (N, 2): CONTINUE always, LEAVE unless the game is over."""
        return np.stack([np.ones_like(self.over), ~self.over], axis=1)

    @property
    def observations(self) -> NDArray[np.float32]:
        """What the learners see, a new float32 (N, features)."""
        at = self._games, self.seats
        return self.layout.shown(self._views[at], self.batch.history()[at] if self.layout.history else None)

    @property
    def scores(self) -> NDArray[np.int64]:
        """What the learners have in their chests, relics included, a new int64 (N,)."""
        return self._records["chest"][self._games, self.seats].astype(np.int64)


@jit
def draw_seats(games: NDArray, chosen: NDArray[np.bool_], seats: NDArray[np.int64]) -> None:
    """Draw the learner's seat of each chosen game from its key; no card is drawn in an expedition 0."""
    for i in range(games.shape[0]):
        if chosen[i]:
            seats[i] = random_below(games[i].key, 0, 0, games[i].num_players)
