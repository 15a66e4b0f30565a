"""Chosen cards instead of drawn ones: a scripted deck for tests, replays and a physical table."""

from __future__ import annotations

from collections.abc import Sequence

from diamant_env.editions import Edition
from diamant_env.engine.turns import draw_card
from diamant_env.envs.settings import whole_number
from diamant_env.rules import resolve_decisions, reveal, start_game
from diamant_env.state import REVEAL, EditionNumbers, Game


class Script:
    """Cards to play in this order, across expeditions; afterwards the deck goes on at random.

    Args:
        edition: The edition whose cards these are.
        cards: A treasure by its value, a trap by its name, ``"relic"`` (the lowest in the deck where they differ)
            or ``"relic 8"``.

    Raises:
        ValueError: If the edition has no such card, with its position.
    """

    def __init__(self, edition: Edition, cards: Sequence[int | str]) -> None:
        if isinstance(cards, str) or not isinstance(cards, Sequence):
            raise ValueError(f"a deck is a list of cards such as [5, 'relic'], not {cards!r}")
        self.names = list(cards)
        self.position = 0
        self._fits = []
        for position, name in enumerate(self.names):
            try:
                self._fits.append(edition.cards_named(name))
            except ValueError as error:
                raise ValueError(f"card {position} of the deck: {error}") from None

    def checked(self, edition: Edition) -> Script:
        """Return the script again, made from its cards and its position alone; a ValueError says if one can't be."""
        script = Script(edition, self.names)
        script.position = whole_number("position of the deck", self.position, 0, len(self.names))
        return script

    def next_card(self, game: Game) -> int:
        """Return the next card, from the script if one is left, else drawn; a ValueError says if it is used up."""
        if self.position == len(self.names):
            return draw_card(game)
        fits = [card for card in self._fits[self.position] if game.deck[card] > 0]
        if not fits:
            raise ValueError(
                f"card {self.position} of the deck, {self.names[self.position]!r}, "
                f"is not in the deck in expedition {game.expedition}, turn {game.turn + 1}"
            )
        self.position += 1
        return fits[0]

    def restart(self, game: Game, edition: EditionNumbers) -> None:
        """Start the game of this record anew, with the cards of the script."""
        start_game(game, edition, game.num_players, game.key)
        self._reveal_until_decision(game, edition)

    def play_turn(self, game: Game, edition: EditionNumbers) -> None:
        """Play one turn as `turns.play_turn` does, with the cards of the script."""
        resolve_decisions(game, edition)
        self._reveal_until_decision(game, edition)

    def _reveal_until_decision(self, game: Game, edition: EditionNumbers) -> None:
        while game.phase == REVEAL:
            reveal(game, edition, self.next_card(game))
