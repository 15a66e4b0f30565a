"""Inputs of networks: raw observations, or features invariant to the order of rivals.

Policy files refer to a transformation by name, so a published one never changes; a new one gets a new name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.compilation import jit
from diamant_env.editions import MAX_PLAYERS, MAX_TRAPS
from diamant_env.observation import FIELDS, NUM_FEATURES, SLICES, Observations, columns, observation_space

_RIVALS = MAX_PLAYERS - 1
_SCALE = {field.name: field.scale for field in FIELDS}
_CHEST, _RELICS, _LEAD = (SLICES[name].start for name in ("chest", "relics", "lead"))
_INSIDE, _RIVAL_CHEST, _RIVAL_RELICS, _LEFT_TURN, _PRESENT = (
    SLICES[f"rival_{name}"].start for name in ("inside", "chest", "relics", "left_turn", "present")
)
_STEP = SLICES["rival_chest"].step
_OWN_TURN, _TRAPS_LEFT, _ON_PATH = SLICES["left_turn"].start, SLICES["traps_left"], SLICES["traps_on_path"]
_TRAP_CARDS = _SCALE["traps_left"]
_NUM_INSIDE, _EXPEDITIONS_LEFT, _BAG, _PATH, _PATH_RELICS, _HIDDEN = (
    SLICES[name].start
    for name in ("num_inside", "expeditions_left", "bag", "path_gems", "path_relic_value", "hidden_chests")
)
_GEMS = _SCALE["chest"]
_BAG_GEMS = _SCALE["bag"]  # also the scale of the path
_PER_INSIDE = _SCALE["num_inside"]
if not _BAG_GEMS == _SCALE["path_gems"] == _SCALE["path_relic_value"]:
    raise AssertionError("bag, path and relics on the path must have one scale")

_SORTED = 4  # features of each rival: inside, chest, relics, left_turn
_FIRST_RIVAL = 3  # after the own chest, relics and lead
_FIRST_PUBLIC = _FIRST_RIVAL + _SORTED * _RIVALS
PUBLIC_COLUMNS = columns(
    *("num_players", "num_inside", "expedition", "expeditions_left", "turn", "bag", "path_gems", "path_relics"),
    *("path_relic_value", "relics_taken", "hidden_chests", "bust_chance", "expected_share"),
    *("treasures_left", "traps_left", "relics_left", "traps_on_path"),
)
"""Columns of the public features of "canonical-1", int (50,)."""
_FIRST_DIFFERENCE = _FIRST_PUBLIC + len(PUBLIC_COLUMNS)
_FIRST_LEAD = _FIRST_DIFFERENCE + _RIVALS
_LEADS = 10
_FINE = 4  # leads with a finer scale in the last expedition
_FIRST_RANK = _FIRST_LEAD + 2 * _LEADS + _FINE
_RANKS = 4
_FIRST_SHARE = _FIRST_RANK + _RANKS
_WIDTH = _FIRST_SHARE + 2
_FAR, _NEAR = 12.0, 3.0  # gems at which leads are clipped

RAW = "raw-1"
"""The untransformed observation, the default of policy files."""
CANONICAL = "canonical-1"
EXACT_VIEW = "exact-1"
"""The inputs `CANONICAL` of an `exact_view`."""


@dataclass(frozen=True)
class Inputs:
    """A transformation of observations into features."""

    name: str  # in policy files
    width: int  # number of features
    largest: NDArray[np.float64]  # (width,), the largest absolute value of each feature
    write: Callable[[NDArray[np.float32], NDArray[np.float32]], None] | None = None  # observations, features

    @property
    def space(self) -> Box:
        """Bounds of all features, float32 (width,)."""
        return Box(-self.largest.astype(np.float32), self.largest.astype(np.float32))

    def __call__(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return float32 (rows, width) for float32 (rows, NUM_FEATURES), observations of seats that must decide."""
        if flat.ndim != 2 or flat.shape[1] != NUM_FEATURES:
            raise ValueError(f"observations of shape {flat.shape}; expected (rows, {NUM_FEATURES})")
        if self.write is None:
            return flat
        features = np.zeros((len(flat), self.width), np.float32)
        self.write(np.ascontiguousarray(flat, np.float32), features)
        return features


@jit(cached=True)
def canonical(rows, features):
    """Write the "canonical-1" features of rows, float32 (rows, NUM_FEATURES), into zeros, float32 (rows, 118).

    In order: own chest, relics and lead; inside, chest, relics and left_turn of each rival, sorted by inside and chest;
    the public features; own chest less each rival's; ten leads (own chest, now or after leaving, less the best
    rival's), clipped; in the last expedition (else 0) the same, and the first `_FINE` with a closer clip; four ranks;
    the share of the path for two leavers and if all leave. Comparisons of chests are 0 for hidden chests.
    """
    order = np.zeros(_RIVALS, np.int64)
    leads = np.zeros(_LEADS)
    for i in range(len(rows)):
        row, out = rows[i], features[i]
        _sort_rivals(row, order)
        out[0], out[1], out[2] = row[_CHEST], row[_RELICS], row[_LEAD]
        for place in range(_RIVALS):
            rival, at = order[place] * _STEP, _FIRST_RIVAL + place * _SORTED
            out[at], out[at + 1] = row[_INSIDE + rival], row[_RIVAL_CHEST + rival]
            out[at + 2], out[at + 3] = row[_RIVAL_RELICS + rival], row[_LEFT_TURN + rival]
        for k in range(len(PUBLIC_COLUMNS)):
            out[_FIRST_PUBLIC + k] = row[PUBLIC_COLUMNS[k]]
        path = row[_PATH] * _BAG_GEMS
        out[_FIRST_SHARE] = (path // 2) / _BAG_GEMS
        out[_FIRST_SHARE + 1] = (path // max(row[_NUM_INSIDE] * _PER_INSIDE, 1)) / _BAG_GEMS
        if row[_HIDDEN] == 0:
            _compare_chests(row, order, leads, out)


def exact_view(flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return observations, float32 (rows, NUM_FEATURES), equal in states which exact solutions of two players merge.

    The lead is the chest of the player ahead, and the other's is 0; turns of leaving are 0; kinds of trap are sorted by
    their copies in the deck of this expedition, those on the path first. Also for more players if rivals are hidden.
    """
    shown = np.array(flat, np.float32, order="C")
    _merge(shown)
    return shown


@jit(cached=True)
def _merge(rows):
    for row in rows:
        lead = row[_CHEST] - row[_RIVAL_CHEST]
        row[_CHEST], row[_RIVAL_CHEST] = max(lead, 0), max(-lead, 0)
        row[_OWN_TURN] = row[_LEFT_TURN] = 0
        left, on_path = row[_TRAPS_LEFT], row[_ON_PATH]
        for trap in range(1, MAX_TRAPS):
            cards, drawn, place = left[trap], on_path[trap], trap
            key = cards * _TRAP_CARDS + drawn, drawn
            while place > 0 and (left[place - 1] * _TRAP_CARDS + on_path[place - 1], on_path[place - 1]) < key:
                left[place], on_path[place] = left[place - 1], on_path[place - 1]
                place -= 1
            left[place], on_path[place] = cards, drawn


def _exact(rows: NDArray[np.float32], features: NDArray[np.float32]) -> None:
    canonical(exact_view(rows), features)


@jit
def _sort_rivals(row, order):
    """Write the rivals' indices into `order`, sorted by present, inside, chest, left_turn and relics, descending."""
    for rival in range(_RIVALS):
        key = _key(row, rival)
        place = rival
        while place > 0 and _key(row, order[place - 1]) < key:
            order[place] = order[place - 1]
            place -= 1
        order[place] = rival


@jit
def _key(row, rival):
    at = rival * _STEP
    seat = np.float64(2) * row[_PRESENT + at] + row[_INSIDE + at]  # float32 would lose relics, if not compiled
    chest, relics = row[_RIVAL_CHEST + at] * _GEMS, row[_RIVAL_RELICS + at]
    return ((seat * 65536.0 + chest) * 64.0 + row[_LEFT_TURN + at]) * 64.0 + relics


@jit
def _compare_chests(row, order, leads, out):
    """Write differences, leads and ranks of a row with open chests."""
    own_chest, bag, path = row[_CHEST] * _GEMS, row[_BAG] * _BAG_GEMS, row[_PATH] * _BAG_GEMS
    alone = own_chest + bag + path + row[_PATH_RELICS] * _BAG_GEMS
    share = path // max(row[_NUM_INSIDE] * _PER_INSIDE, 1)
    together = own_chest + bag + share
    best_inside = best_outside = -np.inf
    for place in range(_RIVALS):
        at = order[place] * _STEP
        if row[_PRESENT + at] == 0:
            break
        chest, inside = row[_RIVAL_CHEST + at] * _GEMS, row[_INSIDE + at] > 0
        out[_FIRST_DIFFERENCE + place] = (own_chest - chest) / _GEMS
        best_inside = max(best_inside, chest) if inside else best_inside
        best_outside = best_outside if inside else max(best_outside, chest)
        later = chest + bag + share if inside else chest
        out[_FIRST_RANK] += 0.25 * (chest > alone)
        out[_FIRST_RANK + 1] += 0.25 * (chest == alone)
        out[_FIRST_RANK + 2] += 0.25 * (later > together)
        out[_FIRST_RANK + 3] += 0.25 * (later == together)
    best = max(best_inside, best_outside)
    leads[0], leads[1] = alone - best_outside, together - best_outside
    leads[2], leads[3] = own_chest - best_inside, 2 * own_chest - best_inside - alone
    leads[4], leads[5], leads[6] = alone - best, together - best, alone - best_inside
    leads[7], leads[8] = together - best_inside, own_chest - best_outside
    leads[9] = together - (best_inside + bag)
    last = row[_EXPEDITIONS_LEFT] == 0
    for k in range(_LEADS):
        far = min(max(leads[k], -_FAR), _FAR) / 8
        out[_FIRST_LEAD + k] = far
        if last:
            out[_FIRST_LEAD + _LEADS + k] = far
            if k < _FINE:
                out[_FIRST_LEAD + 2 * _LEADS + k] = min(max(leads[k], -_NEAR), _NEAR) / 2


def _largest() -> NDArray[np.float64]:
    space = observation_space()
    return np.maximum(np.abs(space.low), np.abs(space.high)).astype(np.float64)


class ExactView:
    """Agent whose observations are those of `exact_view`."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def __str__(self) -> str:
        return str(self.agent)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the agent's probabilities of LEAVE for `exact_view` of the observations, float32 (rows,)."""
        return self.agent.act(Observations(exact_view(obs.flat), obs.edition), episode_start)


INPUTS = {
    inputs.name: inputs
    for inputs in (
        Inputs(RAW, NUM_FEATURES, _largest()),
        Inputs(CANONICAL, _WIDTH, np.full(_WIDTH, _largest().max()), canonical),
        Inputs(EXACT_VIEW, _WIDTH, np.full(_WIDTH, _largest().max()), _exact),
    )
}
