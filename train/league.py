"""PPO against earlier versions of the learner and with exploring starts, and the environments of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import Agent, answer_deciding
from diamant_env.editions import Edition
from diamant_env.observation import NUM_FEATURES, Observations, columns
from diamant_env.opponents import EMPTY
from diamant_env.opponents.matchup import seat_learner
from diamant_env.opponents.network import Layers, NetworkAgent, logistic
from diamant_env.sb3 import DiamantVecEnv
from train.ppo import Learner
from train.runs.config import Config, GameConfig, NetworkConfig, OpponentsConfig, PPOConfig

EXPLORED_LEAVE = np.float32(0.5)
"""P(LEAVE) of an exploratory action."""
# Groups of features that may be masked in a seat; without one of them, a snapshot plays like a simple strategy.
BLIND_SPOTS = (
    ("path_gems", "path_relics", "path_relic_value"),
    ("chest", "lead", "rival_chest", "expedition", "expeditions_left"),
    ("bust_chance", "traps_left", "traps_on_path"),
    ("num_inside", "rival_inside", "rival_left_turn"),
    ("bag", "expected_share"),
)


def tables_of(config: Config) -> tuple[NDArray[np.int64], list[Edition]]:
    """Return size, int (games,), and edition of each training table; editions alternate within a size."""
    games = np.arange(config.ppo.games)
    sizes = np.array(config.game.num_players)
    editions = config.game.training_editions()
    return sizes[games * len(sizes) // len(games)], [editions[game % len(editions)] for game in games]


def vec_env_of(
    game: GameConfig, num_games: int, opponents: Any = None, seating: ArrayLike | None = None
) -> DiamantVecEnv:
    """Return the environment of a game with one table size."""
    players, edition = game.num_players[0], game.evaluation_edition()
    return DiamantVecEnv(num_games, players, edition, game.reward, opponents, seating)


def vec_env_among(config: Config, agent: Agent) -> DiamantVecEnv:
    """Return games of one learner among copies of an agent, with as many rows as in self-play."""
    players = config.game.num_players[0]
    games = config.ppo.games * players
    return vec_env_of(config.game, games, [agent], seat_learner(games, players))


class SnapshotOpponent:
    """Earlier version of the learner; a logit shift and masked features per seat make its copies differ."""

    def __init__(self, config: OpponentsConfig, seed: np.random.SeedSequence) -> None:
        self.network: NetworkAgent | None = None
        self._config = config
        self._seed = seed
        self._shift = np.zeros(0, np.float32)
        self._sees = np.zeros((0, NUM_FEATURES), np.float32)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return P(LEAVE), float32 (rows,), 0.5 before the first snapshot."""
        if self.network is None:
            return np.full(len(episode_start), 0.5, np.float32)
        if len(self._shift) != len(episode_start):
            self._perturb(len(episode_start))
        network = self.network
        return answer_deciding(
            obs,
            lambda rows: logistic(network.leave_logit(obs.flat[rows] * self._sees[rows]) + self._shift[rows]),
        )

    def _perturb(self, seats: int) -> None:
        """Draw the logit shift, (seats,), and the feature mask, (seats, NUM_FEATURES), of the seats."""
        random = np.random.default_rng(self._seed)
        self._shift = random.normal(0, self._config.logit_noise, seats).astype(np.float32)
        self._sees = np.ones((seats, NUM_FEATURES), np.float32)
        for fields in BLIND_SPOTS:
            self._sees[:, columns(*fields)] *= random.random((seats, 1)) >= self._config.feature_dropout


class League:
    """The opponents of a run, with their seating for `SeatedAgents`, int (games, seats)."""

    def __init__(self, config: OpponentsConfig, players: NDArray[np.int64], seed: np.random.SeedSequence) -> None:
        seat_seed, replace_seed, style_seed = (
            np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, child)) for child in (0, 2, 3)
        )
        seeds = style_seed.spawn(config.snapshot_places if config.learner < 1 else 0)
        self.snapshots = [SnapshotOpponent(config, seed) for seed in seeds]
        self.seating = self._seat(config, players, np.random.default_rng(seat_seed))
        self._random = np.random.default_rng(replace_seed)
        self.snapshots_taken = self.next_snapshot = 0  # a snapshot is due after `next_snapshot` decisions
        self._every = config.snapshot_every

    def _seat(
        self, config: OpponentsConfig, players: NDArray[np.int64], random: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return a random seating, int (games, seats); in each game one random seat learns."""
        shape = (len(players), int(players.max()))
        kind = random.random(shape)
        snapshot = random.integers(0, max(1, len(self.snapshots)), shape)
        seating = np.where(kind < config.learner, EMPTY, snapshot)
        seating[np.arange(len(players)), random.integers(0, players)] = EMPTY
        return seating

    def add_snapshot(self, network: NetworkAgent, decisions: int) -> None:
        """Replace the network of a snapshot opponent: round robin once, then at random."""
        self.next_snapshot = decisions + self._every
        if not self.snapshots:
            return
        chosen = self.snapshots_taken
        if chosen >= len(self.snapshots):
            chosen = int(self._random.integers(0, len(self.snapshots)))
        self.snapshots_taken += 1
        for opponent in self.snapshots if self.snapshots_taken == 1 else [self.snapshots[chosen]]:
            opponent.network = network

    def networks(self) -> list[Layers | None]:
        """Return the layers of each snapshot opponent, None before the first snapshot."""
        return [None if opponent.network is None else opponent.network.weights() for opponent in self.snapshots]

    def seat_networks(self, networks: list[Layers | None], shape: NetworkConfig) -> None:
        for opponent, layers in zip(self.snapshots, networks, strict=True):
            opponent.network = (
                None if layers is None else NetworkAgent(layers, shape.activation, "snapshot", inputs=shape.inputs)
            )

    def state(self) -> dict[str, Any]:
        """Return the state for a checkpoint: networks, random numbers and the next snapshot."""
        return {
            "networks": self.networks(),
            "taken": self.snapshots_taken,
            "next_snapshot": self.next_snapshot,
            "random": self._random.bit_generator.state,
        }

    def restore(self, state: dict[str, Any], shape: NetworkConfig) -> None:
        self.snapshots_taken, self.next_snapshot = int(state["taken"]), int(state["next_snapshot"])
        self.seat_networks(state["networks"], shape)
        self._random.bit_generator.state = state["random"]


class Exploration:
    """Exploring starts: one seat takes a uniformly random action at a random turn; training uses only what follows.

    They sample actions that a nearly deterministic policy rarely takes. All later decisions are on-policy; the
    exploratory action is weighted by importance sampling (Sutton and Barto: Reinforcement learning, an introduction,
    2nd edition 2018, sections 5.3 and 5.5). A `share` of the games, drawn once, explores, each at most once per game
    with probability `chance` per turn. `games_of_rows`, int (rows,), is the game of each learning seat.
    """

    def __init__(
        self, games_of_rows: NDArray[np.int64], share: float, chance: float, seed: np.random.SeedSequence
    ) -> None:
        self.games_of_rows = games_of_rows
        self.chance = chance
        self._random = np.random.default_rng(seed)
        self._explores = self._random.random(games_of_rows.max() + 1) < share
        self._waiting = self._explores.copy()

    def draw(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which of the deciding rows explore, at most one of each game, and which training excludes.

        Training excludes an exploring game's decisions before its exploratory action, and the other seats' decisions in
        that turn.
        """
        explored, games = np.zeros(len(rows), np.bool_), self.games_of_rows[rows]
        if not self._explores.any():
            return explored, explored
        exploring = self._waiting & (self._random.random(len(self._waiting)) < self.chance)
        shuffled = self._random.permutation(len(rows))
        candidates = shuffled[exploring[games[shuffled]]]
        explored[candidates[np.unique(games[candidates], return_index=True)[1]]] = True
        excluded = self._waiting[games] & ~explored
        self._waiting[games[explored]] = False
        return explored, excluded

    def end_games(self, done: NDArray[np.bool_]) -> None:
        """Reset exploration in the games of the rows that are `done`, bool (rows,)."""
        ended = self.games_of_rows[done]
        self._waiting[ended] = self._explores[ended]

    def state(self) -> dict[str, Any]:
        return {"random": self._random.bit_generator.state, "waiting": self._waiting.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        self._random.bit_generator.state = state["random"]
        self._waiting[:] = state["waiting"]


class LeagueLearner(Learner):
    """PPO with exploring starts; snapshots of the policy join the league, if any."""

    def __init__(
        self, env: DiamantVecEnv, config: PPOConfig, network: NetworkConfig, seed: int, league: League | None = None
    ) -> None:
        super().__init__(env, config, network, seed)
        self.league = league
        exploration_seed = np.random.SeedSequence(seed).spawn(1)[0]
        self.exploration = Exploration(env.games_of_rows, config.explore, config.explore_chance, exploration_seed)

    def learn(self) -> None:
        super().learn()
        if self.league is not None and self.decisions >= self.league.next_snapshot:
            self.league.add_snapshot(self.network("snapshot"), self.decisions)

    def behaviour(self, rows: NDArray[np.int64], leave: NDArray[np.float32]) -> NDArray[np.float32]:
        """Draw the exploratory actions; return P(LEAVE) of the deciding rows."""
        self.explored, self.excluded = self.exploration.draw(rows)
        return np.where(self.explored, EXPLORED_LEAVE, leave)

    def play_turn(self) -> NDArray[np.bool_]:
        """Play a turn; set the importance weights of exploratory and excluded decisions."""
        start = self.buffer.count
        done = super().play_turn()
        decisions = self.buffer.decisions[start : self.buffer.count]
        weights = torch.exp(torch.from_numpy(decisions["log_probs"][self.explored])).numpy() / EXPLORED_LEAVE
        decisions["weights"][self.explored] = weights
        decisions["weights"][self.excluded] = 0
        self.exploration.end_games(done)
        return done

    def state(self) -> dict[str, Any]:
        league = None if self.league is None else self.league.state()
        return {**super().state(), "exploration": self.exploration.state(), "league": league}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.exploration.restore(state["exploration"])
        if self.league is not None:
            self.league.restore(state["league"], self.network_config)
