"""What a player sees: the layout, and every field against the oracle."""

from __future__ import annotations

import copy
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from diamant_env import FIELDS, NUM_FEATURES, Batch, Edition, Observations, observation_space
from diamant_env.observation import SLICES, field_table
from tests.support.oracle import Oracle
from tests.support.play import BASE, INVENTED, ODD, PRINTED, PUBLISHED, every
from tests.support.side_by_side import DECISIONS, SideBySide

KINDS = list(DECISIONS)
HIDDEN = replace(BASE, name="hidden chests", hidden_chests=True)


# The layout.


def test_element_0_says_that_the_seat_must_decide():
    assert FIELDS[0].name == "must_decide"
    assert SLICES["must_decide"] == slice(0, 1)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_scales_are_powers_of_two(field):
    mantissa, _ = np.frexp(field.scale)
    assert mantissa == 0.5
    assert field.low < field.high
    assert field.meaning


def test_the_space_has_the_bounds_of_the_fields():
    space = observation_space()
    assert (space.shape, space.dtype) == ((NUM_FEATURES,), np.float32)
    for field in FIELDS:
        assert (space.low[SLICES[field.name]] * field.scale == np.float32(field.low)).all()
        assert (space.high[SLICES[field.name]] * field.scale == np.float32(field.high)).all()
    assert observation_space() is not space


def test_the_table_of_the_documentation_has_a_row_for_each_field():
    rows = field_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [field.name for field in FIELDS]


@every([*PUBLISHED, *INVENTED])
def test_bounds_contain_what_games_produce(edition):
    batch, space, rng = Batch(64, np.arange(64) % 8 + 1, edition), observation_space(), np.random.default_rng(1)
    rows = batch.reset(1)
    while not batch.over.all():
        present = np.arange(8) < batch.num_players[:, None]
        assert (rows[present] >= space.low).all()
        assert (rows[present] <= space.high).all()
        rows, _, _ = batch.step((rng.random((64, 8)) < 0.1).astype(np.int8))


# The view by name.


def test_observations_decode_to_natural_units():
    batch = Batch(5, 4)
    rows = batch.reset(1)
    obs = Observations(rows.reshape(-1, NUM_FEATURES))
    assert list(obs) == [field.name for field in FIELDS]
    assert len(obs) == len(FIELDS)
    for field in FIELDS:
        values = obs[field.name]
        assert values.dtype == np.float32
        assert values.shape == ((20,) if field.size == 1 else (20, field.size))
        back = np.float32(1 / field.scale) * values
        assert back.ravel().tobytes() == obs.flat[:, SLICES[field.name]].tobytes()
    one = Observations(rows[2, 1])
    assert one["bag"] == obs["bag"][9]
    assert (one["treasures_left"] == obs["treasures_left"][9]).all()


def test_observations_refuse_other_shapes_and_names():
    with pytest.raises(ValueError, match=rf"shape \(3, 7\); the last axis must have {NUM_FEATURES} features"):
        Observations(np.zeros((3, 7), np.float32))
    with pytest.raises(ValueError, match="observations: <class 'list'>; expected an array"):
        Observations([1, 2])
    with pytest.raises(KeyError, match="no field 'gold'; fields: must_decide, chest"):
        Observations(np.zeros((3, NUM_FEATURES), np.float32))["gold"]


# Every field, as the oracle sees it.


def next_card(oracle: Oracle) -> tuple[Fraction, Fraction]:
    """The chance of a bust and the mean share, by turning up every card of the deck in a copy of the game."""
    if not oracle.inside:
        return Fraction(0), Fraction(0)
    seat = oracle.players.index(oracle.inside[0])
    busts = gems = 0
    for card, copies in oracle.deck_counts.items():
        later = copy.deepcopy(oracle)
        later.reveal(card)
        if later.over or later.expedition != oracle.expedition:
            busts += copies
        else:
            gems += copies * (later.players[seat].bag - oracle.players[seat].bag)
    return Fraction(busts, len(oracle.deck)), Fraction(gems, len(oracle.deck))


def padded(values: list, size: int) -> list:
    return [float(value) for value in values] + [0.0] * (size - len(values))


def relic_slots(oracle: Oracle, edition: Edition) -> list[int]:
    if edition.relic_values == "printed":
        return [oracle.deck.count(f"relic {value}") for value in edition.relics]
    return [oracle.deck.count("relic")]


def view_of(oracle: Oracle, edition: Edition, seat: int, turn: int, chances: tuple) -> dict[str, float | list]:
    """What this seat must see, by field, in natural units."""
    own, players = oracle.players[seat], len(oracle.players)
    rivals = [oracle.players[(seat + 1 + i) % players] for i in range(players - 1)]
    hide = edition.hidden_chests
    shown = [] if hide else rivals
    return {
        "must_decide": own.inside,
        "chest": own.chest,
        "relics": len(own.relic_values),
        "left_turn": own.left_turn,
        "lead": own.chest - max(rival.chest for rival in rivals) if shown else 0,
        "num_players": players,
        "num_inside": len(oracle.inside),
        "expedition": oracle.expedition,
        "expeditions_left": edition.expeditions - oracle.expedition,
        "turn": turn,
        "bag": oracle.inside[0].bag if oracle.inside else 0,
        "path_gems": oracle.path_gems,
        "path_relics": len(oracle.path_relics),
        "path_relic_value": oracle.path_relic_value,
        "relics_taken": oracle.relics_taken,
        "hidden_chests": hide,
        "bust_chance": np.float32(float(chances[0])),
        "expected_share": np.float32(float(chances[1])),
        "treasures_left": padded([oracle.deck.count(value) for value in edition.treasure_slots], 16),
        "traps_left": padded([oracle.deck.count(trap) for trap in edition.traps], 8),
        "traps_on_path": padded([trap in oracle.traps_on_path for trap in edition.traps], 8),
        "relics_left": padded(relic_slots(oracle, edition), 5),
        "rival_present": padded([1] * len(rivals), 7),
        "rival_inside": padded([rival.inside for rival in rivals], 7),
        "rival_chest": padded([rival.chest for rival in shown], 7),
        "rival_relics": padded([len(rival.relic_values) for rival in shown], 7),
        "rival_left_turn": padded([rival.left_turn for rival in rivals], 7),
    }


@every([*PUBLISHED, HIDDEN, PRINTED, ODD])
def test_every_field_of_every_seat(edition):
    players = np.arange(16) % 8 + 1
    both, rng = SideBySide(Batch(16, players, edition), seed=21), np.random.default_rng(3)
    while not both.batch.over.all():
        rows = both.batch.observe()
        for i, oracle in enumerate(both.oracles):
            chances = next_card(oracle)
            turn = both.records[i]["turn"]  # the oracle's path is gone when the game is over
            assert oracle.over or turn == oracle.turn
            for seat in range(players[i]):
                obs = Observations(rows[i, seat])
                assert {name: obs[name].tolist() for name in obs} == view_of(oracle, edition, seat, turn, chances)
        kind = DECISIONS[KINDS[int(rng.integers(len(KINDS)))]]
        both.step(kind(rng, 16, 8), np.zeros((16, 8), np.int8))


def test_seats_are_relative_to_the_observer():
    batch, rng = Batch(10, 5), np.random.default_rng(1)
    rows = batch.reset(1)
    for _ in range(40):
        by_seat = [Observations(rows[:, seat]) for seat in range(5)]
        for seat in range(5):
            for i in range(4):
                rival = by_seat[(seat + 1 + i) % 5]
                assert (by_seat[seat]["rival_chest"][:, i] == rival["chest"]).all()
                assert (by_seat[seat]["rival_inside"][:, i] == rival["must_decide"]).all()
                assert (by_seat[seat]["rival_left_turn"][:, i] == rival["left_turn"]).all()
        rows, _, _ = batch.step((rng.random((10, 5)) < 0.2).astype(np.int8))


def test_hidden_chests_hide_nothing_else():
    shown, hidden, rng = Batch(20, 4, BASE), Batch(20, 4, HIDDEN), np.random.default_rng(1)
    rows, dark = shown.reset(1), hidden.reset(1)
    secret = ["hidden_chests", "lead", "rival_chest", "rival_relics"]
    differed = dict.fromkeys(secret, False)
    while not shown.over.all():
        bright_obs, dark_obs = Observations(rows), Observations(dark)
        for name in bright_obs:
            if name in secret:
                differed[name] |= not np.array_equal(bright_obs[name], dark_obs[name])
            else:
                assert np.array_equal(bright_obs[name], dark_obs[name])
        assert not any(dark_obs[name].any() for name in secret[1:])
        assert (dark_obs["hidden_chests"] == 1).all()
        assert hidden.state().tobytes() == shown.state().tobytes()
        actions = (rng.random((20, 4)) < 0.2).astype(np.int8)
        rows, dark = shown.step(actions)[0], hidden.step(actions)[0]
    assert all(differed.values())
