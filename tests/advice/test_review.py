"""Reviews of finished games: mistakes in order of their cost, reproducible estimates."""

import numpy as np
import pytest

from diamant_env import CONTINUE, LEAVE, Edition
from diamant_env.advice.review import _LEAST, review
from diamant_env.exact import solve_single_player
from diamant_env.records import GameSession
from tests.advice.test_hint import CARDS_30, ENDGAME, FATAL
from tests.support.play import BASE, Play


def played(deck: list, turns: str, edition: Edition = BASE) -> list:
    """Return the states of a game of chosen cards between two players; turns as in `Play.play`."""
    play = Play(deck, 2, edition)
    states = [play.game.copy(), *(play.play(turn).game.copy() for turn in turns.split())]
    assert play.over
    return states


GREEDY = played([*ENDGAME, "snake"], "- - - - 1 - - - - - -")
WISE = played(ENDGAME, "- - - - 1 - - - - - 0")


def test_costliest_mistake_comes_first():
    """Alone inside and ahead, with 6 of 24 cards fatal: CONTINUE loses a quarter of the win probability."""
    found = review(GREEDY, BASE, 0)
    worst = found.decisions[0]
    assert (worst.turn, worst.chose) == (10, CONTINUE)
    assert worst.interval[0] < FATAL < worst.interval[1]
    assert worst.mistake


def test_right_decision_is_no_mistake():
    leaving = next(each for each in review(WISE, BASE, 0).decisions if each.turn == 10)
    assert (leaving.chose, leaving.cost, leaving.mistake) == (LEAVE, 0, False)
    assert leaving.interval[1] < 0


def test_leaving_too_early_is_a_mistake():
    """With 6 gems against 10 of a rival in camp, LEAVE in the last expedition loses."""
    deck = [17, "snake", "snake", "spider", "spider", "spider", 2, 5]
    states = played(deck, "0 - all all all 0 1")
    assert states[-1].chest[:2].tolist() == [10, 6]
    found = review(states, BASE, 1)
    worst = found.decisions[0]
    assert (worst.turn, worst.chose, worst.mistake) == (6, LEAVE, True)
    assert worst.cost > 0.3
    assert "you left with 6 gems in the bag; continuing wins" in worst.words
    assert "left too early" in found.summary[0]


@pytest.mark.parametrize("edition", ["iello-2016", "incan-gold"])
def test_review_covers_every_decision_and_state(edition):
    session = GameSession(edition, ["random:0.3"] * 3, 5)
    session.play_out()
    found = review(session.games, session.edition, 2)
    turns = [turn for turn, game in enumerate(session.games) if game.inside[2]]
    assert sorted(each.turn for each in found.decisions) == turns
    assert found.summary[0].startswith("Judged with all chests open: in ") == session.edition.hidden_chests
    for each in found.decisions:
        game = session.games[each.turn]
        assert each.words.startswith(f"Expedition {game.expedition}, card {game.turn}: ")
        assert each.chose == session.games[each.turn + 1].decision[2]
        assert each.cost == pytest.approx(max(0, sum(each.interval) / 2))
        assert each.mistake == (each.interval[0] >= _LEAST) <= (each.cost > 0)
    order = [(not each.mistake, -each.cost) for each in found.decisions]
    assert order == sorted(order)
    assert found.labels[0] == "1.1"
    assert found.labels[-1] == "end"
    assert len(found.chances) == len(found.labels) == len(session.games)
    np.testing.assert_allclose(np.sum(found.chances, axis=1), 1)
    assert review(session.games, session.edition, 2) == found


def test_review_of_two_players_is_exact():
    """Leaving alone wins, and 6 of 19 cards are fatal."""
    found = review(played([*ENDGAME, "snake"], "- - - - 1 - - - - - -", CARDS_30), CARDS_30, 0)
    assert found.decisions[0].turn == 10
    assert found.decisions[0].cost == pytest.approx(6 / 19)
    assert found.decisions[0].words.endswith("leaving wins 31.6 more of 100 games.")
    np.testing.assert_allclose(np.sum(found.chances, axis=1), 1)
    assert found.chances[0] == pytest.approx([0.5, 0.5])
    assert found.chances[-2:] == [pytest.approx([1, 0]), [0, 1]]


def test_review_of_single_player_is_in_gems():
    """Leaving with 8 gems costs what the optimal policy earns above them."""
    session = GameSession("iello-2016", ["bag:8"], 5)
    session.play_out()
    found = review(session.games, session.edition, 0)
    assert len(found.decisions) == sum(game.inside[0] for game in session.games)
    for each in found.decisions:
        game = session.games[each.turn]
        if each.chose == LEAVE:
            gain = solve_single_player(session.edition, game).value - game.bag - game.path_gems - game.path_relic_value
            assert each.cost == pytest.approx(gain, abs=0.006)
        assert each.mistake == (each.cost > 0)
    assert "left too early" in found.summary[0]
    assert f"{sum(each.cost for each in found.decisions):.2f} gems" in found.summary[1]
    worst = found.decisions[0]
    assert worst.loss == f"−{worst.cost:.2f}"
