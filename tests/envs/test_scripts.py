"""Scripted decks through the public environment."""

from dataclasses import replace

import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

from diamant_env import Batch, Observations, diamant_v0
from diamant_env.editions import NUM_CARDS
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.sb3 import DiamantVecEnv, GymnasiumVecEnv
from tests.support.play import PRINTED, PUBLISHED, Play, card_of, every
from tests.support.side_by_side import as_dicts


def new_env(deck: list | None = None, **options):
    """Make a table of three; reset it with this deck if there is one."""
    env = diamant_v0.parallel_env(**{"num_players": 3, "render_mode": "ansi", **options})
    if deck is not None:
        env.reset(options={"deck": deck})
    return env


def all_act(env, action: int) -> None:
    env.step(dict.fromkeys(env.agents, action))


def shown(env) -> tuple:
    return as_dicts(env.game[None]), env.agents, env.state().tobytes(), env.render()


@every(PUBLISHED)
def test_every_card_can_be_scripted(edition):
    deck = Play([11], edition=edition).env.game["deck"]
    for card in range(NUM_CARDS):
        if deck[card]:
            assert Play([card_of(edition, card)], edition=edition).game["last_card"] == card


def test_relic_is_the_lowest_printed_relic():
    play = Play(["snake", "relic", "relic", 1, 1], edition=PRINTED).all_leave().leave(0).leave(1)
    assert play.chests == [5, 7, 0, 0]
    other = Play(["snake", "relic 7", "relic", 1], edition=PRINTED, players=2).all_leave()
    assert other.game["path_relic_value"] == 7
    assert other.all_continue().game["path_relic_value"] == 12


def test_relics_of_equal_printed_value():
    edition = replace(PRINTED, relics=(3, 8, 8), relics_enter="start")
    play = Play(["relic 8", "relic 8", "relic 3"], edition=edition, players=2).all_continue().all_continue()
    assert play.game["path_relic_value"] == 8 + 8 + 3
    play = Play(["relic", "relic 8", "relic"], edition=edition, players=2).all_continue()
    assert play.game["path_relic_value"] == 3 + 8
    with pytest.raises(ValueError, match="card 2 of the deck, 'relic 8', is not in the deck"):
        Play(["relic 8", "relic 8", "relic 8"], edition=edition, players=2).all_continue().all_continue()


def test_relic_after_the_last_printed_one_is_refused():
    env = new_env(["relic", "relic"], edition=PRINTED)
    with pytest.raises(ValueError, match="card 1 of the deck, 'relic', is not in the deck in expedition 1, turn 2"):
        all_act(env, 0)


@pytest.mark.parametrize("deck", [[], None])
def test_reset_without_deck_clears_script(deck):
    env, plain = new_env(["snake", "boulder"]), new_env()
    env.reset(seed=1, options={"deck": deck})
    plain.reset(seed=1)
    assert shown(env) == shown(plain)


def test_cards_are_random_after_the_script():
    firsts, env = set(), new_env()
    for seed in range(20):
        env.reset(seed=seed, options={"deck": ["snake"]})
        all_act(env, 0)
        firsts.add(int(env.game["last_card"]))
    assert len(firsts) > 5


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        *((deck, "a deck is a list of cards") for deck in ("snake", 5, {5})),
        *(
            ([5, "snake", card], r"card 2 of the deck: .* is no card of 'iello-2016'; its cards are 1, 2")
            for card in (8, 0, -1, 5.0, "bear", "", None, "relic 5")
        ),
    ],
)
def test_invalid_deck_is_refused(deck, message):
    with pytest.raises(ValueError, match=message):
        new_env(deck)


@pytest.mark.parametrize(
    ("deck", "turns", "place", "after"),
    [
        ([17, "boulder", 17], 1, "card 2 of the deck, 17, .* in expedition 1, turn 3", (2, 1, 17 // 3, 0)),
        # CONTINUE: a bust, then the missing card. LEAVE: the second snake opens the next expedition.
        (
            [*["relic"] * 5, "snake", "snake", "relic"],
            5,
            "card 7 of the deck, 'relic', is not in the deck in expedition 2, turn 1",
            (2, 1, 0, 1),
        ),
    ],
)
def test_turn_with_unavailable_card_is_refused(deck, turns, place, after):
    env = new_env(deck)
    for _ in range(turns):
        all_act(env, 0)
    before = shown(env)
    for _ in range(2):
        with pytest.raises(ValueError, match=place):
            all_act(env, 0)
        assert shown(env) == before
    all_act(env, 1)
    game = env.game
    assert (game["expedition"], game["turn"], game["bag"], game["on_path"].sum()) == after


def test_failed_reset_changes_nothing():
    env = new_env(edition=PRINTED)
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
    all_act(env, 0)
    assert env.game["bag"] == 5


# The option ``deck`` of every environment; other options are refused.


def sb3_rows(env, options):
    env.set_options(options)
    return env.reset()


RESETS = {
    "parallel": lambda options: np.stack(list(diamant_v0.parallel_env().reset(options=options)[0].values())),
    "single": lambda options: DiamantEnv().reset(options=options)[0][None],
    "vector": lambda options: DiamantVectorEnv(2).reset(options=options)[0],
    "sb3": lambda options: sb3_rows(DiamantVecEnv(2), options),
    "gymnasium in sb3": lambda options: sb3_rows(
        GymnasiumVecEnv(DiamantVectorEnv(2, autoreset_mode="SameStep")), options
    ),
}


@pytest.mark.parametrize("reset", RESETS.values(), ids=RESETS)
def test_every_environment_plays_the_deck(reset):
    seen = Observations(reset({"deck": [13]}))
    assert (seen["bag"] == 13 // 4).all()
    assert (seen["path_gems"] == 1).all()


@pytest.mark.parametrize("reset", [*RESETS.values(), lambda options: diamant_v0.env().reset(options=options)])
def test_unknown_option_is_refused(reset):
    with pytest.raises(ValueError, match=r"unknown options \['dekc'\]; allowed: .*deck"):
        reset({"dekc": [5]})


def test_rows_of_sb3_share_the_deck():
    env = DiamantVecEnv(2, 1)
    with pytest.raises(ValueError, match="one dictionary for all rows is allowed"):
        sb3_rows(env, [{"deck": [5]}, {"deck": [7]}])
    first = sb3_rows(env, {"deck": [5]})
    assert (Observations(first)["bag"] == 5).all()
    env.seed(3)
    assert np.array_equal(env.reset()[0], diamant_v0.parallel_env(1).reset(seed=3)[0]["player_0"])  # used once


@pytest.mark.parametrize("seed", [3, None, [3, 4]])
def test_vector_deck_equals_single_deck(seed):
    deck = {"deck": ["snake", 11, 11, "snake"]}
    many, singles = DiamantVectorEnv(2), SyncVectorEnv([DiamantEnv] * 2)
    for env in (many, singles):
        env.reset(seed=1)
    assert np.array_equal(many.reset(seed=seed, options=deck)[0], singles.reset(seed=seed, options=deck)[0])
    for _ in range(20):  # next games without the deck
        assert np.array_equal(many.step([1, 1])[0], singles.step([1, 1])[0])


def test_deck_of_some_games_is_refused():
    env = DiamantVectorEnv(2)
    env.reset(seed=1)
    before = env.games.tobytes()
    for given in ({"seed": [1, None]}, {"options": {"reset_mask": np.array([True, False])}}):
        with pytest.raises(ValueError, match=r"deck.* (applies to|must start) all games"):
            env.reset(**{**given, "options": {"deck": [5], **given.get("options", {})}})
    assert env.games.tobytes() == before


def test_next_game_draws_its_cards():
    """An automatic reset drops the deck, also the cards that did not come up."""
    leave = np.ones((20, 1), np.int8)
    batch, plain = Batch(20, 1), Batch(20, 1)
    batch.reset(seed=3, deck=[5, 7, "snake", 11, 13, "snake"])
    plain.reset(seed=3)
    for _ in range(5):
        batch.step(leave, auto_reset=True)
        plain.step(leave, auto_reset=True)
    assert batch.games["last_card"].tolist() == plain.games["last_card"].tolist()
