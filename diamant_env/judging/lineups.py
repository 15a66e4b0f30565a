"""Line-ups of opponents and their seating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import Edition
from diamant_env.judging.games import name_of, numbered_names
from diamant_env.opponents.custom import Player, one_or_more
from diamant_env.opponents.pools import is_pool, pool_members, pool_path, split_agents


@dataclass(frozen=True)
class LineUp:
    """Opponents of the judged agent.

    Attributes:
        name: Name in tables of results.
        rivals: Agents, or texts that `diamant_env.opponents.make` takes.
        how: ``"distinct"``: distinct rivals drawn for each table, all equally often. ``"clones"``: copies of the only
            rival in all other seats. ``"intruder"``: the only rival among copies of the judged agent; the rival is
            measured.
        but_self: Exclude the judged agent from the `rivals`.
        left_out: Excluded members of the pool, see `pool_line_up`.
    """

    name: str
    rivals: tuple[Any, ...]
    how: Literal["distinct", "clones", "intruder"] = "distinct"
    but_self: bool = True
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.how not in ("distinct", "clones", "intruder"):
            raise ValueError(f"how={self.how!r}; distinct, clones and intruder are allowed")
        if not isinstance(self.rivals, tuple | list):
            raise ValueError(f"rivals={self.rivals!r}; a tuple of agents is expected")
        if self.how != "distinct" and len(self.rivals) != 1:
            raise ValueError(f"{len(self.rivals)} rivals in {self.name!r}; {self.how} have one")

    def rivals_of(self, judged: Mapping[str, Player], players: int) -> tuple[Any, ...]:
        """Return the rivals of agents, given by name, at tables of this size.

        Raises:
            ValueError: If there are too few for a table of distinct opponents, or a text is no agent or given twice.
        """
        keys = [_key_of(rival) for rival in self.rivals]
        for rival, key in zip(self.rivals, keys, strict=True):
            if keys.count(key) > 1:
                raise ValueError(f"{self.name}: {name_of(rival)} is given twice; the opponents at a table are distinct")
        excluded = {*judged, *map(_key_of, judged.values())} if self.but_self else set()
        rivals = tuple(rival for rival, key in zip(self.rivals, keys, strict=True) if key not in excluded)
        if self.how == "distinct" and len(rivals) < players - 1:
            but = " without the judged one" if len(rivals) < len(self.rivals) else ""
            but += f" without those that need open chests ({', '.join(self.left_out)})" if self.left_out else ""
            raise ValueError(
                f"a table of {players} needs {players - 1} distinct opponents; {self.name} has {len(rivals)}{but}; "
                "take fewer players, more agents, or one agent, whose copies fill the table"
            )
        return rivals


def _key_of(agent: Player) -> str | int:
    """Return the name of a text or path, or the identity of an object, ignoring the name of a pair."""
    given = agent[1] if isinstance(agent, tuple) else agent
    return name_of(given) if isinstance(given, str | Path) else id(given)


def left_out_lines(names: Iterable[str]) -> list[str]:
    """Return a line that names the excluded members of pools, or no line."""
    listed = ", ".join(dict.fromkeys(names))
    return [f"Left out of the pools, since they need open chests: {listed}."] if listed else []


def pool_line_up(pool: str, players: int = 4, edition: str | Edition = "iello-2016") -> LineUp:
    """Return the line-up of distinct members of a pool, given by its name or path, that support such tables.

    Where chests are hidden, it leaves out members that need open ones. Its name, which seeds its games, is the stem of
    the file name.

    Raises:
        ValueError: If there is no such pool.
    """
    members, left_out = pool_members(pool, players, edition)
    return LineUp(pool_path(pool).stem, tuple(members), left_out=tuple(left_out))


def clone_line_ups(rivals: Sequence[str], left_out: tuple[str, ...] = ()) -> list[LineUp]:
    """Return a line-up for each rival with its copies in all other seats."""
    return [LineUp(f"copies of {rival}", (rival,), "clones", False, left_out) for rival in rivals]


def intruder_line_ups(intruders: Sequence[str], left_out: tuple[str, ...] = ()) -> list[LineUp]:
    """Return a line-up for each intruder among copies of the judged agent."""
    return [LineUp(f"intruder {rival}", (rival,), "intruder", False, left_out) for rival in intruders]


def line_ups_of(
    against: Player | LineUp | Sequence[Player | LineUp],
    judged: Sequence[Player],
    players: int,
    edition: str | Edition,
) -> list[LineUp]:
    """Return the line-ups of an argument `against`, see `diamant_env.judging.evaluate`.

    Args:
        against: The argument.
        judged: The judged agents. An object with the name of one is numbered: ``"PPO #2"``.
        players: Players at each table.
        edition: The edition to play.

    Raises:
        ValueError: If it names no line-up.
    """
    several = isinstance(against, tuple) and any(isinstance(one, LineUp) for one in against)
    given = list(against) if several else one_or_more(against)  # type: ignore[arg-type]
    if not given:
        raise ValueError(f"against={against!r}; a line-up is needed, such as 'pool'")
    line_ups: list[LineUp] = []
    names, numbered = [name_of(agent) for agent in judged], numbered_names(judged)
    for one in given:
        if isinstance(one, LineUp):
            line_ups.append(one)
        elif isinstance(one, str) and one == "self":
            line_ups.append(LineUp(f"copies of {names[0]}", (judged[0],), "clones", but_self=False))
        elif isinstance(one, str | Path):
            line_ups += parse_line_ups(str(one), names[0], players, edition)
        else:
            name, taken = name_of(one), {*names, *numbered, *(line_up.name for line_up in line_ups)}
            if name in taken:
                name = next(new for number in count(2) if (new := f"{name} #{number}") not in taken)
            line_ups.append(LineUp(name, ((name, one),), "clones", but_self=False))
    return line_ups


def parse_line_ups(text: str, agent: str, players: int = 4, edition: str | Edition = "iello-2016") -> list[LineUp]:
    """Parse a line-up argument of the command line.

    The text is a pool (``pool``, ``held-out`` or a path to a .toml), an agent, whose copies fill the table, distinct
    agents such as ``bag:18,traps:3,cards:6``, ``clones:NAME`` or ``intruder:NAME``, where NAME is an agent or a pool
    with a line-up for each member but the judged `agent`. Pools are filtered, see `pool_line_up`.

    Raises:
        ValueError: If the text names no line-up.
    """
    kind, _, name = text.partition(":")
    if kind in ("clones", "intruder"):
        make_line_ups = clone_line_ups if kind == "clones" else intruder_line_ups
        if not is_pool(name):
            return make_line_ups(_agents(name, text))
        pool = pool_line_up(name, players, edition)
        return make_line_ups([rival for rival in pool.rivals if rival != agent], pool.left_out)
    if is_pool(text):
        return [pool_line_up(text, players, edition)]
    names = _agents(text, text)
    return [LineUp(text, names, "distinct" if len(names) > 1 else "clones", but_self=False)]


def deal(tables: int, seats: int, members: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return int (tables, seats): at each table distinct members in random order, all seated equally often."""
    seated = np.zeros(members)
    dealt = np.empty((tables, seats), np.int64)
    for row in dealt:
        row[:] = random.permutation(np.argsort(seated + random.random(members))[:seats])
        seated[row] += 1
    return dealt


def seat_with(rivals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int (tables, seats): agent 0 in seat ``table % seats``, the rivals, int (tables, seats - 1), elsewhere."""
    tables, seats = len(rivals), rivals.shape[1] + 1
    own_seat = np.arange(tables) % seats
    seating = np.zeros((tables, seats), np.int64)
    others = (own_seat[:, None] + np.arange(1, seats)) % seats
    seating[np.arange(tables)[:, None], others] = rivals
    return seating


def seat_learner(games: int, players: int) -> NDArray[np.int64]:
    """Return int (games, players): `EMPTY` for the learner, in seat ``game % players``, and agent 0 elsewhere."""
    return seat_with(np.ones((games, players - 1), np.int64)) - 1


def seat_line_up(
    line_up: LineUp, members: int, tables: int, players: int, seeds: np.random.SeedSequence
) -> NDArray[np.int64]:
    """Return int (tables, players): 0 is the judged agent, 1 to `members` are the rivals."""
    opponents = np.ones((tables, players - 1), np.int64)
    if line_up.how == "distinct":
        opponents = 1 + deal(*opponents.shape, members, np.random.default_rng(seeds))
    return seat_with(opponents)


def entrants(
    agents: Sequence[str], pools: Sequence[str], players: int = 4, edition: str | Edition = "iello-2016"
) -> tuple[list[str], tuple[str, ...]]:
    """Return the agents, then further members of the pools, and the excluded members, see `pool_line_up`.

    Raises:
        ValueError: If a text names no agent or no pool.
    """
    line_ups = [pool_line_up(pool, players, edition) for pool in pools]
    names = {name_of(agent) for agent in agents}
    members = dict.fromkeys(member for line_up in line_ups for member in line_up.rivals)
    left_out = tuple(name for line_up in line_ups for name in line_up.left_out)
    return [*agents, *(member for member in members if member not in names)], left_out


def _agents(text: str, argument: str) -> tuple[str, ...]:
    try:
        names = tuple(name_of(part) for part in split_agents(text))
    except ValueError as error:
        raise ValueError(f"against {argument!r}: {error}") from None
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"against {argument!r}: {twice} is given twice; the opponents at a table are distinct")
    return names
