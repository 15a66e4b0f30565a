"""Rulebook: set up, end of the game, table of editions; interpretations without a section of their own."""

import pytest

from diamant_env import EDITIONS, Batch, Edition
from diamant_env.editions import FIRST_TRAP, RULEBOOK_PLAYERS
from diamant_env.state import DECIDE, NO_DECISION
from tests.support.play import BASE, ODD, PUBLISHED, RELICS_DECIDE, Case, Play, cases, every

SET_UP = {
    "the first card is turned up before anyone decides": Case([11], turn=1, phase=DECIDE, expedition=1),
}
test_set_up = cases(SET_UP)


def next_game(play: Play):
    """Return the state of a batch of one after a reset in the middle of a game."""
    batch = Batch(1, play.position.num_players)
    batch.set_states([play.game])
    batch.reset(seed=0)
    return batch.games


@every(PUBLISHED)
def test_all_cards_are_in_one_deck(edition):
    late = edition.relics_enter == "expedition"
    relics = [f"relic {value}" if edition.relic_values == "printed" else "relic" for value in edition.relics]
    names = [*edition.treasures, *edition.traps * edition.trap_copies, *relics[: 1 if late else 5]]
    names.remove(11)  # it lies on the path
    deck = Play([11], edition=edition).deck
    assert deck == {name: names.count(name) for name in names}


@pytest.mark.parametrize("players", range(1, 9))
def test_every_player_has_an_empty_chest_and_an_explorer(players):
    play = Play(["snake"], players=players)
    assert play.chests == play.relics == [0] * players
    assert play.game["inside"].tolist() == [1] * players + [0] * (8 - players)


def test_three_to_eight_players():
    assert RULEBOOK_PLAYERS == (3, 8)


def test_no_edition_loses_a_card_between_games():
    (game,) = next_game(Play([11, "snake", "snake", 5]).all_continue(2))
    snake = FIRST_TRAP + BASE.traps.index("snake")
    assert (game["deck_size"], game["deck"][snake] + game["on_path"][snake - FIRST_TRAP]) == (34, 3)


def test_the_next_game_starts_with_empty_chests():
    play = Play(["relic", 5, 7], players=2).leave(0).all_leave()
    assert (play.chests, play.relics, play.game["expedition"]) == ([5, 5], [1, 0], 2)
    (game,) = next_game(play)
    assert game["expedition"] == 1
    assert not any(game[name].any() for name in ("chest", "relics", "relics_taken", "banked", "left_turn"))
    assert (game["decision"] == NO_DECISION).all()


LAST = "all all all all "  # four expeditions in which everyone leaves at once
# player_0 gets 5 gems, player_1 a relic worth 5 and player_2 nothing.
FIVE_GEMS_AGAINST_A_RELIC = ["snake", 5, "relic", "snake", 1, 1, 1], "12 all 1 all all all all"


END_OF_THE_GAME = {
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
test_end_of_the_game = cases(END_OF_THE_GAME)


@pytest.mark.parametrize("players", range(1, 9))
def test_all_may_win(players):
    play = Play([1, 1, 1, 1, "snake"], players=players, reward="win").all_leave(5)
    assert play.rewards == pytest.approx([1 / players] * players)


def test_a_margin_needs_somebody_to_compare_with():
    with pytest.raises(ValueError, match="reward 'margin' compares a player with the others; one player has none"):
        Batch(1, num_players=1, reward="margin")


A = (1, 2, 3, 4, 5, 5, 7, 7, 9, 11, 11, 13, 14, 15, 17)
B = (1, 2, 3, 4, 5, 5, 7, 7, 8, 11, 11, 13, 14, 15, 17)
TACORA = ("spider", "snake", "lava pit", "boulder", "battering ram")
PRINTED = (5, 7, 8, 10, 12)
LEAVING = (5, 5, 5, 10, 10)  # worth, in the order of leaving the cave
OTHERS_2005 = ("snake", "scorpion", "rockfall", "gas", "explosion")
TEMPLE = ("fire", "mummy", "rockfall", "snake", "spider")
# cards of the first deck, treasures, their sum, traps, relics, how relics enter, their value, tie break,
# hidden chests
TABLE = {
    "iello-2016": (35, A, 124, TACORA, LEAVING, "start", "taken", "shared", False),
    "iello-2016-fr": (30, A, 124, TACORA, (), "start", "taken", "shared", False),
    "iello-2016-fr-relics": (
        31, A, 124, TACORA, PRINTED, "expedition", "printed", "shared", False
    ),
    "everdeck": (35, B, 123, TACORA, LEAVING, "start", "taken", "shared", False),
    "everdeck-relics": (31, B, 123, TACORA, LEAVING, "expedition", "taken", "shared", False),
    "schmidt-2005": (30, A, 124, OTHERS_2005, (), "start", "taken", "shared", False),
    "incan-gold": (31, A, 124, TEMPLE, LEAVING, "expedition", "taken", "relics", True),
    "incan-gold-2020": (31, A, 124, TEMPLE, PRINTED, "expedition", "printed", "relics", True),
    "incan-gold-bga": (30, A[:-1], 107, TEMPLE, PRINTED, "expedition", "printed", "relics", True),
    "incan-gold-bga-classic": (
        30, A[:-1], 107, TEMPLE, LEAVING, "expedition", "taken or lost", "relics", True
    ),
}  # fmt: skip


def test_these_editions_are_published_and_no_others():
    assert list(EDITIONS) == list(TABLE)


@every(PUBLISHED)
def test_the_table_of_editions(edition):
    size, box = Play([11], edition=edition).game["deck_size"] + 1, edition
    row = (size, box.treasures, sum(box.treasures), box.traps, box.relics, box.relics_enter, box.relic_values)
    assert (*row, box.tie_break, box.hidden_chests) == TABLE[edition.name]
    assert (len(edition.traps), edition.trap_copies) == (5, 3)
    assert (edition.expeditions, edition.bust_removes) == (5, 1)
    assert edition.source


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


READINGS = {
    # A chest is a number of gems: the kinds of stones do not matter, and a relic worth 5 adds 5.
    "gems are counted one by one": Case([5, 7, "relic", 1], "- - all", players=1, chests=[5 + 7 + 5]),
}
test_readings = cases(READINGS)


def test_the_largest_game_fits_the_record():
    treasures = (MAX_TREASURE := 500, 500)
    edition = Edition("rich", treasures, ("snake", "mud"), 20, relics=(100,) * 5, expeditions=15)
    cards = ["relic"] * 5 + [*treasures] * 15
    play = Play(cards, players=1, edition=edition).all_continue(6)
    play.all_leave()
    for _ in range(14):
        play.all_continue().all_leave()
    assert play.chests == [500 + 15 * 2 * MAX_TREASURE]
