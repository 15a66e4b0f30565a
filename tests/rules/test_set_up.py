"""Rulebook: game elements, set up."""

import pytest

from diamant_env import Batch
from diamant_env.editions import FIRST_TRAP, RULEBOOK_PLAYERS
from diamant_env.state import DECIDE, NO_DECISION
from tests.support.play import BASE, PUBLISHED, Case, Play, cases, every

CASES = {
    "the first card is turned up before anyone decides": Case([11], turn=1, phase=DECIDE, expedition=1),
}
test_play = cases(CASES)


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
