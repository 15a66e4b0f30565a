"""Who sits where in training: the learner, earlier versions of it, scripted agents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents import make
from agents.pools import load_pool
from diamant_env.observation import Observations
from diamant_env.opponents import EMPTY, Agent
from diamant_env.opponents.network import NetworkAgent, logistic
from train.config import OpponentsConfig


class Place:
    """A seat at many tables for one earlier version of the learner, which changes from time to time."""

    def __init__(self, style: float, seed: np.random.SeedSequence) -> None:
        self.network: NetworkAgent | None = None
        self._style = style
        self._seed = seed
        self._shift = np.zeros(0, np.float32)

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`; before the first snapshot it tosses coins."""
        if self.network is None:
            return np.full(len(first), 0.5, np.float32)
        if len(self._shift) != len(first):
            random = np.random.default_rng(self._seed)
            self._shift = random.normal(0, self._style, len(first)).astype(np.float32)
            import os
            bl = float(os.environ.get("BLIND","0"))
            from diamant_env.observation import SLICES, NUM_FEATURES
            self._mask = np.ones((len(first), NUM_FEATURES), np.float32)
            for names, p in ((("path_gems","path_relics","path_relic_value"), bl), (("chest","lead","rival_chest","expeditions_left","expedition"), bl), (("bust_chance","traps_left","traps_on_path"), bl/2), (("rival_inside","rival_left_turn","num_inside"), bl), (("expected_share","bag"), bl/2)):
                hit = random.random(len(first)) < p
                for nm in names: self._mask[hit, SLICES[nm]] = 0
            self._factor = np.exp(random.normal(0, float(os.environ.get("SHARP","0")), len(first))).astype(np.float32)
        leave = np.zeros(len(first), np.float32)
        deciding = np.flatnonzero(obs.flat[:, 0])
        leave[deciding] = logistic(self.network.leave_logit(obs.flat[deciding] * self._mask[deciding]) * self._factor[deciding] + self._shift[deciding])
        return leave


class League:
    """The opponents of a run.

    Args:
        config: The shares of learner, snapshots and scripted agents.
        players: int (games,), the size of each table.
        seed: Of the seating, of the scripted agents and of which snapshot is replaced.

    Attributes:
        agents: The places of the snapshots, then the scripted agents, as `Table` wants them.
        seating: int (games, seats), for `Table`.
    """

    def __init__(self, config: OpponentsConfig, players: NDArray[np.int64], seed: np.random.SeedSequence) -> None:
        seat_seed, agent_seed, replace_seed, style_seed = seed.spawn(4)
        places = config.snapshot_places if config.snapshots else 0
        self.places = [Place(config.style, place_seed) for place_seed in style_seed.spawn(places)]
        texts = load_pool(config.pool) if config.scripted else []
        agent_seeds = agent_seed.generate_state(max(1, len(texts)))
        scripted: list[Agent] = [make(text, int(state)) for text, state in zip(texts, agent_seeds, strict=False)]
        self.agents: list[Agent] = [*self.places, *scripted]
        self.seating = self._seat(config, players, len(scripted), np.random.default_rng(seat_seed))
        self._random = np.random.default_rng(replace_seed)
        self.snapshots_taken = 0

    def _seat(
        self, config: OpponentsConfig, players: NDArray[np.int64], scripted: int, random: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw who sits where; in each game one seat, a random one, always learns."""
        shape = (len(players), int(players.max()))
        kind = random.random(shape)
        snapshot = random.integers(0, max(1, len(self.places)), shape)
        script = len(self.places) + random.integers(0, max(1, scripted), shape)
        other = np.where(kind < config.learner + config.snapshots, snapshot, script)
        seating = np.where(kind < config.learner, EMPTY, other)
        seating[np.arange(len(players)), random.integers(0, players)] = EMPTY
        return seating

    def add_snapshot(self, network: NetworkAgent) -> None:
        """Seat a new version: in a free place, or instead of a random one but the newest."""
        if not self.places:
            return
        if self.snapshots_taken < len(self.places):
            chosen = self.snapshots_taken
        else:
            chosen = int(self._random.integers(0, len(self.places)))
        self.snapshots_taken += 1
        if self.snapshots_taken == 1:
            for place in self.places:
                place.network = network
        self.places[chosen].network = network

    def state(self) -> dict:
        """Return what a checkpoint must hold: the networks, what scripted agents remember, the random state."""
        return {
            "networks": [
                None if place.network is None else [(w.T.copy(), b) for w, b in place.network.layers]
                for place in self.places
            ],
            "scripted": [vars(agent) for agent in self.agents[len(self.places) :]],
            "taken": self.snapshots_taken,
            "random": self._random.bit_generator.state,
        }

    def restore(self, state: dict, activation: str) -> None:
        """Continue from a value of `state`."""
        for place, layers in zip(self.places, state["networks"], strict=True):
            place.network = None if layers is None else NetworkAgent(layers, activation, "snapshot")
        for agent, saved in zip(self.agents[len(self.places) :], state["scripted"], strict=True):
            vars(agent).update(saved)
        self.snapshots_taken = state["taken"]
        self._random.bit_generator.state = state["random"]
