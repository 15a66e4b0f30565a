"""Small tables of every sort, all at once: records, rewards, what every seat sees, and games rebuilt from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_rebuilding import turned

from diamant_env import Batch, Edition, Observations, from_observation
from diamant_env.observation import SLICES
from diamant_env.rules import LAST_EVENTS
from tests.game.test_observation import HIDDEN, next_card, view_of
from tests.support.play import BASE, ODD, PRINTED_AT_ONCE, RELICS_DECIDE
from tests.support.side_by_side import DECISIONS, SideBySide

PLAYERS = [2, 3, 8, 5]
FIELDS_OF_CHANCE = [SLICES["bust_chance"].start, SLICES["expected_share"].start]
KINDS = ["a few leave", "half leave", "one leaves", "a few leave"]


def compare_views(both: SideBySide, edition: Edition) -> None:
    """Every field of every seat, and of the state, is what the oracle says."""
    with np.errstate(divide="raise"):  # uncompiled, NumPy divides whole numbers by 0 with a warning: 0
        rows, states = both.batch.observe(), both.batch.state()
    shown = replace(edition, hidden_chests=False)
    for i, oracle in enumerate(both.oracles):
        chances, turn = next_card(oracle), both.records[i]["turn"]
        for seat in range(len(oracle.players)):
            obs = Observations(rows[i, seat])
            assert {name: obs[name].tolist() for name in obs} == view_of(oracle, edition, seat, turn, chances)
        assert not rows[i, len(oracle.players) :].any()
        obs = Observations(states[i])
        assert {name: obs[name].tolist() for name in obs} == view_of(oracle, shown, 0, turn, chances)


def compare_rebuilt(both: SideBySide, edition: Edition) -> None:
    """The games that the last seats' views tell of are those that are played."""
    games, last = both.batch.games, both.batch.num_players - 1
    rebuilt = from_observation(both.batch.observe()[np.arange(len(games)), last], games.key, edition)
    for i, seat in enumerate(last):
        expected = turned(games[i : i + 1], seat, seat + 1)
        for name in set(games.dtype.names) - set(LAST_EVENTS):
            assert np.array_equal(rebuilt[name][i], expected[name][0]), name


@pytest.mark.parametrize(
    ("edition", "reward"),
    [(ODD, "margin"), (BASE, "score"), (RELICS_DECIDE, "win"), (PRINTED_AT_ONCE, "score"), (HIDDEN, "win")],
    ids=lambda value: getattr(value, "name", value),
)
def test_everything_at_a_few_tables(edition, reward):
    players = PLAYERS if reward == "margin" else [1, *PLAYERS[1:]]
    both = SideBySide(Batch(4, players, edition, reward), seed=5)
    rng, turn = np.random.default_rng(5), 0
    while not both.batch.over.all():
        if turn % 5 == 1:
            compare_views(both, edition)
            if not edition.hidden_chests:
                compare_rebuilt(both, edition)
        leave = np.stack([DECISIONS[kind](rng, 1, 8)[0] for kind in KINDS])
        both.step(leave, rng.integers(-128, 128, (4, 8)))
        turn += 1
    compare_views(both, edition)
    if not edition.hidden_chests:
        compare_rebuilt(both, edition)
    assert turn > edition.expeditions


def test_a_place_without_a_game_yet():
    rows = Batch(2, 3).reset(1, mask=[True, False])
    assert np.isfinite(rows).all()
    assert rows[1, :, FIELDS_OF_CHANCE].tolist() == [[0] * 3] * 2
