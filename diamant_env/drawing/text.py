"""The table as text."""

import textwrap
from collections.abc import Sequence

from diamant_env.drawing.news import Narrator, lying, verdict
from diamant_env.drawing.scene import Scene
from diamant_env.editions import FIRST_TRAP, Edition
from diamant_env.engine.observation_writer import bust_chance
from diamant_env.state import OVER, Game

WIDTH = 78
_HARD_SPACE = "\N{NO-BREAK SPACE}"  # inside a card's name, where no line may end


def render_text(game: Game, edition: Edition, scene: Scene) -> str:
    """Return the table as lines of text: what has just ended, the path, and a row for each player."""
    narrator = Narrator(edition)
    lines = [narrator.outcome(game, scene)]
    if game.phase == OVER:
        lines.append(narrator.result(game))
    else:
        lines.append(f"Expedition {game.expedition} of {edition.expeditions}, card {game.turn}")
        lines += [*path_lines(game, edition, scene), f"  bust   {bust_chance(game):.1%} with the next card"]
    names = [f"player_{seat}" for seat in range(game.num_players)]
    return "\n".join(filter(None, [*lines, *seat_lines(game, edition, scene, names)]))


def path_lines(game: Game, edition: Edition, scene: Scene) -> list[str]:
    """Return the cards of this expedition, on as many lines as they need, and what lies there."""
    cards = " - ".join(_card_text(edition, card) for card in scene.path)
    path = textwrap.wrap(cards, WIDTH, initial_indent="  path   ", subsequent_indent=" " * 9, break_on_hyphens=False)
    return [*(line.replace(_HARD_SPACE, " ") for line in path), f"  lying  {lying(game)}"]


def seat_lines(game: Game, edition: Edition, scene: Scene, names: Sequence[str], seat: int | None = None) -> list[str]:
    """Return a heading, then a row for each player.

    Where chests are hidden, only that of the seat that looks is shown until the game is over; by default none.
    """
    width = max(map(len, ("player", *names))) + 2
    lines = [f"  {'player':<{width}}{'where':<8}{'decided':<10}{'bag':>5}{'chest':>7}{'relics':>8}"]
    for other, name in enumerate(names):
        where, bag = ("cave", game.bag) if game.inside[other] else ("camp", "-")
        secret = edition.hidden_chests and game.phase != OVER and other != seat
        chest, relics = ("?", "?") if secret else (game.chest[other], game.relics[other])
        decided = verdict(game, scene, other)
        lines.append(f"  {name:<{width}}{where:<8}{decided:<10}{bag:>5}{chest:>7}{relics:>8}")
    return lines


def _card_text(edition: Edition, card: int) -> str:
    name = edition.card_name(card)
    return f"[{name if card < FIRST_TRAP else name.upper()}]".replace(" ", _HARD_SPACE)
