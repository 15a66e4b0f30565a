"""Rulebook: end of a round."""

from dataclasses import replace

from tests.support.play import ODD, PUBLISHED, Case, Play, cases, every

TWO_LATE_RELICS = replace(ODD, name="two late relics", relics_enter="expedition")


CASES = {
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
test_play = cases(CASES)


@every(PUBLISHED)
def test_the_deck_shrinks_by_one_with_every_bust(edition):
    trap, other, *_ = edition.traps
    play = Play([trap, trap, other, other, 5], edition=edition)
    whole = play.game["deck_size"] + play.game["turn"]
    late = len(edition.relics) > 0 and edition.relics_enter == "expedition"
    for busts in (1, 2):
        assert play.all_continue().game["deck_size"] + 1 == whole - busts + late * busts
