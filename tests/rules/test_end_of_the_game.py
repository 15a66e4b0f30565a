"""Rulebook: end of the game."""

import pytest

from diamant_env import Batch
from tests.support.play import ODD, RELICS_DECIDE, Case, Play, cases

LAST = "all all all all "  # four expeditions in which everyone leaves at once
# player_0 gets 5 gems, player_1 a relic worth 5 and player_2 nothing.
FIVE_GEMS_AGAINST_A_RELIC = ["snake", 5, "relic", "snake", 1, 1, 1], "12 all 1 all all all all"


CASES = {
    "the game ends after the fifth expedition": Case([11] * 5, LAST + "all", over=True, inside=[], bag=0, path_gems=0),
    "the game ends with a bust in the fifth expedition": Case(
        [1, 1, 1, 1, "snake", 17, "snake"], LAST + "- -", players=3, over=True, chests=[0, 0, 0]
    ),
    "the edition says how many expeditions": Case([6] * 3, "all all all", edition=ODD, over=True),
    "the score is the chest": Case([17, 11, 7, 5, 3], LAST + "all", players=3, chests=[5 + 3 + 2 + 1 + 1] * 3),
    "relics count with their value": Case([1, 1, 1, 1, "relic", "snake"], LAST + "1 all", players=3, chests=[0, 5, 0]),
    "gems in the cave do not count": Case(
        [1, 1, 1, 1, 17, "snake", "snake"], LAST + "2 -", players=3, reward="win", chests=[0, 0, 7], rewards=[0, 0, 1],
    ),
    "the highest score wins": Case(
        [1, 1, 1, 1, 5, "snake"], LAST + "0 all", players=3, reward="win", chests=[3, 1, 1], rewards=[1, 0, 0]
    ),
    "tied players share the victory": Case(
        [1, 1, 1, 1, 5, "snake"], LAST + "02 all", players=3, reward="win", chests=[2, 1, 2], rewards=[0.5, 0, 0.5]
    ),
    "without a tie break a relic is worth its gems": Case(
        *FIVE_GEMS_AGAINST_A_RELIC, players=3, reward="win", chests=[5, 5, 0], rewards=[0.5, 0.5, 0]
    ),
    "most relics break a tie where the edition says so": Case(
        *FIVE_GEMS_AGAINST_A_RELIC, players=3, reward="win", edition=RELICS_DECIDE, chests=[5, 5, 0], rewards=[0, 1, 0],
    ),
    "the second relic breaks a tie with the first": Case(
        ["relic", "relic", "snake", "relic", "snake", "snake", 3, 7, "snake", 5, "snake"],
        "- 1 0 0 1 1 - 0 0 1 all", players=2, reward="win", edition=RELICS_DECIDE, chests=[5 + 10, 10 + 5],
        relics=[1, 2], rewards=[0, 1],
    ),
    "one gem more beats all five relics": Case(
        [*["relic"] * 5, "snake", "snake", 17, 11, 7, 1, "snake", "snake", "snake"],
        "- - - - 1 0 1 - - - 0 all all all", players=2, reward="win", edition=RELICS_DECIDE, chests=[36, 35],
        relics=[0, 5], rewards=[1, 0],
    ),
    "margin is own score less the mean of the others": Case(
        [1, 1, 1, 1, 5, 1, "snake"], LAST + "0 1 all", players=3, reward="margin", chests=[3, 2, 1],
        rewards=[3 - 1.5, 2 - 2, 1 - 2.5],
    ),
    "win is paid at the end only": Case([17, "snake"], "0", players=3, reward="win", rewards=[0, 0, 0]),
    "margin is paid at the end only": Case([17, "snake"], "0", players=3, reward="margin", rewards=[0, 0, 0]),
}  # fmt: skip
test_play = cases(CASES)


@pytest.mark.parametrize("players", range(1, 9))
def test_all_may_win(players):
    play = Play([1, 1, 1, 1, "snake"], players=players, reward="win").all_leave(5)
    assert play.rewards == pytest.approx([1 / players] * players)


def test_a_margin_needs_somebody_to_compare_with():
    with pytest.raises(ValueError, match="reward 'margin' compares a player with the others; one player has none"):
        Batch(1, num_players=1, reward="margin")
