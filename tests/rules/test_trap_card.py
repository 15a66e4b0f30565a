"""Rulebook: advance into the cave, trap card."""

from diamant_env.editions import FIRST_TRAP, NO_CARD
from tests.support.play import BOTH_REMOVED, NOTHING_REMOVED, PUBLISHED, Case, Play, cases, every

CASES = {
    "the first trap of a kind does nothing": Case(
        [17, "snake"], "-", players=3, bag=5, path_gems=2, inside=[0, 1, 2], bust_card=NO_CARD
    ),
    "all inside lose their bags": Case(
        [17, "snake", "snake", 1], "- -", players=3, chests=[0] * 3, rewards=[0] * 3, bag=0
    ),
    "who left before keeps the chest": Case([17, "snake", "snake", 1], "1 -", players=3, chests=[0, 5 + 2, 0]),
    "who leaves just before the second trap keeps bag and share": Case(
        [17, "snake", "snake", 1], "- 02", players=3, chests=[5 + 1, 0, 5 + 1], expedition=2
    ),
    "a trap of another expedition does not count": Case(["snake", "snake", 5], "all -", expedition=2, turn=2),
    "one of the two identical cards leaves the game": Case(
        ["snake", "boulder", "snake", 5], "- -", deck={"snake": 2, "boulder": 3}
    ),
    "the last card of a kind can not end an expedition": Case(
        ["snake"] * 5 + [5], "- - -", expedition=3, turn=2, traps=1, deck={"snake": 0}
    ),
    "an edition in which none leaves": Case(["snake", "snake", 5], "-", edition=NOTHING_REMOVED, deck={"snake": 3}),
    "an edition in which both leave": Case(["snake", "snake", 5], "-", edition=BOTH_REMOVED, deck={"snake": 1}),
    "the expedition ends at once without a decision": Case(
        ["snake", "snake", "boulder"], "012", inside=[0, 1, 2, 3], turn=1
    ),
    "the removed trap of the last expedition is removed all the same": Case(
        [5, 5, 5, 5, "snake", "snake"], "all all all all -", over=True, deck={"snake": 2}
    ),
}
test_play = cases(CASES)


@every(PUBLISHED)
def test_every_kind_of_trap_ends_the_expedition_the_second_time(edition):
    for kind, trap in enumerate(edition.traps):
        play = Play([trap, 11, trap, 5], edition=edition).all_continue(2)
        assert (play.game["expedition"], play.game["bust_card"]) == (2, FIRST_TRAP + kind)


@every(PUBLISHED)
def test_all_kinds_of_trap_together_are_harmless(edition):
    play = Play([*edition.traps, 15], edition=edition).all_continue(len(edition.traps))
    assert (play.game["expedition"], play.traps) == (1, len(edition.traps))
