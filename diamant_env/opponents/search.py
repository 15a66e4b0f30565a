"""One-step search by roll-outs: policy improvement over a base agent at decision time.

After Tesauro and Galperin: On-line policy improvement using Monte-Carlo search (NIPS 1996). The public state is rebuilt
from the observation, so the chests must be open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, answer_of
from diamant_env.batch import Batch
from diamant_env.editions import EDITIONS, VARIATIONS, Edition, find_edition
from diamant_env.engine.records import from_observation
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.seated_agents import SeatedAgents
from diamant_env.opponents.values import Values
from diamant_env.state import CONTINUE, LEAVE

Objective = Literal["win", "score", "margin"]
PREFIX = "search:"
_OPTION = re.compile(r"(?P<rollouts>\d+)|(?P<seconds>\d+(\.\d+)?)s|(?P<objective>win|score|margin)")
_BATCH = 32  # roll-outs of each action between two checks of the time and the stopping rule
_SETTLED = 3.0  # standard errors of the difference at which roll-outs of a row stop
_GAMES = 256  # games per batch
_MANY_GAMES = 1024  # games per batch with truncated roll-outs
_UNLIKELY = 0.01  # probability of a network's less likely action below which its decision is not searched
_NO_LIMIT = 1_000_000
# Editions to which the shipped value networks were fitted.
_FITTED = (
    *("iello-2016", "iello-2016-fr", "iello-2016-fr-relics", "everdeck", "everdeck-relics", "schmidt-2005"),
    *("incan-gold", "incan-gold-2020", "incan-gold-bga", "incan-gold-bga-classic"),
)
_DAY = 86_400  # seconds


@dataclass(frozen=True)
class Budget:
    """Budget and objective of a search.

    Attributes:
        rollouts: Maximum number of games per action for each decision.
        seconds: Approximate time limit for each decision, or None; at least one batch of roll-outs is played.
        objective: ``"win"`` compares win shares, ``"score"`` gems, ``"margin"`` gems above the others' mean.

    Raises:
        ValueError: If a number is out of range, or the objective is unknown.
    """

    rollouts: int = 128
    seconds: float | None = None
    objective: Objective = "win"

    def __post_init__(self) -> None:
        if not 2 <= self.rollouts <= _NO_LIMIT:
            raise ValueError(f"rollouts={self.rollouts}; 2 to {_NO_LIMIT:,} are allowed")
        if self.seconds is not None and not 0 < self.seconds <= _DAY:
            raise ValueError(f"seconds={self.seconds}; more than 0 and at most {_DAY:,} are allowed")
        if self.objective not in get_args(Objective):
            raise ValueError(f"objective={self.objective!r}; {', '.join(get_args(Objective))} are allowed")

    def __str__(self) -> str:
        """Return the non-default options of the agent's spec."""
        usual = Budget.rollouts if self.seconds is None else _NO_LIMIT
        options = [] if self.rollouts == usual else [str(self.rollouts)]
        options += [] if self.seconds is None else [f"{np.format_float_positional(self.seconds, trim='-')}s"]
        options += [] if self.objective == Budget.objective else [self.objective]
        return "".join(f"{option}:" for option in options)


def parse_search_spec(spec: str) -> tuple[Budget, str]:
    """Return the budget and the base agent's spec of ``search:[ROLLOUTS:][SECONDSs:][win|score|margin:]AGENT``.

    With seconds and without roll-outs, time is the only limit.
    """
    options: dict[str, str] = {}
    rest = spec.removeprefix(PREFIX)
    while match := _OPTION.fullmatch(rest.partition(":")[0]):
        options.update({name: value for name, value in match.groupdict().items() if value})
        rest = rest.partition(":")[2]
    if not rest:
        raise ValueError(f"{spec!r} names no agent; write search:AGENT or search:ROLLOUTS:AGENT, such as search:256:ev")
    seconds = float(options["seconds"]) if "seconds" in options else None
    rollouts = int(options.get("rollouts", Budget.rollouts if seconds is None else _NO_LIMIT))
    try:
        budget = Budget(rollouts, seconds, options.get("objective", Budget.objective))  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(f"agent {spec!r}: {error}") from None
    return budget, rest


class SearchAgent:
    """Agent that deviates from a base agent where roll-outs of that agent favour the other action.

    A roll-out fixes the seat's current action; all other decisions are the base agent's. Both actions use common random
    numbers.

    Args:
        base: The policy of all seats in the roll-outs, a stateless agent.
        budget: Budget and objective.
        seed: Seed of the roll-outs.

    Attributes:
        rollouts: Games played so far, both actions together.
        values: The base agent's value networks (see `diamant_env.opponents.values`) if it has any and wins count, else
            None. With them, roll-outs in published editions are truncated at the end of the expedition: many times
            cheaper at the same precision.

    Raises:
        ValueError: If the base agent is not stateless.
    """

    def __init__(self, base: Agent, budget: Budget | None = None, seed: int = 0) -> None:
        if not getattr(base, "stateless", False):
            raise ValueError(f"search of {base}, which keeps a state; an agent with stateless = True is allowed")
        self.base = base
        self.budget = budget or Budget()
        truncates = self.budget.objective == "win" and isinstance(base, NetworkAgent)
        self.values: Values | None = base.values if truncates else None  # type: ignore[attr-defined]
        self._unlikely = _UNLIKELY if isinstance(base, NetworkAgent) else 0.0  # scripted agents are deterministic
        self.rollouts = 0
        self.seed(seed)

    def __str__(self) -> str:
        return f"{PREFIX}{self.budget}{self.base}"

    def seed(self, seed: int) -> None:
        """Reseed the roll-outs."""
        self._random = np.random.default_rng(seed)

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`.

        Raises:
            ValueError: If a row that must decide has hidden chests or no edition.
        """
        if (obs["hidden_chests"] * obs["must_decide"]).any():
            raise ValueError(f"{self} needs open chests, and this table hides them; seat another agent")
        leave = np.zeros(len(episode_start), np.float32)
        for edition, deciding in obs.by_edition():
            leave[deciding] = answer_of(self.base, Observations(obs.flat[deciding], edition), episode_start[deciding])
            rows = deciding[np.minimum(leave, 1 - leave)[deciding] >= self._unlikely]
            gain, error = self.compare(obs.flat[rows], edition)
            better = np.abs(gain) > error
            leave[rows[better]] = gain[better] > 0
        return leave

    def compare(
        self, flat: NDArray[np.float32], edition: str | Edition
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the advantage of LEAVE over CONTINUE and its standard error, float64 (rows,) each.

        Args:
            flat: float32 (rows, NUM_FEATURES), observations with open chests of seats that must decide.
            edition: The edition of the games.
        """
        stop = np.inf if self.budget.seconds is None else perf_counter() + self.budget.seconds * len(flat)
        totals, squares, played = np.zeros((3, len(flat)))
        open_rows = np.arange(len(flat))
        while len(open_rows):
            games = min(_BATCH, self.budget.rollouts - int(played[open_rows[0]]))
            earned = self.outcomes(flat[open_rows], edition, games).reshape(2, -1, games)
            gains = earned[LEAVE] - earned[CONTINUE]
            totals[open_rows] += gains.sum(axis=1)
            squares[open_rows] += (gains**2).sum(axis=1)
            played[open_rows] += games
            settled = np.abs(totals) > _SETTLED * _error(totals, squares, played) * played
            open_rows = open_rows[~settled[open_rows] & (played[open_rows] < self.budget.rollouts)]
            if perf_counter() > stop:
                break
        return totals / played, _error(totals, squares, played)

    def outcomes(self, flat: NDArray[np.float32], edition: str | Edition, pairs: int = 1) -> NDArray[np.float64]:
        """Return the outcomes of roll-outs of each action.

        Args:
            flat: See `compare`.
            edition: See `compare`.
            pairs: Number of roll-outs of each action for each row.

        Returns:
            float64 (2, rows * pairs) by action; the roll-outs of a row are contiguous, and a pair shares its random
            numbers.
        """
        self.rollouts += 2 * len(flat) * pairs
        keys = self._random.integers(0, 2**64, len(flat) * pairs, np.uint64)
        starts = from_observation(flat, np.zeros(len(flat), np.uint64), edition)
        sizes = np.unique(starts.num_players)
        opened = find_edition(edition).replace(hidden_chests=False)
        fitted = self.values is not None and self.values.networks.keys() >= set(sizes.tolist())
        truncate = fitted and _is_fitted(opened)
        most = (_MANY_GAMES if truncate else _GAMES) // 2
        earned = np.empty((2, len(keys)))
        for size in sizes:
            of_size = np.flatnonzero(np.repeat(starts.num_players == size, pairs))
            for chosen in np.split(of_size, range(most, len(of_size), most)):
                rows = np.tile(chosen // pairs, 2)
                games = starts[rows]
                games["key"] = np.tile(keys[chosen], 2)
                batch = Batch(len(games), int(size), opened, self.budget.objective)
                batch.set_states(games)
                earned[:, chosen] = self._roll_out(batch, rows, truncate).reshape(2, -1)
        return earned

    def _roll_out(self, batch: Batch, rows: NDArray[np.int64], truncate: bool) -> NDArray[np.float64]:
        """Return seat 0's outcomes of games, float64 (N,), after CONTINUE in the first half and LEAVE in the second.

        `rows`, int64 (N,), are the rows of which the games are copies.
        """
        seated = SeatedAgents(batch, [self.base], np.zeros((batch.num_games, batch.max_players), np.int64))
        observations = batch.observe()
        if truncate:  # a network: equal first observations are evaluated once
            _, unique, inverse = np.unique(rows, return_index=True, return_inverse=True)
            obs = Observations(observations[unique].reshape(-1, NUM_FEATURES))
            leave = self.base.act(obs, np.zeros(len(obs.flat), bool)).reshape(-1, batch.max_players)[inverse]
        else:
            leave = seated.leave_probabilities(observations)
        leave[:, 0] = np.repeat([False, True], len(rows) // 2)
        return self._play_expedition(seated, leave) if truncate else seated.play_out(leave)[:, 0]

    def _play_expedition(self, seated: SeatedAgents, leave: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return seat 0's values after the expedition, float64 (N,): final rewards or the value network's outputs.

        `leave`, float32 (N, seats), are the probabilities of LEAVE in the first turn.
        """
        batch, earned = seated.batch, np.zeros(seated.batch.num_games)
        expedition, playing = batch.public_states["expedition"].copy(), ~batch.over
        for turn in seated.turns(leave, playing):
            earned += turn.rewards[:, 0]
            playing &= ~turn.done & (batch.public_states["expedition"] == expedition)
        goes_on = ~batch.over
        if goes_on.any():
            earned[goes_on] = self.values.shares(batch.observe()[goes_on, 0])[:, 0]  # type: ignore[union-attr]
        return earned


def _rules_of(edition: Edition) -> tuple:
    """Return the rules on which the values of later expeditions depend."""
    others = ("name", "source", *VARIATIONS)
    return tuple(getattr(edition, field.name) for field in fields(edition) if field.name not in others)


def _is_fitted(edition: Edition) -> bool:
    """Return whether value networks were fitted to these rules."""
    rules, fitted = _rules_of(edition), [EDITIONS[name] for name in _FITTED]
    return any(rules == _rules_of(one) and edition.expeditions <= one.expeditions for one in fitted)


def _error(totals: NDArray, squares: NDArray, played: NDArray) -> NDArray[np.float64]:
    """Return the standard error of each mean."""
    variance = np.maximum(squares - totals**2 / played, 0) / (played - 1)
    return np.sqrt(variance / played)
