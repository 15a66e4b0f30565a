"""Records, rewards, observations and rebuilt games against the oracle, at every table size, and random games."""

from fractions import Fraction

import numpy as np
import pytest

from diamant_env import GAME, Batch, Edition, Observations, from_observation, observation_space
from diamant_env.rewards import REWARDS
from tests.support.oracle import Oracle
from tests.support.play import BASE, INVENTED, PUBLISHED, SCALE, every
from tests.support.side_by_side import SideBySide

HIDDEN = BASE.replace(hidden_chests=True)
LAST_EVENTS = {"decision", "banked", "last_card", "bust_card"}  # not in an observation
KINDS = ["a few leave", "half leave", "one leaves", "a few leave"]
BATCH = 144  # seven thousand random games in all; DIAMANT_TEST_SCALE multiplies them


def next_card(oracle: Oracle) -> tuple[Fraction, Fraction]:
    """Return the chance of a bust and the mean share by revealing every card of the deck in a copy."""
    if not oracle.inside:
        return Fraction(0), Fraction(0)
    seat = oracle.players.index(oracle.inside[0])
    busts = gems = 0
    for card, copies in oracle.deck_counts.items():
        later = oracle.copy()
        later.reveal(card)
        if later.over or later.expedition != oracle.expedition:
            busts += copies
        else:
            gems += copies * (later.players[seat].bag - oracle.players[seat].bag)
    return Fraction(busts, len(oracle.deck)), Fraction(gems, len(oracle.deck))


def padded(values: list, size: int) -> list:
    return [float(value) for value in values] + [0.0] * (size - len(values))


def view_of(oracle: Oracle, edition: Edition, seat: int, turn: int, chances: tuple) -> dict[str, float | list]:
    """Return the expected observation of a seat, by field, in natural units."""
    own, players = oracle.players[seat], len(oracle.players)
    rivals = [oracle.players[(seat + 1 + i) % players] for i in range(players - 1)]
    hide = edition.hidden_chests
    relics = [f"relic {value}" for value in edition.relics] if edition.relic_values == "printed" else ["relic"]
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
        "relics_left": padded([oracle.deck.count(relic) for relic in relics], 5),
        "rival_present": padded([1] * len(rivals), 7),
        "rival_inside": padded([rival.inside for rival in rivals], 7),
        "rival_chest": padded([rival.chest for rival in shown], 7),
        "rival_relics": padded([len(rival.relic_values) for rival in rivals], 7),
        "rival_left_turn": padded([rival.left_turn for rival in rivals], 7),
    }


def compare_views(both: SideBySide) -> None:
    """Assert that each field of each seat and of the state equals the oracle's, within the space."""
    rows, states = both.batch.observe(), both.batch.state()
    space = observation_space()
    for i, (oracle, names) in enumerate(zip(both.oracles, both.names, strict=True)):
        chances, turn = next_card(oracle), int(both.batch.games.turn[i])
        shown = names.edition.replace(hidden_chests=False)
        views = [(rows[i, seat], names.edition, seat) for seat in range(len(oracle.players))]
        for row, edition, seat in [*views, (states[i], shown, 0)]:
            obs = Observations(row)
            assert {name: obs[name].tolist() for name in obs} == view_of(oracle, edition, seat, turn, chances)
            assert space.contains(row)
        assert not rows[i, len(oracle.players) :].any()


def compare_rebuilt(both: SideBySide, edition: Edition) -> None:
    """Assert that games rebuilt from the last seats' rows (states if chests are hidden) equal those played."""
    games, seats = both.batch.games, both.batch.num_players - 1
    rows = both.batch.observe()[np.arange(len(games)), seats]
    if edition.hidden_chests:
        rows, seats = both.batch.state(), seats * 0
    rebuilt = from_observation(rows, games.key, edition.replace(hidden_chests=False))
    for i, seat in enumerate(seats):
        for name in set(GAME.names) - LAST_EVENTS:
            expected = games[name][i].copy()
            if name in ("chest", "relics", "inside", "left_turn"):  # the observer is first
                players = both.batch.num_players[i]
                expected[:players] = np.roll(expected[:players], -seat)
            assert np.array_equal(rebuilt[name][i], expected), name


@every([*PUBLISHED, *INVENTED, HIDDEN])
def test_everything_at_every_table(edition):
    """Play to the end; compare all observations every fourth turn, and at the end."""
    both = SideBySide(Batch(16, np.arange(16) % 8 + 1, edition), seed=21)
    for turn in both.turns(np.random.default_rng(5), KINDS):
        if turn % 4 == 0:
            compare_views(both)
            compare_rebuilt(both, edition)
    compare_views(both)
    compare_rebuilt(both, edition)
    assert turn >= edition.expeditions


@every([*PUBLISHED, *INVENTED])
@pytest.mark.parametrize("reward", REWARDS)
def test_engine_and_oracle_agree(edition, reward):
    fewest = 2 if reward == "margin" else 1  # a margin needs a rival
    players = np.arange(BATCH) // 6 % (9 - fewest) + fewest  # every table size with every kind of decisions
    chests, rng = set(), np.random.default_rng(list(REWARDS).index(reward))
    for chunk in range(SCALE):
        both = SideBySide(Batch(BATCH, players, edition, reward), seed=1_000_000_000 + int(rng.integers(2**40)) + chunk)
        assert both.play_to_the_end(rng) >= edition.expeditions
        chests.update(map(tuple, both.batch.games.chest.tolist()))
    assert len(chests) > BATCH / 3  # distinct games
