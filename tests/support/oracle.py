"""Independent reference implementation (oracle) of the rules, in plain Python with real cards.

Written from the rulebook and `docs/rules_sources.md` alone. It imports nothing of the package; edition, cards and
leavers are its input.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction


def _copied(thing):
    """Copy an object with its lists, dictionaries and sets; their items are immutable."""
    other = object.__new__(type(thing))
    for name, value in vars(thing).items():
        setattr(other, name, value.copy() if isinstance(value, list | dict | set) else value)
    return other


class Player:
    def __init__(self) -> None:
        self.gems_in_chest = 0
        self.relic_cards: list[str] = []
        self.relic_values: list[int] = []  # one per relic card, in gems
        self.bag = 0
        self.inside = False
        self.left_turn = 0
        self.banked = 0

    @property
    def chest(self) -> int:
        return self.gems_in_chest + sum(self.relic_values)


class Oracle:
    """One game. Cards are treasures (int), traps (their name) and relics (``"relic"`` or ``"relic 8"``)."""

    def __init__(self, edition, num_players: int) -> None:
        self.edition = edition
        self.players = [Player() for _ in range(num_players)]
        self.deck: list[int | str] = list(edition.treasures)
        for trap in edition.traps:
            self.deck += [trap] * edition.trap_copies
        self.relics_to_come = [self.relic_name(value) for value in edition.relics]
        self.relic_names = set(self.relics_to_come)
        if edition.relics_enter == "start":
            self.deck += self.relics_to_come
            self.relics_to_come = []
        self.out_of_game: list[str] = []
        self.relics_taken = 0
        self.expedition = 0
        self.over = False
        self.gems_found = 0  # on the treasure cards of this game so far
        self.gems_returned = 0  # to the reserve
        self.enter_cave()

    def copy(self) -> Oracle:
        other = _copied(self)
        other.players = [_copied(player) for player in self.players]
        return other

    def relic_name(self, value: int) -> str:
        return f"relic {value}" if self.edition.relic_values == "printed" else "relic"

    def enter_cave(self) -> None:
        self.expedition += 1
        if self.relics_to_come:
            self.deck.append(self.relics_to_come.pop(0))
        self.path: list[int | str] = []
        self.gems_on: dict[int, int] = {}  # position on the path -> gems that lie on this treasure card
        for player in self.players:
            player.inside = True
            player.bag = 0
            player.left_turn = 0

    # Advance into the cave.

    def reveal(self, card: int | str) -> None:
        assert not self.over, "a card after the end of the game"
        self.deck.remove(card)
        seen_before = card in self.path
        self.path.append(card)
        if isinstance(card, int):
            self.gems_found += card
            inside = self.inside
            for player in inside:
                player.bag += card // len(inside)
            self.gems_on[len(self.path) - 1] = card % len(inside)
        elif not self.is_relic(card) and seen_before:
            for player in self.inside:
                self.gems_returned += player.bag
                player.bag = 0
            for _ in range(self.edition.bust_removes):
                self.path.remove(card)
                self.out_of_game.append(card)
            self.end_expedition()

    # Players' decision.

    def decide(self, leaving: set[int]) -> None:
        """Return these seats to the camp; the others inside continue."""
        assert not self.over, "a decision after the end of the game"
        leavers = [self.players[seat] for seat in sorted(leaving)]
        assert all(player.inside for player in leavers), "a player in camp can't leave"
        for player in self.players:
            player.banked = 0
        if not leavers:
            return
        gems = self.path_gems
        share = gems // len(leavers)
        self.gems_on = {0: gems - share * len(leavers)}
        for player in leavers:
            player.banked = player.bag + share
            player.gems_in_chest += player.bag + share
            player.bag = 0
            player.inside = False
            player.left_turn = self.turn
        if len(leavers) == 1:
            (lucky,) = leavers
            for relic in [card for card in self.path if self.is_relic(card)]:
                value = self.value_of_taken(relic)
                self.path[self.path.index(relic)] = "gap"  # the place on the path stays
                self.relics_taken += 1
                lucky.relic_cards.append(relic)
                lucky.relic_values.append(value)
                lucky.banked += value
        if not self.inside:
            self.end_expedition()

    def value_of_taken(self, relic: str) -> int:
        if self.edition.relic_values == "printed":
            return int(relic.split()[1])
        return self.edition.relics[self.relics_taken]

    # End of a round, end of the game.

    def end_expedition(self) -> None:
        self.gems_returned += self.path_gems
        for card in self.path:
            if self.is_relic(card):
                self.out_of_game.append(card)
                self.relics_taken += self.edition.relic_values == "taken or lost"
            elif card != "gap":
                self.deck.append(card)
        self.path = []
        self.gems_on = {}
        for player in self.players:
            player.bag = 0
        if self.expedition < self.edition.expeditions:
            self.enter_cave()
        else:
            self.over = True
            for player in self.players:
                player.inside = False

    # Derived state.

    def is_relic(self, card: int | str) -> bool:
        return card in self.relic_names

    @property
    def inside(self) -> list[Player]:
        return [player for player in self.players if player.inside]

    @property
    def turn(self) -> int:
        return len(self.path)

    @property
    def path_gems(self) -> int:
        return sum(self.gems_on.values())

    @property
    def path_relics(self) -> list[str]:
        return [card for card in self.path if card in self.relic_names] if self.relic_names else []

    @property
    def traps_on_path(self) -> set[str]:
        return {card for card in self.path if card in self.edition.traps}

    @property
    def path_relic_value(self) -> int:
        """Value of the relics on the path to a lone leaver."""
        if self.edition.relic_values == "printed":
            return sum(int(relic.split()[1]) for relic in self.path_relics)
        order = range(self.relics_taken, self.relics_taken + len(self.path_relics))
        return sum(self.edition.relics[position] for position in order)

    @property
    def deck_counts(self) -> Counter:
        return Counter(self.deck)

    @property
    def unaccounted_gems(self) -> int:
        """Gems found less those in chests, bags, on the path and returned; 0 if gems are conserved."""
        held = sum(player.gems_in_chest + player.bag for player in self.players)
        return self.gems_found - held - self.path_gems - self.gems_returned

    @property
    def winners(self) -> list[int]:
        """Seats that win by the present chests."""
        results = [player.chest for player in self.players]
        if self.edition.tie_break == "relics":
            results = [(player.chest, len(player.relic_values)) for player in self.players]
        return [seat for seat, result in enumerate(results) if result == max(results)]

    def rewards(self, kind: str) -> list[Fraction]:
        """Return each player's reward of the last decision."""
        if kind == "score":
            return [Fraction(player.banked) for player in self.players]
        if not self.over:
            return [Fraction(0)] * len(self.players)
        if kind == "win":
            winners = self.winners
            return [Fraction(seat in winners, len(winners)) for seat in range(len(self.players))]
        total, rivals = sum(player.chest for player in self.players), len(self.players) - 1
        return [Fraction(player.chest) - Fraction(total - player.chest, rivals) for player in self.players]
