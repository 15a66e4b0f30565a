"""The table of editions, box by box: what the texts say, against the data and against what is played."""

from __future__ import annotations

import pytest
from test_set_up import TACORA, A, B

from diamant_env import EDITIONS, Batch, Observations, diamant_v0
from diamant_env.editions import RULEBOOK_PLAYERS
from diamant_env.engine.edition_numbers import numbers_of
from tests.support.play import PUBLISHED, Play, every

LEAVING = (5, 5, 5, 10, 10)  # worth, in the order of leaving the cave
OTHERS_2005 = ("snake", "scorpion", "rockfall", "gas", "explosion")
TEMPLE = ("fire", "mummy", "rockfall", "snake", "spider")
# cards at the start without a relic to come, treasures, traps, relics, how relics enter, their value, tie break,
# hidden chests, stones
TABLE = {
    "iello-2016": (35, A, TACORA, LEAVING, "start", "taken", "shared", False, (60, 40)),
    "iello-2016-fr": (30, A, TACORA, (), "start", "taken", "shared", False, (60, 40)),
    "iello-2016-fr-relics": (30, A, TACORA, (5, 7, 8, 10, 12), "expedition", "printed", "shared", False, (60, 40)),
    "everdeck": (35, B, TACORA, LEAVING, "start", "taken", "shared", False, None),
    "everdeck-relics": (30, B, TACORA, LEAVING, "expedition", "taken", "shared", False, None),
    "schmidt-2005": (30, A, OTHERS_2005, (), "start", "taken", "shared", False, (60, 30)),
    "incan-gold": (30, A, TEMPLE, LEAVING, "expedition", "taken", "relics", True, None),
}


def test_these_editions_are_published_and_no_others():
    assert list(EDITIONS) == list(TABLE)


@every(PUBLISHED)
def test_the_table_of_editions(edition):
    late = edition.relics_enter == "expedition"
    row = (
        int(numbers_of(edition)["cards"].sum()),
        edition.treasures,
        edition.traps,
        edition.relics,
        edition.relics_enter,
        edition.relic_values,
        edition.tie_break,
        edition.hidden_chests,
        edition.stones,
    )
    assert row == TABLE[edition.name]
    assert (edition.trap_copies, edition.expeditions, edition.bust_removes) == (3, 5, 1)
    assert Play([11], edition=edition).game["deck_size"] + 1 == TABLE[edition.name][0] + late
    assert edition.source


def test_the_sums_of_the_treasures():
    assert {edition.name: sum(edition.treasures) for edition in PUBLISHED} == {
        **dict.fromkeys(TABLE, 124),
        "everdeck": 123,
        "everdeck-relics": 123,
    }


@every(PUBLISHED)
def test_relics_enter_as_the_edition_says(edition):
    play = Play([11] * 5, edition=edition)
    counts = [sum(copies for card, copies in play.deck.items() if "relic" in str(card))]
    for _ in range(4):
        play.all_leave()
        counts.append(sum(copies for card, copies in play.deck.items() if "relic" in str(card)))
    expected = [1, 2, 3, 4, 5] if TABLE[edition.name][4] == "expedition" else [len(edition.relics)] * 5
    assert counts == expected


@every([edition for edition in PUBLISHED if edition.relics_enter == "expedition"])
def test_relics_are_worth_what_the_edition_says(edition):
    """The second relic of the box is the first to leave the cave."""
    second = "relic 7" if edition.relic_values == "printed" else "relic"
    play = Play([11, second, 1, 11, 11], players=2, edition=edition).all_leave().leave(0)
    assert play.rewards[0] == (7 if edition.relic_values == "printed" else 5)


@every(PUBLISHED)
def test_chests_are_open_or_hidden_as_the_edition_says(edition):
    obs = Observations(Batch(2, 3, edition).reset(1))
    assert (obs["hidden_chests"] == TABLE[edition.name][7]).all()


@pytest.mark.parametrize("hide", [True, False])
def test_a_table_may_agree_to_hide_the_chests(hide):
    env = diamant_v0.parallel_env(num_players=3, edition="schmidt-2005", hidden_chests=hide)
    assert env.edition.hidden_chests is hide


@every([edition for edition in PUBLISHED if edition.relics])
def test_ties_are_broken_as_the_edition_says(edition):
    """player_0 has 5 gems, player_1 a relic worth 5."""
    trap = edition.traps[0]
    play = Play([trap, 5, "relic", trap, 1, 1, 1], players=3, edition=edition, reward="win")
    play.leave(1, 2).all_leave().leave(1).all_leave().all_leave(3)
    assert play.chests == [5, 5, 0]
    assert play.rewards == ([0, 1, 0] if TABLE[edition.name][6] == "relics" else [0.5, 0.5, 0])


@every(PUBLISHED)
def test_there_are_fifteen_treasures_and_fifteen_traps(edition):
    assert len(edition.treasures) == 15
    assert len(edition.traps) * edition.trap_copies == 15


def test_the_rulebooks_seat_three_to_eight():
    assert RULEBOOK_PLAYERS == (3, 8)


def test_gems_are_counted_one_by_one():
    """Five rubies or a diamond: the number in the chest is the same, and a relic of 5 gems adds 5."""
    play = Play([5, 7, "relic", 1], players=1).go_on(2).all_leave()
    assert play.chests == [5 + 7 + 5]
