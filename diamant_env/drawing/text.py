"""Text rendering of a game, for `render` and `diamant watch`."""

import textwrap
from collections.abc import Sequence

from diamant_env.drawing.narration import Narrator, last_decision, path_contents
from diamant_env.drawing.render_history import RenderHistory
from diamant_env.editions import FIRST_TRAP, Edition
from diamant_env.engine.observation_writer import bust_chance
from diamant_env.state import OVER, GameState

WIDTH = 78  # columns of a text
_HARD_SPACE = "\N{NO-BREAK SPACE}"


def render_text(
    game: GameState,
    edition: Edition,
    history: RenderHistory,
    names: Sequence[str] = (),
    leave: Sequence[float | None] = (),
    width: int = WIDTH,
) -> str:
    """Return a game as text of `width` columns: the end of an expedition, the path, and a row per player.

    `leave` are the probabilities of LEAVE by seat, None for seats in camp; () hides them.
    """
    names = names or [f"player_{seat}" for seat in range(game.num_players)]
    narrator = Narrator(edition, names)
    lines = [narrator.outcome(game, history)]
    if game.phase == OVER:
        lines.append(narrator.result(game))
    else:
        lines.append(f"Expedition {game.expedition} of {edition.expeditions}, card {game.turn}")
        path = " - ".join(_card_text(edition, card) for card in history.path)
        lines += [f"  path   {path}", f"  lying  {path_contents(game)}"]
        lines.append(f"  bust   {bust_chance(game):.1%} with the next card")
    rows = seat_lines(game, edition, history, names, leave)
    if max(map(len, rows)) > width:
        middle = rows[0].index("  bag")
        rows = [part for row in rows for part in (row[:middle].rstrip(), row[middle:])]
    lines = [textwrap.fill(line, width, subsequent_indent=" " * 9, break_on_hyphens=False) for line in lines]
    return "\n".join(filter(None, [*lines, *rows])).replace(_HARD_SPACE, " ")


def seat_lines(
    game: GameState, edition: Edition, history: RenderHistory, names: Sequence[str], leave: Sequence[float | None] = ()
) -> list[str]:
    """Return a heading and a row per player; hidden chests are shown only when the game is over."""
    width = max(map(len, ("player", *names))) + 2
    heading = f"  {'player':<{width}}{'where':<8}{'decided':<10}{'bag':>5}{'chest':>7}{'relics':>8}"
    lines = [f"{heading}   P(LEAVE)" if leave else heading]
    for seat, name in enumerate(names):
        where, bag = ("cave", game.bag) if game.inside[seat] else ("camp", "-")
        chest = "?" if edition.hidden_chests and game.phase != OVER else game.chest[seat]
        decided = last_decision(game, history, seat)
        row = f"  {name:<{width}}{where:<8}{decided:<10}{bag:>5}{chest:>7}{game.relics[seat]:>8}"
        chance = leave[seat] if leave else None
        lines.append(row if chance is None else f"{row}{chance:>11.1%}")
    return lines


def _card_text(edition: Edition, card: int) -> str:
    name = edition.card_name(card).replace(" ", _HARD_SPACE)
    return f"[{name if card < FIRST_TRAP else name.upper()}]"
