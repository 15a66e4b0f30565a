"""The compiled rules and the oracle play the same games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamant_env import Batch, diamant_v0
from diamant_env.editions import NO_CARD
from diamant_env.rewards import REWARDS
from tests.support.oracle import Oracle
from tests.support.play import BASE, INVENTED, PUBLISHED, every, games
from tests.support.side_by_side import DECISIONS, Names, SideBySide, as_dicts, seen_by_oracle, seen_in_record

KINDS = list(DECISIONS)


@every(PUBLISHED)
@pytest.mark.parametrize("players", range(1, 9))
def test_many_games_at_every_table(edition, players):
    both = SideBySide(Batch(games(180), players, edition), seed=1000 * players)
    turns = both.play_to_the_end(np.random.default_rng(players), KINDS)
    assert turns >= edition.expeditions
    assert len({tuple(game["chest"]) for game in both.records}) > 1


@every(INVENTED)
def test_other_boxes(edition):
    players = np.arange(games(96)) % 8 + 1
    SideBySide(Batch(len(players), players, edition), seed=7).play_to_the_end(np.random.default_rng(1), KINDS)


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards(reward):
    players = np.arange(games(140)) % 7 + 2
    editions = [[BASE, *INVENTED][i % (1 + len(INVENTED))] for i in range(len(players))]
    batch = Batch(len(players), players, editions, reward)
    SideBySide(batch, seed=11).play_to_the_end(np.random.default_rng(2), KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_decision_ends_the_game(kind):
    both = SideBySide(Batch(20, 5), seed=3)
    assert both.play_to_the_end(np.random.default_rng(4), [kind]) <= 5 * 35


def test_a_game_that_is_over_stays_as_it_is():
    both = SideBySide(Batch(6, 3), seed=5)
    both.play_to_the_end(np.random.default_rng(6), KINDS)
    before = both.batch.games.tobytes()
    both.step(np.ones((6, 3), bool), np.full((6, 3), 77))
    assert both.batch.games.tobytes() == before


@pytest.mark.parametrize("players", range(1, 9))
def test_gems_are_conserved(players):
    """Found gems = chests gained + bags + path + returned, by the engine's records alone."""
    batch, rng, names = Batch(games(60), players), np.random.default_rng(players), Names(BASE)
    batch.reset(players)
    while not batch.over.all():
        running = ~batch.over
        before = as_dicts(batch.games[running])
        batch.step((rng.random((batch.num_games, players)) < 0.15).astype(np.int8))
        for old, new in zip(before, as_dicts(batch.games[running]), strict=True):
            assert returned_gems(old, new, names) == gems_that_must_return(old, new)


def returned_gems(old: dict, new: dict, names: Names) -> int:
    """What went to the reserve in one turn: what was there and was found, less what was gained and is still there."""
    leavers = new["decision"].count(1)
    gained = sum(new["chest"]) - sum(old["chest"]) - (old["path_relic_value"] if leavers == 1 else 0)
    card = names.cards[new["last_card"]]
    found = card if isinstance(card, int) and new["num_inside"] else 0
    return in_the_cave(old) + found - gained - in_the_cave(new)


def in_the_cave(game: dict) -> int:
    return game["num_inside"] * game["bag"] + game["path_gems"]


def gems_that_must_return(old: dict, new: dict) -> int:
    leavers = new["decision"].count(1)
    left_on_path = old["path_gems"] % leavers if leavers else old["path_gems"]
    stayed = old["num_inside"] - leavers
    ended = stayed == 0 or new["bust_card"] != NO_CARD
    return stayed * old["bag"] + left_on_path if ended else 0


@given(st.sampled_from([*PUBLISHED, *INVENTED]), st.integers(1, 8), st.data())
def test_any_cards_and_any_decisions(edition, players, data):
    """The cards are chosen as well, so that rare ones come together."""
    random = data.draw(st.randoms(use_true_random=False))
    chances = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]), min_size=1, max_size=10))
    deck, leavers = plan(Oracle(edition, players), chances, random)
    env = diamant_v0.parallel_env(players, edition)
    env.reset(seed=0, options={"deck": deck})
    oracle, names, cards = Oracle(edition, players), Names(edition), iter(deck)
    oracle.reveal(next(cards))
    for leaving in leavers:
        oracle.decide(leaving)
        reveal_until_decision(oracle, lambda: next(cards))
        env.step({f"player_{seat}": int(seat in leaving) for seat in range(players)})
        assert seen_in_record(as_dicts(env.game[None])[0], names) == seen_by_oracle(oracle)
    assert oracle.over
    assert not env.agents


def plan(oracle: Oracle, chances: list[float], random) -> tuple[list, list[set[int]]]:
    """Play a whole game of random cards; return them and who left when."""
    deck, leavers = [], []

    def next_card():
        deck.append(random.choice(oracle.deck))
        return deck[-1]

    oracle.reveal(next_card())
    while not oracle.over:
        chance = chances[len(leavers) % len(chances)]
        inside = [seat for seat, player in enumerate(oracle.players) if player.inside]
        leavers.append({seat for seat in inside if random.random() < chance})
        oracle.decide(leavers[-1])
        reveal_until_decision(oracle, next_card)
    return deck, leavers


def reveal_until_decision(oracle: Oracle, next_card) -> None:
    """Turn up cards until one lies there that did not end the expedition."""
    while not oracle.over:
        expedition = oracle.expedition
        oracle.reveal(next_card())
        if oracle.expedition == expedition:
            return
