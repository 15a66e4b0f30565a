"""Exact odds of the next card and payoffs of leaving now."""

from __future__ import annotations

from typing import NamedTuple

from diamant_env.drawing.narration import counted
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, Edition
from diamant_env.engine.edition_params import edition_params
from diamant_env.engine.observation_writer import expected_share
from diamant_env.rules import resolve_decisions
from diamant_env.state import CONTINUE, LEAVE, GameState


class Chance(NamedTuple):
    """Chance of one kind of card."""

    what: str
    chance: float
    part: bool = False  # of the row above


class Odds:
    """Odds of the next card and payoffs of leaving now for a seat that must decide."""

    def __init__(self, game: GameState, edition: Edition, seat: int) -> None:
        self.share = float(expected_share(game, edition_params(edition)))  # gems of the next card for each if all stay
        self.next = _next_card(game, edition)
        self.leaving = _leaving(game, edition, seat)
        who = "if all stay" if game.num_inside > 1 else "alone"
        cost = self.next[0].chance * int(game.bag)
        self.on_average = f"On average it brings you {self.share:.2f} gems {who}; a bust costs {cost:.2f} on average."


def _next_card(game: GameState, edition: Edition) -> list[Chance]:
    deck, size = game.deck.tolist(), int(game.deck_size)
    traps = range(FIRST_TRAP, FIRST_TRAP + len(edition.traps))
    fatal = [card for card in traps if game.on_path[card - FIRST_TRAP]]
    bust = sum(deck[card] for card in fatal)
    rows = [Chance("a bust", bust / size)]
    rows += [Chance(f"by {edition.card_name(card)}", deck[card] / size, part=True) for card in fatal]
    rows.append(Chance("a new trap", (sum(deck[card] for card in traps) - bust) / size))
    rows.append(Chance("a treasure", sum(deck[:FIRST_TRAP]) / size))
    if edition.relics:
        rows.append(Chance("a relic", sum(deck[FIRST_RELIC:]) / size))
    return rows


def _leaving(game: GameState, edition: Edition, seat: int) -> list[tuple[str, str]]:
    """Return (other leavers, gems) as text for each number of other leavers."""
    others = [other for other in range(game.num_players) if game.inside[other] and other != seat]
    lines = []
    for company in range(len(others) + 1):
        then = game.copy()
        then.decision[:] = CONTINUE
        then.decision[[seat, *others[:company]]] = LEAVE
        resolve_decisions(then, edition_params(edition))
        relics = int(then.relics[seat] - game.relics[seat])
        included = f", {counted(relics, 'relic')} included" if relics else ""
        leavers = f"with {counted(company, 'other')}" if company else "alone"
        lines.append((leavers, f"{counted(then.banked[seat], 'gem')}{included}"))
    return lines
