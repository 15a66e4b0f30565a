"""Values and NashConv of `diamant_env.exact.WholeGame` against OpenSpiel's, in whole games of several expeditions."""

import numpy as np
import pytest

from diamant_env import Edition, exact
from diamant_env.opponents import make
from diamant_env.rewards import REWARDS
from tests.exact.test_exact import compiled_only

pytest.importorskip("pyspiel")
import diamant_env.open_spiel as spiel
from tests.open_spiel.test_agreement import Cached, judged, load

pytestmark = compiled_only
TWICE = Edition("twice", (5,), ("mud",), trap_copies=3, expeditions=2)
RELICS = Edition(
    "relics", (5,), ("mud",), 2, (3,), expeditions=2, bust_removes=0, tie_break="relics", hidden_chests=True
)
SEATS = ("ev:0", "random:0.3", "catch-up")


@pytest.mark.parametrize(
    ("edition", "players", "reward"),
    [*((TWICE, 2, reward) for reward in REWARDS), (TWICE, 3, "score"), (RELICS, 2, "win")],
)
def test_values_and_nash_conv_agree(edition, players, reward):
    whole, game = exact.WholeGame(edition, players), load(edition, players, recall="state", utility=reward)
    table = [agent for agent in SEATS if not (edition.hidden_chests and agent == "catch-up")]
    for names in ([table[-1]] * players, [table[seat % len(table)] for seat in range(players)]):
        own = [spiel.AgentPolicy(game, name) for name in names]
        values, gap = judged(
            game, Cached(game, lambda state, seat, own=own: own[seat].action_probabilities(state, seat))
        )
        alike = len(set(names)) == 1
        response = whole.best_response(make(names[0]) if alike else list(map(make, names)), reward)
        np.testing.assert_allclose(values, response.profile_value, atol=1e-12)
        assert abs(gap - response.nash_conv) < 1e-12
