"""What `python -m agents.watch` says about a game between agents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.play_words import Words, is_bust, over_or_next
from diamant_env.drawing.render import Scene
from diamant_env.editions import FIRST_TRAP, Edition
from diamant_env.engine.observation_writer import expected_share

_BAR = 20


class WatchWords(Words):
    """Speaks about one game in which no person plays.

    Args:
        edition: What is played, with `hidden_chests` as it is.
        names: Of the agents, by seat.
        colours: Whether the terminal has them.
    """

    def __init__(self, edition: Edition, names: Sequence[str], colours: bool = False) -> None:
        super().__init__(edition, names, colours, person=None)

    def turn(self, game: np.record, before: np.record | None, over: bool) -> list[str]:
        """Say what a turn brought: the decisions just revealed, a bust or an empty cave, and the next card.

        Args:
            game: The record.
            before: The record before the turn; None at the start.
            over: Whether the game is over.
        """
        lines = []
        ended = before is None or over_or_next(game, before)
        if before is not None:
            lines.append(self.decisions(game, before))
            if is_bust(game):
                lines.append(self.bust(game, before))
            elif ended:
                lines.append("Everyone is back in camp.")
        if over:
            return lines
        if ended:
            lines += ["", self.heading(f"Expedition {game.expedition} of {self.edition.expeditions}")]
        return [*lines, self.card_turned_up(game, None if ended else before)]

    def view(self, game: np.record, rules: np.record, scene: Scene, leave: Sequence[float | None]) -> list[str]:
        """Return the path, the odds and a row for each agent with the probability of LEAVE that it gave.

        Args:
            game: The record, waiting for decisions.
            rules: The record of the edition.
            scene: Has followed the game.
            leave: By seat; None for who need not decide.
        """
        relics = f", {game.path_relics} relic(s) worth {game.path_relic_value}" if game.path_relics else ""
        each = " in each bag" if game.num_inside > 1 else " in the bag"
        lines = [
            *self.path(scene.path),
            f"  lying   {game.path_gems} gems{relics}; {game.bag}{each}",
            self._bust_odds(game),
            f"  share   {float(expected_share(game, rules)):.2f} gems for each inside with the next card, on average",
        ]
        width = max(map(len, self.names)) + 2
        lines.append(self.paint(f"  {'':<{width}}{'where':<7}{'chest':>6}{'relics':>8}   probability of LEAVE", "dim"))
        for seat, (name, chance) in enumerate(zip(self.names, leave, strict=True)):
            where = "cave" if game.inside[seat] else "camp"
            row = f"  {name:<{width}}{where:<7}{game.chest[seat]:>6}{game.relics[seat]:>8}   "
            lines.append((row + ("" if chance is None else _chance(chance))).rstrip())
        return lines

    def _bust_odds(self, game: np.record) -> str:
        deck, size = game.deck.tolist(), int(game.deck_size)
        cards = [FIRST_TRAP + kind for kind in range(len(self.edition.traps)) if game.on_path[kind]]
        fatal = [(deck[card], self.edition.card_name(card)) for card in cards if deck[card]]
        number = sum(count for count, _ in fatal)
        chance = number / size if size else 0
        which = ": " + ", ".join(f"{count} {name}" for count, name in fatal) if fatal else ""
        text = f"  bust    {chance:.1%} with the next card, {number} of {size}{which}"
        return self.paint(text, "trap") if number else text


def _chance(chance: float) -> str:
    return f"{chance:>6.1%}  {'#' * round(_BAR * chance)}"
