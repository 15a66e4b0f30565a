"""Scripted decks through the public environment."""

import pytest

from diamant_env import diamant_v0
from diamant_env.editions import NUM_CARDS
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
