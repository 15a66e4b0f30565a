"""Opponents of a training run: earlier versions of the learner, and their seats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.agent import Agent, answer_deciding
from diamant_env.editions import Edition
from diamant_env.judging.lineups import seat_learner
from diamant_env.observation import NUM_FEATURES, Observations, columns
from diamant_env.opponents import EMPTY
from diamant_env.opponents.network import Layers, NetworkAgent, logistic
from diamant_env.sb3 import DiamantVecEnv
from train.runs.config import Config, GameConfig, NetworkConfig, OpponentsConfig

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
    game: GameConfig, num_games: int, opponents: Any = (), seating: ArrayLike | None = None
) -> DiamantVecEnv:
    """Return the environment of a game with one table size."""
    players, edition = game.num_players[0], game.judged_edition()
    return DiamantVecEnv(num_games, players, edition, game.reward, opponents, seating, game.blank)


def vec_env_among(config: Config, agent: Agent) -> DiamantVecEnv:
    """Return games of one learner among copies of an agent, with as many rows as in self-play."""
    players = config.game.num_players[0]
    games = config.ppo.games * players
    return vec_env_of(config.game, games, [agent], seat_learner(games, players))


class SnapshotOpponent:
    """Earlier version of the learner, with a constant logit shift and masked features per seat.

    The perturbations give a variety of opponents without scripted agents.
    """

    def __init__(self, config: OpponentsConfig, seed: np.random.SeedSequence) -> None:
        self.network: NetworkAgent | None = None
        self._config = config
        self._seed = seed
        self._shift = np.zeros(0, np.float32)
        self._sees = np.zeros((0, NUM_FEATURES), np.float32)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`; uniformly random before the first snapshot."""
        if self.network is None:
            return np.full(len(first), 0.5, np.float32)
        if len(self._shift) != len(first):
            self._shift, self._sees = perturbations(self._config, len(first), np.random.default_rng(self._seed))
        network = self.network
        return answer_deciding(
            obs,
            lambda rows: logistic(network.leave_logit(obs.flat[rows] * self._sees[rows]) + self._shift[rows]),
        )


def perturbations(
    config: OpponentsConfig, seats: int, random: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the logit shift of each snapshot seat, float32 (seats,), and 0 for its masked features, else 1.

    The latter is float32 (seats, NUM_FEATURES).
    """
    shift = random.normal(0, config.style, seats).astype(np.float32)
    sees = np.ones((seats, NUM_FEATURES), np.float32)
    for fields in BLIND_SPOTS:
        sees[:, columns(*fields)] *= random.random((seats, 1)) >= config.blindness
    return shift, sees


class League:
    """The opponents of a run.

    Attributes:
        next_snapshot: Decisions after which the next snapshot is due.
        snapshots: Earlier versions, the agents of `Table`.
        seating: int (games, seats), for `Table`.
    """

    def __init__(self, config: OpponentsConfig, players: NDArray[np.int64], seed: np.random.SeedSequence) -> None:
        seat_seed, replace_seed, style_seed = (
            np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, child)) for child in (0, 2, 3)
        )
        seeds = style_seed.spawn(config.snapshot_places if config.learner < 1 else 0)
        self.snapshots = [SnapshotOpponent(config, seed) for seed in seeds]
        self.seating = self._seat(config, players, np.random.default_rng(seat_seed))
        self._random = np.random.default_rng(replace_seed)
        self.snapshots_taken = self.next_snapshot = 0
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
        """Replace the network of a snapshot opponent: round robin once, then at random.

        Args:
            network: Frozen copy of the policy after `decisions` of the run.
            decisions: The next snapshot is due `OpponentsConfig.snapshot_every` later.
        """
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
        return [None if each.network is None else each.network.weights() for each in self.snapshots]

    def seat_networks(self, networks: list[Layers | None], shape: NetworkConfig) -> None:
        """Set the networks of the snapshot opponents to `networks`."""
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
        """Restore a value of `state`."""
        self.snapshots_taken, self.next_snapshot = int(state["taken"]), int(state["next_snapshot"])
        self.seat_networks(state["networks"], shape)
        self._random.bit_generator.state = state["random"]
