"""Table of editions against the data and against played games."""

from diamant_env import EDITIONS
from tests.support.play import PUBLISHED, Play, every

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
