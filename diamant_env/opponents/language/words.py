"""Observations in words: the rules of the edition, the table, the deck, and the two choices."""

from __future__ import annotations

import numpy as np

from diamant_env.drawing.narration import counted, joined, relic_entry
from diamant_env.editions import Edition
from diamant_env.observation import Observations

AIMS = {
    "win": "Your aim is to win: to have the most gems of all players in your chest at the end of the game{ties}.",
    "score": "Your aim is as many gems in your chest at the end as possible, whatever the others have.",
}
"""Statement of the objective in the prompt, by objective."""
CHOICES = "Answer with one word alone: LEAVE or CONTINUE."
"""Request for an answer, the last line of a prompt."""
_RULES = """\
You play Diamant, also called Incan Gold, a game of pushing your luck. It has {expeditions}. In each one all players \
enter a cave, and cards come up from a shuffled deck, one each turn.
- Treasure: its gems are shared equally among the players inside, in whole gems, into their bags. The rest lies on the \
path.
- Trap: the second card of the same kind ends the expedition at once, and all inside lose their bags.{relics}
After each card but that one all inside choose at the same time. Who continues stays for the next card. Who leaves \
returns to camp until the next expedition, and the bag is safe in the chest. Those who leave in the same turn also \
share the gems on the path equally; what they can't split stays there. Who leaves alone takes all of them.
After the expedition its cards return to the deck{removed}."""
_RELICS = {
    "taken": "The relics are worth {values} gems, in the order in which players take them.",
    "taken or lost": "The relics are worth {values} gems, in the order in which players take or lose them.",
    "printed": "Its name says how many gems it is worth.",
}
_REMOVED = ("", "; of the two traps that ended it one leaves the game", "; the two traps that ended it leave the game")


def rules_in_words(edition: Edition, objective: str) -> str:
    """Return the rules relevant to decisions, and the objective.

    Args:
        edition: The edition.
        objective: A key of `AIMS`: ``"win"`` or ``"score"``.
    """
    relics = ""
    if edition.relics:
        worth = _RELICS[edition.relic_values].format(values=", ".join(map(str, edition.relics)))
        they = "They enter"
        if len(edition.relics) == 1:
            they, worth = "It enters", f"It is worth {counted(edition.relics[0], 'gem')}."
        enters = f" {they} the deck {relic_entry(edition)}." if edition.relics_enter == "expedition" else ""
        relics = f"\n- Relic: it lies on the path until someone leaves alone, who takes it. {worth}{enters}"
        relics += " Relics that came up never return to the deck."
    removed, number = _REMOVED[edition.bust_removes], counted(edition.expeditions, "expedition")
    ties = "; most relics break a tie" if edition.tie_break == "relics" else ""
    return f"{_RULES.format(expeditions=number, relics=relics, removed=removed)}\n{AIMS[objective].format(ties=ties)}"


def state_in_words(obs: Observations, edition: Edition) -> str:
    """Return one observation in words, one sentence per line: deck, path and players.

    Rivals are numbered by their seat after the observer's: the next seat is player 1.

    Args:
        obs: One observation of a seat that must decide.
        edition: The edition.
    """
    fields = ("expedition", "expeditions_left", "turn", "num_players", "num_inside", "bag", "path_gems", "path_relics")
    expedition, left, turn, players, inside, bag, path, relics = (int(obs[name]) for name in fields)
    when = f"expedition {expedition} of {expedition + left}, " if expedition + left > 1 else ""
    worth = f", {counted(relics, 'relic')} worth {int(obs['path_relic_value'])} to one who leaves alone"
    traps = [edition.traps[trap] for trap in np.flatnonzero(obs["traps_on_path"])]
    return "\n".join(
        [
            f"Now: {when}after card {turn}.",
            f"Inside: {inside} of {counted(players, 'player')}, each with {counted(bag, 'gem')} in the bag.",
            f"You are inside. {_chest('Your', int(obs['chest']), int(obs['relics']))}",
            *_rivals(obs),
            f"On the path: {counted(path, 'gem')}{worth if relics else ''}; traps: {joined(traps or ['none'])}.",
            *_deck(obs, edition),
        ]
    )


def _rivals(obs: Observations) -> list[str]:
    lines = []
    for rival in np.flatnonzero(obs["rival_present"]):
        since = f"in camp since card {obs['rival_left_turn'][rival]:.0f}"
        where = "inside" if obs["rival_inside"][rival] else since
        relics = int(obs["rival_relics"][rival])
        chest = _chest("Their", int(obs["rival_chest"][rival]), relics)
        if obs["hidden_chests"]:
            chest = f"Their chest is hidden; relics taken: {relics}." if relics else "Their chest is hidden."
        lines.append(f"Player {rival + 1} is {where}. {chest}")
    return lines


def _chest(whose: str, gems: int, relics: int) -> str:
    from_relics = f", those for {counted(relics, 'relic')} included" if relics else ""
    return f"{whose} chest: {counted(gems, 'gem')}{from_relics}."


def _deck(obs: Observations, edition: Edition) -> list[str]:
    """Return the lines on the deck, the chance of a bust and the next card's mean share."""
    treasures, traps, relics = (obs[f"{kind}_left"].astype(int) for kind in ("treasures", "traps", "relics"))
    values = [edition.treasure_slots[slot] for slot in np.repeat(np.arange(len(treasures)), treasures)]
    fatal = np.where(obs["traps_on_path"] > 0, traps, 0)
    size = int(treasures.sum() + traps.sum() + relics.sum())
    dangers = [f"{traps[kind]} {edition.traps[kind]}" for kind in np.flatnonzero(traps)]
    kinds = [f"treasures {', '.join(map(str, sorted(values))) or 'none'}", f"traps {', '.join(dangers) or 'none'}"]
    if edition.relics:
        printed = ", ".join(str(edition.relics[kind]) for kind in np.flatnonzero(relics))
        named = f" worth {printed}" if printed and edition.relic_values == "printed" else ""
        lost = " or lost" if edition.relic_values == "taken or lost" else ""
        taken = counted(int(obs["relics_taken"]), "relic")
        kinds.append(f"{counted(relics.sum(), 'relic')}{named} ({taken} taken{lost} so far by all players)")
    return [
        f"The deck: {counted(size, 'card')}; {'; '.join(kinds)}.",
        f"Of these {fatal.sum()} would end the expedition, a chance of {obs['bust_chance']:.1%}.",
        f"The next card brings each player inside {obs['expected_share']:.2f} gems on average, if all stay.",
    ]
