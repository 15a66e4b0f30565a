"""Rulebook: exit."""

import pytest

from tests.support.play import Case, Play, cases

CASES = {
    # 3 and 3 gems remain: two leavers get 1 + 1 each card by card, 3 of the sum.
    "leavers share the whole not card by card": Case([3, 7, "snake"], "- 01", chests=[1 + 3, 1 + 3, 0, 0], path_gems=0),
    "what they left waits for the next leaver": Case(
        [4, "snake", "boulder"], "012 4", players=5, chests=[1, 1, 1, 0, 1]
    ),
    "leavers put their gems in the chest": Case(
        [17, 15, "snake"], "- 02", players=3, chests=[5 + 5 + 1, 0, 5 + 5 + 1], rewards=[11, 0, 11]
    ),
    "those who stay keep their bag": Case([17, "snake", "snake", 1], "0", players=3, bag=5),
    "the chest is safe from later traps": Case(
        [17, "snake", 5, "boulder", "boulder", 1], "0 all - -", players=3, chests=[7, 5, 5]
    ),
    "the explorer stands in the camp": Case(
        ["snake", 5, 7], "- 1", players=3, inside=[0, 2], left_turn=[0, 2, 0, 0, 0, 0, 0, 0]
    ),
    "a lone leaver takes gems and relics": Case([7, "relic", "snake"], "- 3", chests=[0, 0, 0, 1 + 3 + 5]),
    "two leavers share the gems and leave the relics": Case(
        [7, "relic", "snake"], "- 13", chests=[0, 1 + 1, 0, 1 + 1], path_gems=1, path_relics=1
    ),
}
test_play = cases(CASES)


@pytest.mark.parametrize("leavers", range(1, 8))
def test_every_number_of_leavers_out_of_eight(leavers):
    play = Play([13, "snake"], players=8).leave(*range(leavers))
    share, rest = divmod(5, leavers)
    assert play.chests == [1 + share] * leavers + [0] * (8 - leavers)
    assert play.game["path_gems"] == rest
