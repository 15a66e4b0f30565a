"""Hints: the champion's probability, roll-outs of both choices, no hidden information; odds of the next card."""

import numpy as np
import pytest

from diamant_env import CONTINUE, EDITIONS, LEAVE, Edition
from diamant_env.advice import hint as hint_module
from diamant_env.advice.hint import hint
from diamant_env.advice.odds import Odds
from diamant_env.exact import solve_single_player, solve_two_player_win
from diamant_env.records import GameSession
from tests.support.play import BASE, Play

CARDS_30 = EDITIONS["iello-2016-fr"]

TRAPS = ["spider", "snake", "lava pit", "boulder", "battering ram"]


BUSTS = [card for trap in TRAPS[:4] for card in (trap, trap)]  # four expeditions without a gem
ENDGAME = [*BUSTS, 15, 5, *TRAPS]  # seat 1 leaves with 8 gems after the 15; seat 0 has 12 in the bag
FATAL = 6 / 24  # P(bust): 1 copy of each of four traps and 2 of the fifth, 13 treasures, 5 relics


def winning_endgame(edition: Edition = BASE) -> Play:
    """Return a game in the last expedition in which seat 0 is alone inside and wins by LEAVE."""
    return Play([*ENDGAME, "snake"], players=2, edition=edition).all_continue(4).leave(1).all_continue(len(TRAPS))


@pytest.mark.parametrize(("edition", "hidden"), [("iello-2016", False), ("everdeck-relics/hidden_chests:1", True)])
def test_hint_gives_probability_of_champion(edition, hidden):
    session = GameSession(edition, ["champion"] * 3, 5)
    asked = 0
    while not session.over:
        leave = session.leave
        for seat in np.flatnonzero(session.batch.must_decide[0])[:1]:
            found = hint(session.now, session.edition, seat, seconds=0)
            assert found.leave == pytest.approx(leave[seat], abs=1e-6)
            assert (found.outlook is None) == (found.why_not is not None) == hidden
            assert found.says.startswith(f"The champion would {'leave' if leave[seat] >= 0.5 else 'continue'} (")
            asked += 1
        session.play(session.decisions())
    assert asked > 10


def test_winning_choice_is_found():
    """LEAVE wins; CONTINUE loses if the next card is fatal."""
    advice = hint(winning_endgame().game, BASE, 0, seconds=0)
    found = advice.outlook
    assert found.shares[LEAVE] == 1
    assert found.shares[CONTINUE] == pytest.approx(1 - FATAL, abs=4 * np.sqrt(FATAL * (1 - FATAL) / found.games))
    assert found.interval[0] > 0.1
    assert "leaving is better" in advice.basis


def test_hint_is_independent_of_random_key():
    game = winning_endgame().game.copy()
    before = hint(game, BASE, 0, seconds=0)
    game["key"] += 1
    after = hint(game, BASE, 0, seconds=0)
    assert (before.leave, before.outlook) == (after.leave, after.outlook)


@pytest.mark.parametrize("edition", ["iello-2016", "incan-gold-2020"])
def test_single_player_is_advised_by_gems(edition):
    session, best = GameSession(edition, ["bag:30"], 5), set()
    while not session.over:
        found, exact = hint(session.now, session.edition, 0), solve_single_player(session.edition, session.now)
        assert found.gems[LEAVE] == session.now.bag + session.now.path_gems + session.now.path_relic_value
        assert max(found.gems) == pytest.approx(exact.value)
        assert found.leave == exact.leaves[0]
        assert f"would {'leave' if exact.leaves[0] else 'continue'}." in found.says
        best.add(found.leave)
        session.play(session.decisions())
    assert best == {0, 1}


def test_two_players_are_advised_exactly():
    """Alone with the winning bag; and where both mix, with 12 gems against 8."""
    assert hint(winning_endgame(CARDS_30).game, CARDS_30, 0).outlook.shares == pytest.approx((1 - 6 / 19, 1))
    deck = [*BUSTS[:6], 15, 5, 11, "snake", 13, "lava pit", "boulder"]
    game = Play(deck, 2, CARDS_30).all_continue(3).leave(1).leave(0).all_continue(4).game
    ahead, behind = (hint(game, CARDS_30, seat) for seat in (0, 1))
    values = solve_two_player_win(CARDS_30).action_values(game)
    assert (*ahead.outlook.shares, ahead.leave) == pytest.approx(tuple(values), abs=1e-12)
    assert behind.outlook.shares == pytest.approx([1 - values[LEAVE]] * 2, abs=1e-12)
    assert 0 < ahead.leave < 0.5 < values[LEAVE]
    assert ahead.says == f"Perfect play would continue ({1 - ahead.leave:.0%})."
    assert "equally good" in ahead.basis


def test_time_budget_ends_search(monkeypatch):
    """The clock advances by 0.1 s per call: three rounds end at 0.6 s."""
    times = iter(np.arange(100) / 10)
    monkeypatch.setattr(hint_module, "perf_counter", lambda: next(times))
    found = hint(winning_endgame().game, BASE, 0, seconds=0.6)
    assert found.outlook.games == 3 * hint_module._BATCH
    monkeypatch.setattr(hint_module, "perf_counter", lambda: 0.0)
    monkeypatch.setattr(hint_module, "_MOST", 2 * hint_module._BATCH)
    assert hint(winning_endgame().game, BASE, 0).outlook.games == hint_module._MOST


def test_kinds_of_the_next_card():
    found = Odds(Play(["spider", 5]).all_continue().game, BASE, 0).next
    cards = {"a bust": 2, "by spider": 2, "a new trap": 12, "a treasure": 14, "a relic": 5}
    assert {row.what: row.chance for row in found} == {what: number / 33 for what, number in cards.items()}
