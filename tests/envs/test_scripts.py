"""A scripted deck: chosen cards through the public environment."""

from __future__ import annotations

import pytest

from diamant_env import diamant_v0
from diamant_env.editions import NUM_CARDS
from tests.support.play import PRINTED, PUBLISHED, Play, card_of, every
from tests.support.side_by_side import as_dicts


def new_env(**options):
    return diamant_v0.parallel_env(**{"num_players": 3, **options})


def shown(env) -> tuple:
    return as_dicts(env.game[None]), env.agents, env.state().tobytes(), env.render()


@every(PUBLISHED)
def test_every_card_can_be_chosen(edition):
    deck = Play([11], edition=edition).env.game["deck"]
    for card in range(NUM_CARDS):
        if deck[card]:
            assert Play([card_of(edition, card)], edition=edition).game["last_card"] == card


def test_relic_means_the_lowest_where_they_differ():
    play = Play(["snake", "relic", "relic", 1, 1], edition=PRINTED).all_leave().leave(0).leave(1)
    assert play.chests == [5, 7, 0, 0]
    other = Play(["snake", "relic 7", "relic", 1], edition=PRINTED, players=2).all_leave()
    assert other.game["path_relic_value"] == 7
    assert other.go_on().game["path_relic_value"] == 12


def test_the_cards_go_on_across_expeditions_and_busts():
    play = Play(["snake", "snake", 5, 7], players=1).go_on()
    assert (play.game["expedition"], play.game["bag"]) == (2, 5)
    play.all_leave()
    assert (play.game["expedition"], play.game["bag"]) == (3, 7)


def test_cards_by_number_or_text_and_the_deck_is_the_callers():
    deck = [11, "11"]
    env = diamant_v0.env(num_players=1)
    env.reset(options={"deck": deck})
    deck[1] = 17
    env.step(0)
    assert env.unwrapped.game["bag"] == 11 + 11


@pytest.mark.parametrize("deck", [[], None])
def test_an_empty_deck_is_no_script_and_the_next_reset_forgets_one(deck):
    env, plain = new_env(), new_env()
    env.reset(seed=3, options={"deck": ["snake", "boulder"]})
    env.reset(seed=1, options={"deck": deck})
    plain.reset(seed=1)
    assert shown(env) == shown(plain)


def test_afterwards_the_deck_goes_on_at_random():
    firsts = set()
    for seed in range(20):
        env = new_env()
        env.reset(seed=seed, options={"deck": ["snake"]})
        env.step(dict.fromkeys(env.agents, 0))
        firsts.add(int(env.game["last_card"]))
    assert len(firsts) > 5


@pytest.mark.parametrize("deck", ["snake", 5, {5}])
def test_a_deck_is_a_list(deck):
    with pytest.raises(ValueError, match="a deck is a list of cards"):
        new_env().reset(options={"deck": deck})


@pytest.mark.parametrize("card", [8, 0, -1, 5.0, "bear", "", None, "relic 5"])
def test_unknown_cards_are_named_with_their_position(card):
    with pytest.raises(ValueError, match=r"card 2 of the deck: .* is no card of 'iello-2016'; its cards are 1, 2"):
        new_env().reset(options={"deck": [5, "snake", card]})


def test_a_card_that_is_used_up_is_named_with_its_position():
    env = new_env(render_mode="ansi")
    env.reset(options={"deck": [17, "boulder", 17]})
    env.step(dict.fromkeys(env.agents, 0))
    before = shown(env)
    with pytest.raises(ValueError, match="card 2 of the deck, 17, is not in the deck in expedition 1, turn 3"):
        env.step({"player_0": 1, "player_1": 0, "player_2": 0})
    assert shown(env) == before


def test_a_failed_step_can_be_repaired():
    """In the next expedition the card is there again: all leave instead."""
    env = new_env()
    env.reset(options={"deck": [17, 17]})
    for _ in range(2):
        with pytest.raises(ValueError, match="card 1 of the deck"):
            env.step(dict.fromkeys(env.agents, 0))
    env.step(dict.fromkeys(env.agents, 1))
    assert (env.game["expedition"], env.game["bag"]) == (2, 5)


def test_a_bust_before_a_missing_card_is_not_played():
    env = new_env(render_mode="ansi")
    env.reset(options={"deck": [*["relic"] * 5, "snake", "snake", "relic"]})
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, 0))
    before = shown(env)
    with pytest.raises(ValueError, match="card 7 of the deck, 'relic', is not in the deck in expedition 2, turn 1"):
        env.step(dict.fromkeys(env.agents, 0))
    assert shown(env) == before
    env.step(dict.fromkeys(env.agents, 1))  # then the second snake is the first card of the next expedition
    assert (env.game["expedition"], env.game["turn"], env.game["on_path"].sum()) == (2, 1, 1)


def test_a_failed_reset_leaves_the_game_and_its_deck():
    env = new_env(edition=PRINTED, render_mode="ansi")
    with pytest.raises(ValueError, match="relic 7"):
        env.reset(options={"deck": ["relic 7"]})
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step({})
    env.reset(seed=1, options={"deck": ["snake", 17]})
    before = shown(env)
    for deck in (["bear"], ["relic 7"]):
        with pytest.raises(ValueError, match="card 0 of the deck"):
            env.reset(seed=2, options={"deck": deck})
        assert shown(env) == before
    env.step(dict.fromkeys(env.agents, 0))
    assert env.game["bag"] == 5
