"""Editions in plain words: titles of the published ones, rules that differ between editions."""

from __future__ import annotations

from typing import Any

from diamant_env.drawing.narration import counted, joined, relic_entry
from diamant_env.editions import FIRST_RELIC, Edition
from diamant_env.state import GameState

TITLES = {
    "iello-2016": "Diamant (IELLO 2016)",
    "iello-2016-fr": "Diamant (IELLO 2016), French: no relics",
    "iello-2016-fr-relics": "Diamant (IELLO 2016), French: relics with printed values",
    "everdeck": "Diamant with an Everdeck",
    "everdeck-relics": "Diamant with an Everdeck: one relic per expedition",
    "schmidt-2005": "Diamant (Schmidt 2005), the first edition",
    "incan-gold": "Incan Gold (Sunriver 2006)",
    "incan-gold-2020": "Incan Gold (2020)",
    "incan-gold-bga": "Incan Gold on Board Game Arena",
    "incan-gold-bga-classic": "Incan Gold on Board Game Arena: Classic",
}


def title_of(edition: Edition) -> str:
    """Return the title of a published edition, also of a varied one, or the name of a custom one."""
    return TITLES.get(edition.name.partition("/")[0], edition.name)


def in_words(edition: Edition) -> dict[str, Any]:
    """Return the title of an edition and the rules in which editions differ, as a JSON value."""
    return {"title": title_of(edition), "rules": _rules(edition)}


def _rules(edition: Edition) -> list[str]:
    low, high = min(edition.treasures), max(edition.treasures)
    gems = counted(low, "gem") if low == high else f"{low} to {high} gems"
    treasures = f"{counted(len(edition.treasures), 'treasure')} of {gems}"
    removed = ("neither", "one", "both")[edition.bust_removes]
    return [
        f"The deck has {treasures}, and {edition.trap_copies} cards of each trap: {joined(edition.traps)}.",
        *_relic_rules(edition),
        f"After a bust {removed} of the two equal traps {'leave' if removed == 'both' else 'leaves'} the game.",
        f"After {counted(edition.expeditions, 'expedition')} the fullest chest wins. {tie_rule(edition)}",
    ]


def tie_rule(edition: Edition) -> str:
    """Return what decides between equal chests."""
    relics = "most relics first, then " if edition.tie_break == "relics" else ""
    return f"If chests are equal: {relics}a shared victory."


def relics_now(game: GameState, edition: Edition) -> list[str]:
    """Return what became of the relics and the value of the next ones, as sentences; empty without relics."""
    if not edition.relics:
        return []
    taken, entered = int(game.relics_taken), len(edition.relics)
    if edition.relics_enter == "expedition":
        entered = min(int(game.expedition), entered)
    lost = entered - taken - int(game.path_relics) - int(game.deck[FIRST_RELIC:].sum())
    counts_lost = edition.relic_values == "taken or lost"
    fate = f"Relics: {taken} taken or lost." if counts_lost else f"Relics: {taken} taken, {lost} lost."
    coming = edition.relics[taken : len(edition.relics) - lost]
    if edition.relic_values == "printed" or not coming:
        return [fate]
    next_ones = "one taken is" if len(coming) == 1 else "ones taken are"
    return [fate, f"The next {next_ones} worth {_listed(coming)} gems."]


def _relic_rules(edition: Edition) -> list[str]:
    if not edition.relics:
        return ["There are no relics."]
    number = len(edition.relics)
    enter = {
        "start": f"{'is' if number == 1 else 'are'} in the deck from the start",
        "expedition": f"{'enters' if number == 1 else 'enter'} the deck, {relic_entry(edition)}",
    }
    worth = {
        "taken": "in the order in which players take them",
        "taken or lost": "in the order in which players take or lose them",
        "printed": "as printed on them",
    }
    values = f"{_listed(edition.relics)} gems, {worth[edition.relic_values]}"
    if number == 1:
        values = counted(edition.relics[0], "gem")
    return [f"{counted(number, 'relic')} {enter[edition.relics_enter]}: {values}."]


def _listed(values: tuple[int, ...]) -> str:
    return joined([str(value) for value in values])
