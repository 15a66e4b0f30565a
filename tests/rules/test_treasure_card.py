"""Rulebook: advance into the cave, treasure card."""

import pytest

from tests.support.play import BASE, Case, Play, cases

CASES = {
    "a lone explorer takes all": Case(["snake", 17], "013", bag=17, path_gems=0),
    # Were the 2 that remain of the 5 shared with the 7, each of the three would get 3.
    "bags grow card by card": Case([5, 7, 11], "- -", players=3, bag=1 + 2 + 3, path_gems=2 + 1 + 2),
    "gems in the bag are not in the chest": Case([17, 15], "-", chests=[0] * 4, rewards=[0] * 4),
    "everyone in the cave holds the same bag": Case(
        [11, 7, 13], "2 0", chests=[2 + 2 + 1, 0, 2 + 3, 0], bag=2 + 2 + 6, path_gems=1
    ),
    "a card is out of the deck until the expedition ends": Case([5, 5], "-", players=3, deck={5: 0}),
}
test_play = cases(CASES)


@pytest.mark.parametrize("players", range(1, 9))
def test_gems_are_shared_equally_and_the_rest_stays_on_the_path(players):
    for card in set(BASE.treasures):
        game = Play([card], players=players).game
        assert (game["bag"], game["path_gems"]) == divmod(card, players)
