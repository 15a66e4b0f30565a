"""Agents and editions of the page: the only ones that requests may name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diamant_env.drawing.svg import SEAT_COLOURS, rgb
from diamant_env.editions import EDITIONS, MAX_PLAYERS, Edition, find_edition
from diamant_env.exact.two_player_win import is_shipped
from diamant_env.opponents.registry import make_agent
from diamant_env.page.edition_text import in_words

YOU = "you"
AGENTS = {
    "champion": ("The champion", "a network, trained by playing against itself"),
    "hunter": ("The hunter", "a network, trained to win against unknown opponents"),
    "search:64:champion": ("The thinking champion", "plays each choice 64 times in its head before it decides"),
    "minimax": ("The perfect player", "plays for the win and wins at least half of its games on average"),
    "ev:0.75": ("The calculator", "leaves when one more card gains no more than it risks, on average"),
    "catch-up": ("The chaser", "dares more when it is behind"),
    "bag:18": ("The patient", "leaves once it carries 18 gems"),
    "bag:8": ("The timid", "leaves once it carries 8 gems"),
    "traps": ("The trap counter", "leaves once three kinds of trap lie on the path"),
    "solo-grab": ("The grabber", "leaves as soon as much lies on the path, hoping to be alone"),
    "follow": ("The follower", "leaves once two others have left"),
    "oppose": ("The contrarian", "leaves early while all stay, and stays longer the more have left"),
    "random": ("The dice", "leaves one time in five, whatever lies there"),
}
"""Label and description of the agents of every menu, by their specs for `diamant_env.opponents.make_agent`."""
DEFAULT_EDITION = "iello-2016"
DEFAULT_TABLE = [YOU, "champion", "ev:0.75", "bag:18"]


class Menu:
    """Menu of agents and editions.

    Args:
        agents: Texts of further agents for `make_agent`, tried at once.
        edition: A published name or a path, selected initially.

    Attributes:
        agents: Label and description of each agent by its spec in requests.
        shown: The editions of the menu.
        editions: These, with hidden and with open chests, by name.
    """

    def __init__(self, agents: Sequence[str] = (), edition: str = DEFAULT_EDITION) -> None:
        self.agents = dict(AGENTS)
        typed = list(dict.fromkeys(agents))
        added = [spec for spec in typed if spec not in AGENTS]
        for spec in added:
            make_agent(spec)  # raises ValueError now, not at the first game
            self.agents[spec] = spec, "named at the command line"
        selected = _playable(find_edition(edition))
        self.shown = list((EDITIONS | {selected.name: selected}).values())
        chests = [(edition.replace(hidden_chests=hide), edition) for edition in self.shown for hide in (True, False)]
        self.editions = {edition.name: edition for both in chests for edition in both}
        table = [YOU, *typed][:MAX_PLAYERS] if typed else DEFAULT_TABLE
        self.default = {"edition": selected.name, "agents": table}

    def as_json(self) -> dict[str, Any]:
        """Return the choices of the start screen as a JSON value."""
        editions = [
            {
                "name": edition.name,
                "hidden_chests": edition.hidden_chests,
                "chests": {
                    "hidden": edition.replace(hidden_chests=True).name,
                    "open": edition.replace(hidden_chests=False).name,
                },
                "description": edition.source or f"your own edition {edition.name}",
            }
            | in_words(edition)
            for edition in self.shown
        ]
        solved = [name for name, edition in self.editions.items() if is_shipped(edition)]  # at tables of two
        agents = [
            {
                "text": text,
                "label": label,
                "name": shown_name(text),
                "about": about,
                "editions": solved if text == "minimax" else None,
            }
            for text, (label, about) in self.agents.items()
        ]
        choices = {"editions": editions, "agents": agents, "players": [1, MAX_PLAYERS]}
        return choices | {"default": self.default, "seat_colours": [rgb(colour) for colour in SEAT_COLOURS]}


def shown_name(text: str) -> str:
    label = AGENTS[text][0].removeprefix("The ") if text in AGENTS else text
    return label.capitalize() if text in (YOU, *AGENTS) else label


def _playable(edition: Edition) -> Edition:
    """Return the edition; raise a ValueError if it differs from a published one of the same name."""
    if edition != EDITIONS.get(edition.name, edition):
        raise ValueError(f"the edition's name {edition.name!r} is that of a published one with other cards or rules")
    return edition
