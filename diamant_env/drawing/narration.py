"""Sentences about a game's events, shared by text, pictures and the page."""

from collections.abc import Sequence
from itertools import count

from diamant_env.drawing.render_history import RenderHistory
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, NO_CARD, Edition
from diamant_env.engine.edition_params import edition_params
from diamant_env.rules import win_share
from diamant_env.state import CONTINUE, LEAVE, OVER, GameState

_MOST_NAMES = 3


class Narrator:
    """Writer of sentences about a game's events; `names` are by seat, `person` is the seat addressed as "You"."""

    def __init__(self, edition: Edition, names: Sequence[str] = (), person: int | None = None) -> None:
        self._edition, self._names, self._person = edition, names, person

    def headlines(self, game: GameState, history: RenderHistory) -> tuple[str, str]:
        """Return two lines: the outcome of the decisions, and the new card or the result."""
        led_to = f"A new game of {self._edition.name}: everyone enters the cave."
        if history.before is not None:
            parts = [self.decisions(game, history)] if game.bust_card == NO_CARD else []
            parts.append(self.outcome(game, history))
            led_to = " ".join(filter(None, parts))
        if game.phase == OVER:
            return led_to, self.result(game)
        begins = f"Expedition {game.expedition} begins. " if history.begins else ""
        return led_to, begins + self.card(game, history)

    def decisions(self, game: GameState, history: RenderHistory) -> str:
        """Describe who left, with how many gems, and who continues."""
        left, stayed = seats_deciding(game, LEAVE), seats_deciding(game, CONTINUE)
        if not left or history.before is None:
            return "Everyone inside continues."
        relics = int(game.relics.sum() - history.before.relics.sum())
        alone = " alone" if len(left) == 1 else ""
        included = f", {counted(relics, 'relic')} included" if relics else ""
        others = f"; {self._do(stayed, 'continue', you='you')}" if stayed else ""
        return f"{self._do(left, 'leave')}{alone} with {_gems(game.banked[left[0]], left)}{included}{others}."

    def outcome(self, game: GameState, history: RenderHistory) -> str:
        """Describe how the last turn ended an expedition; empty if it did not."""
        if game.bust_card == NO_CARD or history.before is None:
            return "Everyone is back in camp." if history.ended else ""
        trap, stayed = self._edition.card_name(game.bust_card), seats_deciding(game, CONTINUE)
        lost = f"{self._do(stayed, 'lose')} {_gems(history.before.bag, stayed) if history.before.bag else 'nothing'}"
        removed = (f"No {trap} card leaves", f"One {trap} card leaves", f"Two {trap} cards leave")
        return f"A second {trap}! {lost}. {removed[self._edition.bust_removes]} the game."

    def card(self, game: GameState, history: RenderHistory) -> str:
        """Describe the effect of the newest card."""
        card, name = int(game.last_card), self._edition.card_name(game.last_card)
        if card >= FIRST_RELIC:
            return f"{name.capitalize()}: a lone leaver takes all relics on the path."
        if card >= FIRST_TRAP:
            return f"Trap: {name}. A second one would end the expedition."
        gain = game.bag - (0 if history.begins or history.before is None else history.before.bag)
        bag = "each bag" if game.num_inside > 1 else "the bag"
        return f"Treasure {name}: {counted(gain, 'gem')} into {bag}, {game.path_gems or 'none'} on the path."

    def result(self, game: GameState) -> str:
        """Describe the winners."""
        won = winners(game, self._edition)
        verb = "win" if len(won) == 1 else "share the victory"
        tied = (game.chest[: game.num_players] == game.chest[won[0]]).sum() > len(won)
        relics = " and the most relics" if tied else ""
        return f"The game is over: {self._do(won, verb, you='you')} with {_gems(game.chest[won[0]], won)}{relics}."

    def _do(self, seats: Sequence[int], verb: str, you: str = "You") -> str:
        """Return ``"You and ev leave"`` or ``"ev leaves"``; more than three seats are counted, not named."""
        if len(seats) > _MOST_NAMES:
            return (
                f"{you} and {len(seats) - 1} others {verb}" if self._person in seats else f"{len(seats)} players {verb}"
            )
        names = [self._name(seat) if seat != self._person else you if seat == seats[0] else "you" for seat in seats]
        return f"{joined(names)} {verb}{'s' * (len(seats) == 1 and seats[0] != self._person)}"

    def _name(self, seat: int) -> str:
        return self._names[seat] if self._names else f"player_{seat}"


def last_decision(game: GameState, history: RenderHistory, seat: int) -> str:
    """Return a seat's decision and gems banked or lost: ``leave +5``, ``bust -5``, ``bust``, ``continue`` or ``-``."""
    if game.decision[seat] == LEAVE:
        return f"leave +{game.banked[seat]}"
    if game.decision[seat] != CONTINUE:
        return "-"
    if game.bust_card == NO_CARD or history.before is None:
        return "continue"
    return f"bust -{history.before.bag}" if history.before.bag else "bust"


def winners(game: GameState, edition: Edition) -> list[int]:
    """Return the seats that share the victory; [] before the end of the game."""
    seats = range(game.num_players if game.phase == OVER else 0)
    return [seat for seat in seats if win_share(game, edition_params(edition), seat) > 0]


def ranking(game: GameState, edition: Edition) -> list[int]:
    """Return the seats of a finished game, best first."""
    won = winners(game, edition)
    return sorted(range(game.num_players), key=lambda seat: (seat not in won, -game.chest[seat], -game.relics[seat]))


def path_contents(game: GameState) -> str:
    """Return the gems and relics on the path: ``"3 gems, 1 relic worth 5"``."""
    worth = f" worth {game.path_relic_value}" if game.path_relics else ""
    return f"{counted(game.path_gems, 'gem')}, {counted(game.path_relics, 'relic')}{worth}"


def distinct(names: Sequence[str], mark: str = " #") -> list[str]:
    """Return names with numbered duplicates, ``"ev #1"``, ``"ev #2"``; numbers that give another name are skipped."""
    result, used = [], set(names)
    for name in names:
        shown = name
        if names.count(name) > 1:
            numbered = (f"{name}{mark}{number}" for number in count(1))
            shown = next(candidate for candidate in numbered if candidate.replace("\xa0", " ") not in used)
        used.add(shown.replace("\xa0", " "))
        result.append(shown)
    return result


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``"1 gem"``, ``"2 gems"``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def joined(names: Sequence[str]) -> str:
    """Return names joined by commas and "and": ``"ev, bag:18 and traps"``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def relic_entry(edition: Edition) -> str:
    """Return when relics enter the deck if they enter one by one."""
    number = len(edition.relics)
    if edition.expeditions <= number:
        return "one before each expedition"
    return "before the first expedition" if number == 1 else f"one before each of the first {number} expeditions"


def seats_deciding(game: GameState, decision: int) -> list[int]:
    """Return the seats that took this decision in the last turn."""
    return [seat for seat in range(game.num_players) if game.decision[seat] == decision]


def _gems(number: int, seats: Sequence[int]) -> str:
    return counted(number, "gem") + (" each" if len(seats) > 1 else "")
