"""Opponents drawn by a seed: all can be made, none is degenerate, and a seed means the same for ever."""

import pytest

from diamant_env.opponents import make
from diamant_env.opponents.registry import FAMILIES
from diamant_env.opponents.scripted.drawn import RANGES, commitment, drawn_pool

FIRST = (
    "random:0.2",
    "cards:6",
    "bag:11",
    "traps:3",
    "bag-or-traps:14,3",
    "ev:1",
    "ev-others-stay:0.3",
    "solo-grab:8,13",
    "catch-up:21,0.5",
    "follow:2,7",
    "oppose:15,0",
    "mixture:12,18",
)


def test_a_seed_means_the_same_for_ever():
    assert drawn_pool("the first") == FIRST
    assert commitment("the first") == "6fa2c9ea02d6b6cc4aeb86495d9a1beac7ebeba72023ebd2c1ec8564117f1c6e"


def test_every_family_is_drawn_from_but_the_one_that_never_leaves():
    assert set(RANGES) <= set(FAMILIES) - {"continue"}
    pools = [drawn_pool(str(number)) for number in range(300)]
    for place, (family, parameters) in enumerate(RANGES.items()):
        drawn = {pool[place] for pool in pools}
        assert all(str(make(text)) == text for text in drawn)
        for number, values in enumerate(parameters):
            seen = {float(text.partition(":")[2].split(",")[number]) for text in drawn}
            assert seen == set(values), family


def test_an_empty_seed_is_refused():
    with pytest.raises(ValueError, match="the seed of the line-ups is empty"):
        drawn_pool("")
