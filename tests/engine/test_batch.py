"""Batch against its games one by one; seeds, auto-reset, output arrays."""

import numpy as np
import pytest

from diamant_env import GAME, NUM_FEATURES, Batch
from diamant_env.engine.loops import are_legal, draw_decisions, play_turn
from diamant_env.rewards import REWARDS
from tests.support.play import INVENTED, PUBLISHED
from tests.support.side_by_side import as_dicts

MIXED = np.array([3, 8, 1, 5, 2, 4, 6, 7])


def decisions(batch: Batch, turn: int, chance: float = 0.2) -> np.ndarray:
    """Return decisions that depend on key and turn only, so that they are the same in any batch."""
    seats = np.arange(batch.max_players, dtype=np.uint64)
    bits = (batch.games.key[:, None] >> (seats + np.uint64(turn % 40))) % np.uint64(97)
    return (bits < 97 * chance).astype(np.int8)


@pytest.mark.parametrize("reward", REWARDS)
def test_games_of_a_batch_equal_games_alone(reward):
    editions = [*PUBLISHED, *INVENTED]
    players = np.resize(np.arange(1 + (reward == "margin"), 9), len(editions))
    batch = Batch(len(editions), players, editions, reward)
    alone = [(Batch(1, *table, reward), table[0]) for table in zip(players, editions, strict=True)]
    rows, rewards, absent = batch.reset(seed=70), np.zeros((len(editions), 8)), np.arange(8) >= players[:, None]
    found = [(one.reset(seed=70 + i), np.zeros((1, 8))) for i, (one, _) in enumerate(alone)]
    for turn in range(150):
        for i, (one, table) in enumerate(alone):
            assert found[i][0].tobytes() == rows[i, :table].tobytes()
            assert found[i][1][0, :table].tolist() == rewards[i, :table].tolist()
            assert one.over[0] == batch.over[i]
            assert as_dicts(one.games)[0] == {**as_dicts(batch.games[i : i + 1])[0], "edition": 0}
        for array in (rows, rewards, batch.must_decide):
            assert not array[absent].any()
        actions = decisions(batch, turn)
        rows, rewards, _ = batch.step(actions)
        found = [one.step(actions[i : i + 1, :table]) for i, (one, table) in enumerate(alone)]
    assert batch.over.all()


def test_seeds_of_games():
    batch, one = Batch(3, 4), Batch(1, 4)
    rows = batch.reset(seed=[7, 3, 7])
    assert rows[0].tobytes() == rows[2].tobytes()
    assert one.reset(seed=3).tobytes() == rows[1].tobytes()
    assert batch.reset(seed=[2**63, 3, 7])[1].tobytes() == rows[1].tobytes()
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seed=2**64 - 3 + 1)
    many, keys = [Batch(200, 3), Batch(200, 3)], []
    for _ in range(4):  # unseeded resets and later games have distinct keys
        for batch in many:
            batch.reset()
            keys.append(batch.games.key.copy())
    assert len(np.unique(np.concatenate(keys))) == 8 * 200


@pytest.mark.parametrize("chance", [0.0, 0.25, 0.5, 1.0])
def test_drawn_decisions_have_probability_and_are_independent(chance):
    batch, alone = Batch(5000, [3, 8] * 2500), Batch(1, 3)
    batch.reset(1)
    alone.reset(1 + 4)
    actions, own = np.full((5000, 8), 9, np.int8), np.full((1, 3), 9, np.int8)
    batch.draw_decisions(np.full((5000, 8), chance, np.float32), actions)
    alone.draw_decisions(np.full((1, 3), chance, np.float32), own)
    assert actions[4, :3].tolist() == own[0].tolist()  # independent of other games
    assert not actions[~batch.must_decide].any()
    drawn = actions[:, :3]
    assert abs(drawn.mean() - chance) <= 4 * np.sqrt(chance * (1 - chance) / drawn.size)
    both = drawn[:, :1] & drawn[:, 1:]
    assert (np.abs(both.mean(axis=0) - chance**2) <= 4 * np.sqrt(chance**2 * (1 - chance**2) / 5000)).all()


def test_auto_reset_equals_masked_reset():
    auto, manual = Batch(8, MIXED), Batch(8, MIXED)
    auto.reset(9)
    manual.reset(9)
    ended = 0
    final = np.full((8, 8, NUM_FEATURES), -5, np.float32)
    for turn in range(150):
        final[:] = -5
        actions = decisions(auto, turn)
        rows, rewards, done = auto.step(actions, auto_reset=True, final_observations=final)
        last, earned, over = manual.step(actions)
        assert rewards.tobytes() == earned.tobytes()
        assert done.tobytes() == over.tobytes()
        present = (np.arange(8) < MIXED[:, None]) & done[:, None]
        assert final[present].tobytes() == last[present].tobytes()
        waiting = (np.arange(8) < MIXED[:, None]) & ~done[:, None]
        assert (final[waiting] == -5).all()
        assert not final[(np.arange(8) >= MIXED[:, None]) & done[:, None]].any()
        first = manual.reset(mask=over)
        assert rows.tobytes() == first.tobytes()
        assert auto.games.tobytes() == manual.games.tobytes()
        ended += done.sum()
    assert ended > 16


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("reward", REWARDS)
def test_play_equals_step_without_observations(reward, auto_reset):
    editions = [edition for edition in PUBLISHED for _ in range(7)]
    stepped, played = (Batch(len(editions), [2, 3, 4, 5, 6, 7, 8] * len(PUBLISHED), editions, reward) for _ in range(2))
    assert stepped.reset(1).tobytes() == played.reset(1).tobytes()
    for turn in range(60):
        actions = decisions(stepped, turn)
        _, *expected = stepped.step(actions, auto_reset=auto_reset)
        found = played.play(actions, auto_reset=auto_reset)
        assert [array.tobytes() for array in found] == [array.tobytes() for array in expected]
        assert played.games.tobytes() == stepped.games.tobytes()


def test_masked_auto_reset_starts_and_pays_chosen_games_only():
    batch, leave = Batch(3, 1), np.ones((3, 1), np.int8)
    batch.reset(1)
    for _ in range(5):
        batch.step(leave)
    ended = batch.games[1:].tobytes()
    _, rewards, _ = batch.step(leave, auto_reset=True, mask=[True, False, False])
    assert not rewards.any()
    assert batch.over.tolist() == [False, True, True]
    assert batch.games[1:].tobytes() == ended


def test_output_arrays_are_written_in_place():
    batch, other = Batch(8, MIXED), Batch(8, MIXED)
    rows, rewards = np.full((8, 8, NUM_FEATURES), np.nan, np.float32), np.full((8, 8), np.nan, np.float32)
    done = np.ones(8, bool)
    assert batch.reset(2, observations=rows) is rows
    assert rows.tobytes() == other.reset(2).tobytes()
    for turn in range(30):
        rows[:], rewards[:], done[:] = np.nan, np.nan, True
        returned = batch.step(decisions(batch, turn), rows, rewards, done)
        assert all(given is got for given, got in zip((rows, rewards, done), returned, strict=True))
        assert [array.tobytes() for array in returned] == [
            array.tobytes() for array in other.step(decisions(other, turn))
        ]
    rows[:] = np.nan
    assert batch.observe(rows) is rows
    assert rows.tobytes() == other.observe().tobytes()


def test_returned_arrays_are_copies():
    batch = Batch(3, 4)
    arrays = [batch.reset(1), *batch.step(np.zeros((3, 4), np.int8))]
    again = batch.observe()
    for array in arrays:
        array[:] = 9
    assert batch.observe().tobytes() == again.tobytes()
    assert batch.step(np.zeros((3, 4), np.int8))[1].max() == 0
    assert all((array == np.array(9, array.dtype)).all() for array in arrays)


def test_tables_show_public_fields_only():
    batch = Batch(6, [3, 4, 5, 6, 7, 8], edition="iello-2016")
    batch.reset(seed=4)
    states = batch.public_states
    for turn in range(30):
        batch.play(np.random.default_rng(turn).integers(0, 2, (6, 8)).astype(np.int8), auto_reset=True)
    assert set(GAME.names) - set(states.dtype.names) == {"key"}
    other = Batch(6, [3, 4, 5, 6, 7, 8], edition="iello-2016")
    games = other.games.copy()
    for name in states.dtype.names:
        games[name] = states[name]
    other.set_states(games)
    assert np.array_equal(other.observe(), batch.observe())
    for handed_out in (states, batch.games):
        with pytest.raises(ValueError, match="read-only"):
            handed_out["bag"] = 0
    with pytest.raises(ValueError, match="WRITEABLE"):
        states.flags.writeable = True


def test_other_memory_layouts_have_the_same_signature():
    batch = Batch(4, 3)
    batch.reset(0)
    actions, mask = np.zeros((4, 3), np.int8), np.ones(4, bool)
    batch.step(actions, mask=mask)
    batch.draw_decisions(np.zeros((4, 3), np.float32), actions)
    before = [len(each.signatures) for each in (play_turn, are_legal, draw_decisions)]
    read_only, strided = np.zeros((4, 3), np.int8), np.zeros((4, 3, 2), np.float32)[..., 1]
    read_only.flags.writeable = mask.flags.writeable = False
    batch.step(read_only, mask=mask)
    batch.step(np.zeros((3, 4), np.int8).T, mask=np.ones(8, bool)[::2])
    batch.draw_decisions(strided, actions)
    assert [len(each.signatures) for each in (play_turn, are_legal, draw_decisions)] == before
