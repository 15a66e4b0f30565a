"""Rulebook: players' decision, exit, end of a round."""

from dataclasses import replace

import pytest

from diamant_env import diamant_v0
from diamant_env.state import DECIDE
from tests.support.play import ODD, PUBLISHED, Case, Play, cases, every

PLAYERS_DECISION = {
    "players decide after a trap that did not end the expedition": Case(["snake", 5], phase=DECIDE, turn=1),
    "players decide after a relic": Case(["relic", 5], phase=DECIDE, turn=1),
    # Both who leave get the same; neither is first on the path.
    "decisions are simultaneous": Case([11, "snake"], "30", rewards=[2 + 1, 0, 0, 2 + 1]),
    "continue lengthens the path by one card": Case([11, "snake", 5], "- -", turn=3),
    "who left stays in camp": Case(["snake", "boulder", 11, 5], "2 -", players=3, inside=[0, 1]),
    "what was decided is seen afterwards, not of a player in camp": Case(
        ["snake", "boulder", 11], "2 0", players=3, decision=[1, 0, -1, -1, -1, -1, -1, -1]
    ),
}
test_players_decision = cases(PLAYERS_DECISION)


def test_every_player_still_in_the_cave_decides():
    env = diamant_v0.parallel_env(num_players=3)
    env.reset(seed=0)
    env.step({"player_0": 0, "player_1": 1, "player_2": 0})  # after one card, which can't end the expedition
    with pytest.raises(ValueError, match="player_2"):
        env.step({"player_0": 0})


def test_a_player_in_camp_has_nothing_to_decide():
    play = Play([11, 5, "snake"], players=3).leave(1)
    play.position.decide([0, 1, 0])
    assert (play.inside, play.chests) == ([0, 2], [0, 3 + 2, 0])


def test_nothing_is_shared_when_nobody_leaves():
    assert Play([7, "snake", 5]).all_continue(2).game["path_gems"] == 3 + 1


EXIT = {
    # 3 and 3 gems remain: two leavers get 1 + 1 each card by card, 3 of the sum.
    "leavers share the whole not card by card": Case([3, 7, "snake"], "- 01", chests=[1 + 3, 1 + 3, 0, 0], path_gems=0),
    "what they left waits for the next leaver": Case(
        [4, "snake", "boulder"], "012 4", players=5, chests=[1, 1, 1, 0, 1]
    ),
    "leavers put their gems in the chest": Case(
        [17, 15, "snake"], "- 02", players=3, chests=[5 + 5 + 1, 0, 5 + 5 + 1], rewards=[11, 0, 11]
    ),
    "those who stay keep their bag": Case([17, "snake", "snake", 1], "0", players=3, bag=5),
    "the explorer stands in the camp": Case(
        ["snake", 5, 7], "- 1", players=3, inside=[0, 2], left_turn=[0, 2, 0, 0, 0, 0, 0, 0]
    ),
    "two leavers share the gems and leave the relics": Case(
        [7, "relic", "snake"], "- 13", chests=[0, 1 + 1, 0, 1 + 1], path_gems=1, path_relics=1
    ),
}
test_exit = cases(EXIT)


@pytest.mark.parametrize("leavers", range(1, 8))
def test_every_number_of_leavers_out_of_eight(leavers):
    play = Play([13, "snake"], players=8).leave(*range(leavers))
    share, rest = divmod(5, leavers)
    assert play.chests == [1 + share] * leavers + [0] * (8 - leavers)
    assert play.game["path_gems"] == rest


TWO_LATE_RELICS = replace(ODD, name="two late relics", relics_enter="expedition")


END_OF_A_ROUND = {
    "the expedition ends when all have returned": Case(
        ["snake", "boulder", 5], "0 12", players=3, expedition=2, turn=1
    ),
    "it goes on while one is inside": Case(["snake", "boulder"], "012", expedition=1, inside=[3]),
    "all players enter the next expedition": Case(
        ["snake", 5, 7], "01 all", players=5, inside=[0, 1, 2, 3, 4], left_turn=[0] * 8
    ),
    # The last two can't split the 1 gem left; it is not carried into the next expedition.
    "gems on the path return to the reserve when all have left": Case(
        [7, "snake"], "all", players=2, chests=[3, 3], path_gems=0
    ),
    "gems on the path return to the reserve at a bust": Case([7, "snake", "snake", "boulder"], "- -", path_gems=0),
    "revealed treasures return to the deck": Case([5, 7, 11, "snake"], "- - all", deck={5: 2, 7: 2, 11: 2}),
    "revealed treasures return after a bust too": Case([17, "snake", "snake", "boulder"], "- -", deck={17: 1}),
    "revealed traps return to the deck": Case(
        ["snake", "boulder", "spider", 5], "- - all", deck={"snake": 3, "boulder": 3, "spider": 3}
    ),
    "a new expedition begins with empty bags and a card": Case([17, 11], "all", players=3, turn=1, bag=3),
    "as many relics enter as there are": Case([1, 1, 1], "all all", edition=TWO_LATE_RELICS, deck={"relic": 2}),
}
test_end_of_a_round = cases(END_OF_A_ROUND)


@every(PUBLISHED)
def test_the_deck_shrinks_by_one_with_every_bust(edition):
    trap, other, *_ = edition.traps
    play = Play([trap, trap, other, other, 5], edition=edition)
    whole = play.game["deck_size"] + play.game["turn"]
    late = len(edition.relics) > 0 and edition.relics_enter == "expedition"
    for busts in (1, 2):
        assert play.all_continue().game["deck_size"] + 1 == whole - busts + late * busts
