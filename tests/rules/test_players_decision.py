"""Rulebook: players' decision."""

import numpy as np
import pytest

from diamant_env import diamant_v0
from diamant_env.state import DECIDE
from tests.support.play import Case, Play, cases

CASES = {
    "players decide after a trap that did not end the expedition": Case(["snake", 5], phase=DECIDE, turn=1),
    "players decide after a relic": Case(["relic", 5], phase=DECIDE, turn=1),
    # Both who leave get the same; neither is first on the path.
    "decisions are simultaneous": Case([11, "snake"], "30", rewards=[2 + 1, 0, 0, 2 + 1]),
    "continue lengthens the path by one card": Case([11, "snake", 5], "- -", turn=3),
    "who left stays in camp": Case(["snake", "boulder", 11, 5], "2 -", players=3, inside=[0, 1]),
    "who left is out until the next expedition": Case(
        ["snake", "boulder", 11, 5], "2 - all", players=3, inside=[0, 1, 2]
    ),
    "what was decided is seen afterwards, not of a player in camp": Case(
        ["snake", "boulder", 11], "2 0", players=3, decision=[1, 0, -1, -1, -1, -1, -1, -1]
    ),
}
test_play = cases(CASES)


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
    with np.errstate(divide="raise"):  # uncompiled, 3 gems // 0 leavers is 0 with a warning
        assert Play([7, "snake", 5]).all_continue(2).game["path_gems"] == 3 + 1
