"""Interpretations of the rules that have no section of their own."""

from diamant_env import Edition
from tests.support.play import PUBLISHED, Case, Play, cases, every


@every(PUBLISHED)
def test_the_deck_can_not_run_out_inside_an_expedition(edition):
    # The worst: four busts that leave two kinds with one card each, then every harmless card first.
    first, second, *kinds = edition.traps
    start = [trap for trap in (first, first, second, second) for _ in range(2)]
    relics = ["relic"] * len(edition.relics)  # where one enters per expedition, all five are in the fifth deck
    last = [*edition.treasures, *relics, first, second, *kinds]
    play = Play([*start, *last, kinds[0]], players=3, edition=edition).all_continue(4)
    assert play.game["expedition"] == 5
    play.all_continue(len(last) - 1)
    assert not play.over
    assert play.game["deck_size"] == 2 * len(kinds)
    assert play.all_continue().over


CASES = {
    # A chest is a number of gems: the kinds of stones do not matter, and a relic worth 5 adds 5.
    "gems are counted one by one": Case([5, 7, "relic", 1], "- - all", players=1, chests=[5 + 7 + 5]),
}
test_play = cases(CASES)


def test_the_largest_game_fits_the_record():
    treasures = (MAX_TREASURE := 500, 500)
    edition = Edition("rich", treasures, ("snake", "mud"), 20, relics=(100,) * 5, expeditions=15)
    cards = ["relic"] * 5 + [*treasures] * 15
    play = Play(cards, players=1, edition=edition).all_continue(6)
    play.all_leave()
    for _ in range(14):
        play.all_continue().all_leave()
    assert play.chests == [500 + 15 * 2 * MAX_TREASURE]
