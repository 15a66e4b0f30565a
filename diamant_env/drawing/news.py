"""What has just happened at the table, in words. Only what the records hold is said; no rule is applied."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diamant_env.drawing.render import Scene, what_is_removed
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, NO_CARD, Edition
from diamant_env.rules import CONTINUE, LEAVE, NO_DECISION, OVER

_MOST_NAMES = 3


def has_ended(game: np.record, scene: Scene) -> bool:
    """Return whether the last turn ended an expedition."""
    return scene.before is not None and (game.phase == OVER or game.expedition != scene.before.expedition)


def what_was_decided(game: np.record, edition: Edition, scene: Scene) -> str:
    """Return the first line of news: the decisions and what they led to."""
    if scene.before is None:
        return f"A new game of {edition.name}: everyone enters the cave."
    start = f"Expedition {scene.before.expedition} ended: " if has_ended(game, scene) else ""
    if game.bust_card != NO_CARD:
        trap = edition.card_name(game.bust_card)
        return f"{start}a second {trap}! {_losers(game, scene)} {what_is_removed(edition, trap)}"
    return f"{start}everyone is back in camp. {_leavers(game, scene)}" if start else _leavers(game, scene)


def what_came_up(game: np.record, edition: Edition, scene: Scene, shares: Sequence[float]) -> str:
    """Return the second line of news: the new card, or who has won by these win shares."""
    if game.phase == OVER:
        return f"The game is over: {_winners(game, shares)}"
    fresh = has_ended(game, scene) or scene.before is None
    start = f"Expedition {game.expedition} begins. " if fresh else ""
    name = edition.card_name(game.last_card)
    if game.last_card < FIRST_TRAP:
        gain = game.bag - (0 if fresh else scene.before.bag)  # type: ignore[union-attr]
        left = f"{game.path_gems} on the path" if game.path_gems else "none left on the path"
        return f"{start}Treasure {name}: {_gems(gain)} into each bag, {left}."
    if game.last_card < FIRST_RELIC:
        return f"{start}Trap: {name}. A second one would end the expedition."
    return f"{start}A relic lies on the path: whoever leaves alone takes it."


def verdict(game: np.record, scene: Scene, seat: int) -> tuple[str, str]:
    """Return what a seat decided ("leave", "continue", "bust" or nothing) and this with what it brought or cost."""
    if game.decision[seat] == NO_DECISION or scene.before is None:
        return "", "-"
    if game.decision[seat] == LEAVE:
        return "leave", f"leave +{game.banked[seat]}"
    if game.bust_card != NO_CARD:
        return "bust", f"stayed: -{scene.before.bag}"
    return "continue", "continue"


def names(seats: Sequence[int]) -> str:
    """Return the names of these seats as part of a sentence; only how many they are where they are many."""
    if len(seats) > _MOST_NAMES:
        return f"{len(seats)} players"
    each = [f"player_{seat}" for seat in seats]
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} and {each[-1]}"


def _losers(game: np.record, scene: Scene) -> str:
    stayed = [seat for seat in range(game.num_players) if game.decision[seat] == CONTINUE]
    return f"{names(stayed)} lost {_gems(scene.before.bag)}{_each(stayed)}."  # type: ignore[union-attr]


def _leavers(game: np.record, scene: Scene) -> str:
    left = [seat for seat in range(game.num_players) if game.decision[seat] == LEAVE]
    if not left:
        return "Everyone inside goes on."
    first = left[0]
    relics = int(game.relics[first] - scene.before.relics[first])  # type: ignore[union-attr]
    taken = f", counting {relics} relic{'s' * (relics > 1)}" if relics else ""
    alone = " alone" if len(left) == 1 else ""
    return f"{names(left)} left{alone} with {_gems(game.banked[first])}{_each(left)}{taken}."


def _winners(game: np.record, shares: Sequence[float]) -> str:
    won = [seat for seat, share in enumerate(shares) if share > 0]
    chest = _gems(game.chest[won[0]])
    return f"{names(won)} {'wins' if len(won) == 1 else 'share the victory'} with {chest}."


def _gems(number: int) -> str:
    return "1 gem" if number == 1 else f"{number} gems"


def _each(seats: Sequence[int]) -> str:
    return " each" if len(seats) > 1 else ""
