"""Rulebook: advance into the cave, relic card; exit, the value of relics."""

from tests.support.play import LATE_RELICS, LOST_COUNT, ODD, PRINTED, PRINTED_AT_ONCE, Case, Play, cases

CASES = {
    "the card stays on the path and nothing happens": Case(
        ["relic", "snake"], "-", path_relics=1, bag=0, path_gems=0, chests=[0] * 4, relics=[0] * 4, relics_taken=0
    ),
    "a player leaving alone takes all relics": Case(
        ["relic", "relic", "snake"], "- 2", relics=[0, 0, 2, 0], chests=[0, 0, 10, 0], path_relics=0, relics_taken=2
    ),
    "three leaving together take none": Case(["relic", "snake", 5], "- 123", relics=[0] * 4, chests=[0] * 4),
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
    "relics taken are safe until the end": Case(
        ["relic", "snake", "snake", 5], "3 -", relics=[0, 0, 0, 1], chests=[0, 0, 0, 5]
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
test_play = cases(CASES)


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
