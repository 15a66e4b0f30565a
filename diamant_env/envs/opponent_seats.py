"""Opponents of a single learner, from the argument `opponents`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.editions import Edition
from diamant_env.opponents.custom import Player, is_several, one_or_more
from diamant_env.opponents.pools import is_pool, pool_members, split_agents
from diamant_env.opponents.registry import make
from diamant_env.opponents.table import EMPTY
from diamant_env.random_numbers import line_up_bits


class OpponentSeats:
    """The agents of all seats but the learner's.

    Args:
        opponents: One argument of `diamant_env.opponents.make` for all rivals, one per rival in seat order after
            the learner, or mixes, see `LineUps`.
        num_rivals: Rivals at each table.
        editions: The editions of the games.

    Attributes:
        agents: The distinct agents, for a `Table`.
        drawn: Whether the opponents differ between games.

    Raises:
        ValueError: If `opponents` is invalid or of the wrong length.
    """

    def __init__(self, opponents: Player | Sequence[Player], num_rivals: int, editions: Sequence[Edition]) -> None:
        self.drawn = names_mix(opponents)
        if self.drawn:
            self._line_ups = LineUps(opponents, num_rivals, editions)
            self.agents = self._line_ups.agents
            return
        one_each = one_per_rival(opponents, num_rivals)
        given, self._rivals = _distinct(one_each)
        self.agents = make_opponents(given)

    def seating(self, learners: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the `Table`'s seating, int (games, seats), for the learners' seats and the games' keys (games,)."""
        rivals = self._line_ups.draw(keys) if self.drawn else np.tile(self._rivals, (len(keys), 1))
        relative = np.insert(rivals, rivals.shape[1], EMPTY, axis=1)
        seats = relative.shape[1]
        return np.take_along_axis(relative, (np.arange(seats) - learners[:, None] - 1) % seats, axis=1)

    def seed(self, seed: int) -> None:
        """Seed the agents that have a method ``seed(int)``, each differently."""
        seed_agents(self.agents, seed)


class LineUps:
    """Opponents drawn for each game from its key: one of the mixes, then distinct members of it.

    Args:
        opponents: A mix or a list of mixes: pools, agents in one text such as ``"bag:18,traps:3,ev"``, or an agent,
            whose copies fill the table. As in `diamant_env.judging.evaluate`.
        num_rivals: Rivals at each table.
        editions: The editions of the games. Members of pools that don't support one are left out.

    Attributes:
        given: The distinct opponents.
        agents: Their agents.

    Raises:
        ValueError: If an opponent is invalid, or a mix has too few members or the same one twice.
    """

    def __init__(self, opponents: Player | Sequence[Player], num_rivals: int, editions: Sequence[Edition]) -> None:
        mixes = [_members(one, num_rivals + 1, editions) for one in one_or_more(opponents)]
        self.given, numbers = _distinct([one for mix in mixes for one in mix])
        self.agents = make_opponents(self.given)
        self._mixes = np.split(numbers, np.cumsum([len(mix) for mix in mixes])[:-1])
        for mix, own in zip(mixes, self._mixes, strict=True):
            agents = [self.agents[number] for number in own]
            texts = [isinstance(one, str | Path) for one in mix]
            distinct = len({str(agent) if text else id(agent) for agent, text in zip(agents, texts, strict=True)})
            if distinct < len(mix) or 1 < distinct < num_rivals:
                without = " without those that need open chests" * any(edition.hidden_chests for edition in editions)
                raise ValueError(f"opponents {mix}{without}: {num_rivals} or more distinct ones are needed")
        self._num_rivals = num_rivals

    def draw(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return indices of agents, int (games, rivals), for the keys of games, uint64 (games,)."""
        bits = line_up_bits(keys, 1 + max(map(len, self._mixes)))
        chosen = (bits[:, 0] >> np.uint64(32)) * np.uint64(len(self._mixes)) >> np.uint64(32)
        rivals = np.empty((len(keys), self._num_rivals), np.int64)
        for number, mix in enumerate(self._mixes):
            games = chosen == number
            order = np.argsort(bits[games, 1 : 1 + len(mix)], axis=1)
            rivals[games] = mix[order[:, : self._num_rivals]]  # a single member is repeated
        return rivals


def names_mix(opponents: Player | Sequence[Player]) -> bool:
    """Return whether the argument `opponents` has a pool or several agents in one text, see `LineUps`."""
    texts = [str(one) for one in one_or_more(opponents) if isinstance(one, str | Path)]
    return any(is_pool(text) or len(split_agents(text)) > 1 for text in texts)


def one_per_rival(opponents: Player | Sequence[Player], num_rivals: int) -> list[Any]:
    """Return one opponent per rival; raise ValueError if the number differs."""
    one_each = one_or_more(opponents) * (1 if is_several(opponents) else num_rivals)
    if len(one_each) != num_rivals:
        raise ValueError(f"{len(one_each)} opponents; give one for all rivals, or one for each of the {num_rivals}")
    return one_each


def seed_agents(agents: Sequence[Agent], seed: int) -> None:
    """Seed the agents that have a method ``seed(int)``, each differently."""
    seeders = [agent.seed for agent in agents if callable(getattr(agent, "seed", None))]  # type: ignore[attr-defined]
    for position, call in enumerate(seeders):
        call(int(np.random.SeedSequence([seed, position]).generate_state(1)[0]))


def make_opponents(opponents: Iterable[Player]) -> list[Agent]:
    """Return the agents of opponents; raise ValueError for one that is no agent."""
    try:
        return [make(opponent, secrets.randbits(32)) for opponent in opponents]
    except ValueError as error:
        raise ValueError(f"opponents: {error}") from error.__cause__


def _members(one: Any, players: int, editions: Sequence[Edition]) -> list[Any]:
    """Return the members of a mix that support the tables."""
    if not isinstance(one, str | Path):
        return [one]
    if not is_pool(str(one)):
        return split_agents(str(one))
    able = [pool_members(str(one), players, edition)[0] for edition in editions]
    return [member for member in able[0] if all(member in names for names in able)]


def _distinct(opponents: Sequence[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Return each opponent once, and the index of each among them."""
    different = {identity(one): one for one in opponents}
    order = list(different)
    return list(different.values()), np.array([order.index(identity(one)) for one in opponents], np.int64)


def identity(opponent: Any) -> Any:
    """Return the key by which opponents share an agent: their text, or the object's identity."""
    return str(opponent) if isinstance(opponent, str | Path) else id(opponent)
