"""Rulebook: advance into the cave (treasure, trap and relic cards)."""

import pytest

from diamant_env.editions import FIRST_TRAP
from tests.support.play import (
    BASE,
    BOTH_REMOVED,
    LATE_RELICS,
    LOST_COUNT,
    NOTHING_REMOVED,
    ODD,
    PRINTED,
    PRINTED_AT_ONCE,
    PUBLISHED,
    Case,
    Play,
    cases,
    every,
)

TREASURE_CARD = {
    "a single explorer takes all": Case(["snake", 17], "013", bag=17, path_gems=0),
    # Were the 2 that remain of the 5 shared with the 7, each of the three would get 3.
    "bags grow card by card": Case([5, 7, 11], "- -", players=3, bag=1 + 2 + 3, path_gems=2 + 1 + 2),
    "gems in the bag are not in the chest": Case([17, 15], "-", chests=[0] * 4, rewards=[0] * 4),
    "everyone in the cave holds the same bag": Case(
        [11, 7, 13], "2 0", chests=[2 + 2 + 1, 0, 2 + 3, 0], bag=2 + 2 + 6, path_gems=1
    ),
    "a card is out of the deck until the expedition ends": Case([5, 5], "-", players=3, deck={5: 0}),
}
test_treasure_card = cases(TREASURE_CARD)


@pytest.mark.parametrize("players", range(1, 9))
def test_gems_are_shared_equally_and_the_rest_stays_on_the_path(players):
    for card in set(BASE.treasures):
        game = Play([card], players=players).game
        assert (game["bag"], game["path_gems"]) == divmod(card, players)


TRAP_CARD = {
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
test_trap_card = cases(TRAP_CARD)


@every(PUBLISHED)
def test_every_kind_of_trap_ends_the_expedition_the_second_time(edition):
    for kind, trap in enumerate(edition.traps):
        play = Play([trap, 11, trap, 5], edition=edition).all_continue(2)
        assert (play.game["expedition"], play.game["bust_card"]) == (2, FIRST_TRAP + kind)


@every(PUBLISHED)
def test_all_kinds_of_trap_together_are_harmless(edition):
    play = Play([*edition.traps, 15], edition=edition).all_continue(len(edition.traps))
    assert (play.game["expedition"], play.traps) == (1, len(edition.traps))


RELIC_CARD = {
    "the card stays on the path and nothing happens": Case(
        ["relic", "snake"], "-", path_relics=1, bag=0, path_gems=0, chests=[0] * 4, relics=[0] * 4, relics_taken=0
    ),
    "a player leaving alone takes all relics": Case(
        ["relic", "relic", "snake"], "- 2", relics=[0, 0, 2, 0], chests=[0, 0, 10, 0], path_relics=0, relics_taken=2
    ),
    "all leaving together take none": Case(["relic", "snake", 5], "- all", relics=[0] * 4, chests=[0] * 4),
    "relics that several left behind wait for the next lone leaver": Case(
        ["relic", "snake", "boulder"], "01 3", relics=[0, 0, 0, 1], chests=[0, 0, 0, 5]
    ),
    "the last explorer leaves alone and takes them": Case(["relic", "snake", 5], "01 2", players=3, relics=[0, 0, 1]),
    "a grab of several is valued one by one": Case(
        ["relic"] * 5 + ["snake"], "- - - - 1", players=3, rewards=[0, 5 + 5 + 5 + 10 + 10, 0]
    ),
    "a grab of three after two were taken": Case(
        ["relic", "relic", "snake", "relic", "relic", "relic", 1], "- 0 1 - - 0", players=2,
        rewards=[5 + 10 + 10, 0], relics=[5, 0],
    ),
    "the first three are counted over all players": Case(
        ["relic", "relic", "relic", "snake", "relic", 1], "- - 0 - 1", players=2, relics=[3, 1], chests=[15, 10]
    ),
    "lost relics do not count among the first three": Case(
        ["relic", "relic", "relic", "snake", "relic", 7], "- - all - 0", players=3, rewards=[5, 0, 0]
    ),
    "lost relics count among the first three where the edition says so": Case(
        ["relic", "relic", "relic", "snake", "relic", 7], "- - all - 0", players=3, edition=LOST_COUNT,
        rewards=[10, 0, 0],
    ),
    "relics lost at a bust count too": Case(
        ["relic", "relic", "snake", "snake", "relic", "relic", 7], "- - - - 0", players=3, edition=LOST_COUNT,
        rewards=[5 + 10, 0, 0], relics=[2, 0, 0],
    ),
    "a relic that stays in the deck does not count": Case(
        [1, "relic", 7], "all 0", players=3, edition=LOST_COUNT, rewards=[5, 0, 0]
    ),
    "relics still in the cave leave the game when all have left": Case(
        ["relic", "relic", 5], "- all", deck={"relic": 3}, path_relics=0, path_relic_value=0
    ),
    "relics still in the cave leave the game at a bust": Case(
        ["relic", "snake", "snake", 5], "- -", deck={"relic": 4}, path_relics=0
    ),
    "taken relics never come back": Case(["relic", 1, 5], "0 1", players=2, deck={"relic": 4}),
    "relics not turned up stay in the deck": Case([5, 5, 7], "all all", deck={"relic": 5}),
    "a relic not drawn stays and a lost one is not replaced": Case(
        ["relic", 1, "relic"], "all all", edition=LATE_RELICS, deck={"relic": 1}
    ),
    "printed relics keep their value in whatever order they leave": Case(
        ["relic 12", "snake", "relic 5", "relic 8", 1], "0 - - 1", players=3, edition=PRINTED_AT_ONCE,
        chests=[12, 5 + 8, 0],
    ),
    "a relic may be worth nothing": Case(
        ["relic", "mud", "relic", 1], "0 - 1", players=3, edition=ODD, chests=[0, 20, 0], relics=[1, 1, 0]
    ),
}  # fmt: skip
test_relic_card = cases(RELIC_CARD)


def test_the_first_three_are_worth_5_the_following_10():
    play, values = Play(["relic", 1] * 5, players=2), []
    for _ in range(5):
        values.append(play.leave(0).rewards[0])
        play.leave(1)
    assert values == [5, 5, 5, 10, 10]


def test_printed_relics_enter_one_before_each_expedition_in_ascending_order():
    play = Play([1, 2, 3, 4, 5], edition=PRINTED)
    for count in range(1, 6):
        relics = {card: copies for card, copies in play.deck.items() if str(card).startswith("relic")}
        assert relics == {f"relic {value}": 1 for value in (5, 7, 8, 10, 12)[:count]}
        if count < 5:
            play.all_leave()
