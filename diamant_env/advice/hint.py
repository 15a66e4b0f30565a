"""Hints: the champion's decision and both actions' win shares by roll-outs; exact values where the game is solved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.engine.records import rebuilt
from diamant_env.exact.single_player import payout_of, solve_single_player
from diamant_env.exact.two_player_win import is_shipped
from diamant_env.observation import Observations
from diamant_env.opponents.registry import make_agent
from diamant_env.opponents.search import SearchAgent
from diamant_env.opponents.solved import two_player_win
from diamant_env.state import CONTINUE, GAME, LEAVE, REVEAL, GameState

SECONDS = 0.3
_BATCH, _MOST = 64, 1024  # roll-outs per action: in one batch, and at most
SIGMAS = 1.96  # standard errors of a 95 % interval
_ROUNDING = 1e-9  # win share; the actions that minimax play mixes have equal values


@dataclass(frozen=True)
class Outlook:
    """Win share of each action: by roll-outs of the champion with 95 % intervals, or exact at minimax play."""

    shares: tuple[float, float]  # of CONTINUE and of LEAVE
    errors: tuple[float, float]  # half-widths of their intervals
    difference: float  # win share of LEAVE less that of CONTINUE, on common random numbers
    error: float  # half-width of its interval
    games: int  # roll-outs of each action; 0: exact

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the difference."""
        return (self.difference - self.error, self.difference + self.error)


class Choice(NamedTuple):
    """Value of one action, in words and as a bar with a 95 % interval."""

    words: str
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Hint:
    """Advice to a player who must decide."""

    leave: float  # probability of LEAVE of the champion, or of the optimal or minimax policy of an exact hint
    outlook: Outlook | None
    why_not: str | None  # reason why `outlook` is None
    gems: tuple[float, float] | None = None  # exact gems of CONTINUE and of LEAVE, for a single player only

    @property
    def exact(self) -> bool:
        """Whether the values are exact win shares of two players."""
        return self.outlook is not None and self.outlook.games == 0

    @property
    def adviser(self) -> str:
        """The policy that decides with probability `leave`."""
        return "The optimal policy" if self.gems is not None else "Perfect play" if self.exact else "The champion"

    @property
    def says(self) -> str:
        """The advised decision as a sentence."""
        action, chance = ("leave", self.leave) if self.leave >= 0.5 else ("continue", 1 - self.leave)
        return f"{self.adviser} would {action}{'' if self.gems is not None else f' ({chance:.0%})'}."

    @property
    def heading(self) -> str:
        """Meaning of the values in `choices`."""
        return "Games won by each choice" if self.gems is None else "Gems of this expedition by each choice"

    @property
    def choices(self) -> list[Choice]:
        """Values of CONTINUE and of LEAVE; [] without roll-outs."""
        if self.gems is not None:
            most = max(*self.gems, 1.0)
            return [Choice(f"{gems:.2f}", *[gems / most] * 3) for gems in self.gems]
        if self.outlook is None:
            return []
        estimates = zip(self.outlook.shares, self.outlook.errors, strict=True)
        return [
            Choice(f"{share:.1%}" if self.exact else _percent(share, error), share, share - error, share + error)
            for share, error in estimates
        ]

    @property
    def basis(self) -> str:
        """Result of the roll-outs or the solution, or the reason for their absence."""
        if self.gems is not None:
            return "Exact averages, if you play on optimally in this expedition."
        if self.outlook is None:
            return str(self.why_not)
        low, high = self.outlook.interval
        equal = "both choices are equally good" if self.exact else "too close to tell"
        better = "leaving is better" if low > 0 else "continuing is better" if high < 0 else equal
        if self.exact:
            return f"Exact, if both players play perfectly from then on: {better}."
        return f"{self.outlook.games} games with each choice, played on by the champion: {better}"


def hint(game: GameState, edition: Edition, seat: int, seconds: float = SECONDS) -> Hint:
    """Return a hint for a seat that must decide, from its observation only.

    `seconds` limits the search approximately; at least one batch of roll-outs is played.
    """
    if game.num_players == 1:
        gems = single_player_gems(game, edition)
        return Hint(float(gems[LEAVE] >= gems[CONTINUE]), None, None, gems)
    if game.num_players == 2 and is_shipped(edition):
        return Hint(*minimax_outlook(game, edition, seat), None)
    start = perf_counter()
    flat = observations_of(seat, [game], edition)
    leave = float(champion().act(Observations(flat), np.zeros(1, bool))[0])
    if edition.hidden_chests:
        return Hint(leave, None, "The chests are hidden, so the game can't be simulated.")
    agent = SearchAgent(champion())
    earned = np.zeros((2, 0))
    while earned.shape[1] < _MOST:
        before = perf_counter()
        earned = np.concatenate([earned, agent.outcomes(flat, edition, _BATCH)], axis=1)
        now = perf_counter()
        if now + (now - before) > start + seconds:
            break
    return Hint(leave, outlook(earned), None)


def single_player_gems(game: GameState, edition: Edition) -> tuple[float, float]:
    """Return the expected gems of CONTINUE and of LEAVE in this expedition, exact, for a single player."""
    after = game.copy()
    after["phase"] = REVEAL  # CONTINUE leads here
    return solve_single_player(edition, after).value, float(payout_of(game))


def minimax_outlook(game: GameState, edition: Edition, seat: int) -> tuple[float, Outlook]:
    """Return the minimax probability of LEAVE of one of two players, and the exact win share of each action."""
    state = rebuilt(observations_of(seat, [game], edition), np.zeros(1, np.uint64))[0]
    stay, leave, chance = two_player_win(edition).action_values(state).tolist()
    return chance, Outlook((stay, leave), (0, 0), leave - stay, _ROUNDING, 0)


def _percent(share: float, error: float) -> str:
    """Return a share as text, with the half-width of its interval unless that rounds to zero."""
    digits = 0 if error == 0 or error >= 0.005 else 1
    interval = f" ± {error:.{digits}%}" if error >= 0.0005 else ""
    return f"{share:.{digits}%}{interval}"


def outlook(earned: NDArray[np.float64]) -> Outlook:
    """Return means and intervals of roll-out outcomes by action, float64 (2, games)."""
    stay, go, difference = *earned, earned[LEAVE] - earned[CONTINUE]
    errors = [SIGMAS * float(sample.std(ddof=1)) / len(sample) ** 0.5 for sample in (stay, go, difference)]
    shares = float(stay.mean()), float(go.mean())
    return Outlook(shares, (errors[0], errors[1]), float(difference.mean()), errors[2], len(stay))


def observations_of(seat: int, games: list[GameState], edition: Edition) -> NDArray[np.float32]:
    """Return a seat's observations in states of a game, float32 (states, NUM_FEATURES)."""
    batch = Batch(len(games), int(games[0].num_players), edition)
    batch.set_states(np.array(games, GAME))
    return np.ascontiguousarray(batch.observe()[:, seat])


@cache
def champion() -> Agent:
    """Return the champion; it is stateless, so all callers share one object."""
    return make_agent("champion")
