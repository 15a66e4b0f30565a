"""Games of any agents as a dataset: each decision as a row of arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diamant_env.batch import Batch
from diamant_env.engine.arguments import whole_number
from diamant_env.judging.games import Progress, seeds_for
from diamant_env.judging.lineups import deal
from diamant_env.opponents import Table, make

_SIDE_BY_SIDE = 1024  # games
_MAX_GAMES = 1_000_000  # which take about 50 kB each


def play_decisions(
    agents: Sequence[str],
    games: int,
    seed: int = 0,
    players: int = 4,
    edition: str = "iello-2016",
    reward: str = "score",
    progress: Progress | None = None,
) -> dict[str, NDArray]:
    """Play games and return the decisions; `train.export.Arguments` describes arguments and arrays."""
    whole_number("games", games, 1, _MAX_GAMES)
    Batch(1, players, edition, reward)  # refuses what can't be played before anything is dealt
    random = np.random.default_rng(seeds_for(seed, "export", "seats"))
    seating = deal(games, players, max(len(agents), players), random) % len(agents)
    seeds = seeds_for(seed, "export", "games").generate_state(games, np.uint64).astype(np.uint64)
    parts = []
    for first in range(0, games, _SIDE_BY_SIDE):
        some = slice(first, first + _SIDE_BY_SIDE)
        states = seeds_for(seed, "export", "agents", first).generate_state(len(agents)).tolist()
        made = [make(text, state) for text, state in zip(agents, states, strict=True)]
        batch = Batch(len(seeds[some]), players, edition, reward)
        part = _play_part(batch, Table(batch, made, seating[some]), seeds[some])
        part["game"] += first
        parts.append(part)
        if progress is not None:
            progress.update(batch.num_games)
    return {**_joined(parts), "game_seed": seeds}


def _play_part(batch: Batch, table: Table, seeds: NDArray[np.uint64]) -> dict[str, NDArray]:
    """Play all games of a batch to their ends."""
    observations = batch.reset(seeds)
    actions = np.zeros((batch.num_games, batch.seats), np.int8)
    steps: list[dict[str, NDArray]] = []
    earned: list[NDArray[np.float32]] = []
    while not batch.over.all():
        leave = table.leave_probabilities(observations)
        batch.draw_decisions(leave, actions)
        deciding = batch.must_decide & ~batch.over[:, None]
        game, seat = np.nonzero(deciding)
        steps.append(
            {
                "observation": observations[deciding],
                "mask": np.ones((len(game), 2), np.int8),
                "action": actions[deciding],
                "leave_probability": leave[deciding],
                "agent": table.seating[deciding].astype(np.int16),
                "game": game.astype(np.int32),
                "seat": seat.astype(np.int8),
                "expedition": batch.games.expedition[game].astype(np.int8),
                "turn": batch.games.turn[game].astype(np.int16),
            }
        )
        _, rewards, _ = batch.step(actions, observations)
        earned.append(rewards)
    to_come = np.cumsum(earned[::-1], axis=0, dtype=np.float32)[::-1]
    for step, rest in zip(steps, to_come, strict=True):
        step["return"] = rest[step["game"], step["seat"]]
    arrays = _joined(steps)
    order = np.argsort(arrays["game"], kind="stable")
    return {name: array[order] for name, array in arrays.items()}


def _joined(parts: list[dict[str, NDArray]]) -> dict[str, NDArray]:
    """Concatenate the arrays of each name, and empty the parts, which would double the memory."""
    return {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}
