"""Hints: the champion's decision and win shares of both actions by roll-outs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent
from diamant_env.batch import Batch
from diamant_env.editions import Edition
from diamant_env.observation import Observations
from diamant_env.opponents.registry import make
from diamant_env.opponents.search import SearchAgent
from diamant_env.state import CONTINUE, GAME, LEAVE, GameState

SECONDS = 0.3
_BATCH, _MOST = 64, 1024  # roll-outs per action: in one batch, and at most
SIGMAS = 1.96  # standard errors of a 95 % interval


@dataclass(frozen=True)
class Outlook:
    """Win share of each action, estimated by roll-outs with the champion in every seat.

    Attributes:
        shares: Win share of CONTINUE and of LEAVE.
        errors: Half-widths of their 95 % intervals.
        difference: Win share of LEAVE less that of CONTINUE, on common random numbers.
        error: Half-width of its 95 % interval.
        games: Number of roll-outs of each action.
    """

    shares: tuple[float, float]
    errors: tuple[float, float]
    difference: float
    error: float
    games: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the difference."""
        return (self.difference - self.error, self.difference + self.error)


@dataclass(frozen=True)
class Hint:
    """Result of `hint`.

    Attributes:
        leave: The champion's probability of LEAVE.
        outlook: Win shares of both actions, or None.
        why_not: Reason why `outlook` is None, else None.
    """

    leave: float
    outlook: Outlook | None
    why_not: str | None

    @property
    def says(self) -> str:
        """Decision of the champion as a sentence."""
        what, chance = ("leave", self.leave) if self.leave >= 0.5 else ("continue", 1 - self.leave)
        return f"The champion would {what} ({chance:.0%})."

    @property
    def basis(self) -> str:
        """Result of the roll-outs, or the reason for their absence."""
        if self.outlook is None:
            return str(self.why_not)
        low, high = self.outlook.interval
        better = "leaving is better" if low > 0 else "continuing is better" if high < 0 else "too close to tell"
        return f"{self.outlook.games} games with each choice, played on by the champion: {better}"

    def lines(self) -> list[str]:
        """Return the hint as lines of text."""
        lines = [f"  {self.says}"]
        if self.outlook is None:
            return [*lines, f"  {self.basis}"]
        for choice, words in ((CONTINUE, "if you continue now"), (LEAVE, "if you leave now")):
            share, error = self.outlook.shares[choice], self.outlook.errors[choice]
            lines.append(f"  {words:<20} you win {share:.0%} ± {error:.0%} of the games")
        return [*lines, f"  ({self.basis})"]


def hint(game: GameState, edition: Edition, seat: int, seconds: float = SECONDS) -> Hint:
    """Return a hint for a seat that must decide.

    Args:
        game: State of the game.
        edition: The edition.
        seat: The seat; only its observation is used.
        seconds: Approximate time limit of the search; at least one batch of roll-outs is played.
    """
    start = perf_counter()
    flat = observations_of(seat, [game], edition)
    leave = float(champion().act(Observations(flat), np.zeros(1, bool))[0])
    why_not = why_no_search(edition, int(game.num_players))
    if why_not:
        return Hint(leave, None, why_not)
    agent = SearchAgent(champion())
    earned = np.zeros((2, 0))
    while earned.shape[1] < _MOST:
        before = perf_counter()
        earned = np.concatenate([earned, agent.outcomes(flat, edition, _BATCH)], axis=1)
        now = perf_counter()
        if now + (now - before) > start + seconds:
            break
    return Hint(leave, outlook(earned), None)


def outlook(earned: NDArray[np.float64]) -> Outlook:
    """Return means and intervals of roll-out outcomes, float64 (2, games), by action."""
    stay, go, difference = *earned, earned[LEAVE] - earned[CONTINUE]
    errors = [SIGMAS * float(each.std(ddof=1)) / len(each) ** 0.5 for each in (stay, go, difference)]
    shares = float(stay.mean()), float(go.mean())
    return Outlook(shares, (errors[0], errors[1]), float(difference.mean()), errors[2], len(stay))


def why_no_search(edition: Edition, players: int) -> str | None:
    """Return the reason why roll-outs are impossible, or None."""
    if players == 1:
        return "You play alone, so you win whatever you do."
    if edition.hidden_chests:
        return "The chests are hidden, so the game can't be simulated."
    return None


def observations_of(seat: int, games: list[GameState], edition: Edition) -> NDArray[np.float32]:
    """Return a seat's observations in states of a game, float32 (states, NUM_FEATURES)."""
    batch = Batch(len(games), int(games[0].num_players), edition)
    batch.set_states(np.array(games, GAME))
    return np.ascontiguousarray(batch.observe()[:, seat])


@cache
def champion() -> Agent:
    """Return the champion, which is stateless and shared."""
    return make("champion")
