"""Reviews: the cost of each decision and the win probabilities over the game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diamant_env.advice.hint import Outlook, champion, minimax_outlook, observations_of, outlook, single_player_gems
from diamant_env.batch import Batch
from diamant_env.drawing.narration import counted
from diamant_env.editions import Edition
from diamant_env.engine.edition_params import edition_params
from diamant_env.engine.records import check_game
from diamant_env.exact.two_player_win import is_shipped
from diamant_env.opponents.search import SearchAgent
from diamant_env.opponents.seated_agents import SeatedAgents
from diamant_env.rules import win_share
from diamant_env.state import CONTINUE, GAME, LEAVE, GameState

_FIRST_LOOK, _CLOSE_LOOK = 128, 1024  # roll-outs per action in the first and second pass
_CLOSELY = 6  # costliest decisions, for the second pass
_PLAYED_ON = 6_000  # total roll-outs for the win probabilities of all states
_LEAST = 0.0005  # win share; a mistake's words show tenths of a percent
_SEED = 1


@dataclass(frozen=True)
class Decision:
    """A decision and its cost."""

    turn: int  # of the game, from 0
    chose: int  # CONTINUE or LEAVE
    cost: float  # loss in win share, or in gems for a single player; 0 for the better action
    interval: tuple[float, float]  # 95 % interval of the other action's advantage
    words: str
    loss: str  # `cost` in words

    @property
    def mistake(self) -> bool:
        """Whether the other action is significantly better, by an amount that `words` shows."""
        return self.interval[0] >= _LEAST


@dataclass(frozen=True)
class Review:
    """Review of a game for one of its players."""

    decisions: list[Decision]  # mistakes first, each part by decreasing cost
    chances: list[list[float]]  # win share of each seat in each state, the result last; [] for a single player
    labels: list[str]  # of the states: "2.5" is the second expedition's fifth card
    summary: list[str]


def review(games: list[GameState], edition: Edition, seat: int) -> Review:
    """Return the review of a game from its states, at the start and after each turn.

    Roll-outs of the champion estimate win shares, deterministically and within a few seconds. The review is exact for a
    single player, in gems of each expedition, and for two players in an edition whose solution is shipped.
    """
    labels = [f"{game.expedition}.{game.turn}" for game in games[:-1]] + ["end"]
    if games[0].num_players == 1:
        alone = _ranked([_decision_alone(games, turn, edition) for turn, game in enumerate(games) if game.inside[0]])
        lost = sum(decision.cost for decision in alone)
        total = f"Your decisions cost {lost:.2f} gems on average, against optimal play in each expedition."
        return Review(alone, [], labels, [_summary(alone), total])
    if games[0].num_players == 2 and is_shipped(edition):
        chances, decisions = _minimax(games, edition, seat)
    else:
        opened = edition.replace(hidden_chests=False)
        chances, decisions = _chances(games, opened), _decisions(games, opened, seat)
    chances = np.concatenate([chances, [_result(games[-1], edition)]])
    summary = _summary(decisions)
    if edition.hidden_chests:
        summary = f"Judged with all chests open: {summary[0].lower()}{summary[1:]}"
    return Review(decisions, chances.tolist(), labels, [summary, _turning_point(chances[:, seat], labels)])


def _decisions(games: list[GameState], edition: Edition, seat: int) -> list[Decision]:
    turns = [turn for turn, game in enumerate(games) if game.inside[seat]]
    flat = observations_of(seat, [games[turn] for turn in turns], edition)
    agent = SearchAgent(champion(), seed=_SEED)
    first_look = zip(turns, _search(agent, flat, edition, _FIRST_LOOK), strict=True)
    decisions = [_decision(games, turn, seat, estimate) for turn, estimate in first_look]
    costliest = sorted(range(len(decisions)), key=lambda place: -decisions[place].cost)[:_CLOSELY]
    # Fresh roll-outs for the costliest decisions avoid selection bias.
    for place, estimate in zip(costliest, _search(agent, flat[costliest], edition, _CLOSE_LOOK), strict=True):
        decisions[place] = _decision(games, turns[place], seat, estimate)
    return _ranked(decisions)


def _minimax(games: list[GameState], edition: Edition, seat: int) -> tuple[NDArray[np.float64], list[Decision]]:
    """Return the exact win shares of two players in each state, float64 (states, 2), and the decisions of a seat."""
    chances, decisions = np.zeros((len(games) - 1, 2)), []
    for turn, game in enumerate(games[:-1]):
        asked = seat if game.inside[seat] else 1 - seat
        leave, values = minimax_outlook(game, edition, asked)
        chances[turn, asked] = values.shares[CONTINUE] + leave * values.difference
        chances[turn, 1 - asked] = 1 - chances[turn, asked]
        if asked == seat:
            decisions.append(_decision(games, turn, seat, values))
    return chances, _ranked(decisions)


def _ranked(decisions: list[Decision]) -> list[Decision]:
    return sorted(decisions, key=lambda decision: (not decision.mistake, -decision.cost))


def _search(agent: SearchAgent, flat: NDArray[np.float32], edition: Edition, games: int) -> list[Outlook]:
    earned = agent.outcomes(flat, edition, games)
    return [outlook(sample) for sample in earned.reshape(2, -1, games).swapaxes(0, 1)]


def _decision(games: list[GameState], turn: int, seat: int, estimate: Outlook) -> Decision:
    chose = int(games[turn + 1].decision[seat])
    gain = estimate.difference * (-1 if chose == LEAVE else 1)  # of the other action; `difference` is LEAVE's
    low, high = gain - estimate.error, gain + estimate.error
    interval = f" ({100 * low:.1f} to {100 * high:.1f})" if estimate.games else ""
    more = f"wins {100 * gain:.1f} more of 100 games{interval}"
    words = _in_words(games[turn], chose, more if low >= _LEAST else "is not clearly better")
    return Decision(turn, chose, max(0.0, gain), (low, high), words, f"−{gain:.1%}")


def _decision_alone(games: list[GameState], turn: int, edition: Edition) -> Decision:
    """Return the decision of a single player, by the exact values in gems."""
    chose, gems = int(games[turn + 1].decision[0]), single_player_gems(games[turn], edition)
    gain = round(gems[1 - chose] - gems[chose], 2)
    more = f"brings {gain:.2f} more gems on average" if gain > 0 else "is not better"
    return Decision(turn, chose, max(0.0, gain), (gain, gain), _in_words(games[turn], chose, more), f"−{gain:.2f}")


def _in_words(game: GameState, chose: int, more: str) -> str:
    did, instead = ("left", "continuing") if chose == LEAVE else ("continued", "leaving")
    bag = counted(int(game.bag), "gem")
    return f"Expedition {game.expedition}, card {game.turn}: you {did} with {bag} in the bag; {instead} {more}."


def _summary(decisions: list[Decision]) -> str:
    mistakes = [decision for decision in decisions if decision.mistake]
    all_of_them = counted(len(decisions), "decision")
    if not mistakes:
        return f"You made {all_of_them}, and in none was the other choice clearly better."
    early = sum(decision.chose == LEAVE for decision in mistakes)
    late = len(mistakes) - early
    kinds = [f"left too early {_times(early)}"] * (early > 0) + [f"stayed too long {_times(late)}"] * (late > 0)
    return f"In your {all_of_them} you {' and '.join(kinds)}."


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _turning_point(chances: NDArray[np.float64], labels: list[str]) -> str:
    """Return a sentence on the largest change of a seat's chances."""
    change = np.diff(chances)
    turn = int(np.abs(change).argmax())
    expedition, card = labels[turn].split(".")
    way = "fell" if change[turn] < 0 else "rose"
    before, after = chances[turn : turn + 2]
    where = f"after card {card} of expedition {expedition}"
    return f"Your chance to win {way} most {where}: from {before:.0%} to {after:.0%}."


def _chances(games: list[GameState], edition: Edition) -> NDArray[np.float64]:
    """Return the win shares in each state before the end by roll-outs of the champion, float64 (states, seats)."""
    players, states = int(games[0].num_players), len(games) - 1
    number = max(1, _PLAYED_ON // states)
    batch = Batch(states * number, players, edition, "win")
    records = np.repeat(np.array(games[:-1], GAME), number)
    # Common random numbers for all states reduce the variance of differences.
    records["key"] = np.tile(np.random.default_rng(_SEED).integers(0, 2**64, number, np.uint64), states)
    batch.set_states(records)
    earned = SeatedAgents(batch, [champion()], np.zeros((batch.num_games, batch.max_players), int)).play_out()
    return earned.reshape(states, number, players).mean(axis=1)


def _result(game: GameState, edition: Edition) -> list[float]:
    """Return the win share of each seat in a finished game."""
    check_game(game, edition)
    return [win_share(game, edition_params(edition), seat) for seat in range(game.num_players)]
