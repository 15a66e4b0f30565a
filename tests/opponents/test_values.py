"""Value networks: inputs, shares, policy files."""

import numpy as np
import pytest

from diamant_env import Batch, find_edition
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.values import Values, inputs, start_features
from tests.opponents.test_network import content
from tests.support.play import Play

RANDOM = np.random.default_rng(0)
POLICY = [(RANDOM.normal(size=(2, NUM_FEATURES)).astype(np.float32), np.zeros(2, np.float32))]


def layers(players: int, width: int = 8) -> list:
    shapes = ((width, 3 * players + 4), (1, width))
    return [(RANDOM.normal(size=shape).astype(np.float32), np.zeros(shape[0], np.float32)) for shape in shapes]


def starts(players: int, edition="iello-2016", games: int = 200, expedition: int = 3) -> Batch:
    """Return games at the first turn of an expedition after random play."""
    batch = Batch(games, players, find_edition(edition).replace(hidden_chests=False))
    batch.reset(1)
    random = np.random.default_rng(2)
    found = batch.games.copy()
    while (early := found.expedition < expedition).any():
        batch.step((random.random((games, players)) < 0.4).astype(np.int8))
        found[early] = batch.games[early]
    batch.set_states(found)
    return batch


def saved(agent: NetworkAgent, path, **changed) -> NetworkAgent:
    path.write_bytes(content({**agent.tensors(), **changed}))
    return NetworkAgent.load(path)


@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_shares_sum_to_one_and_are_symmetric(players):
    values = Values({players: layers(players)})
    seen = starts(players).observe()
    shares = np.stack([values.shares(seen[:, seat]) for seat in range(players)])
    np.testing.assert_allclose(shares.sum(axis=2), 1, rtol=1e-5)
    for seat in range(players):  # the others follow in the order of the table
        np.testing.assert_allclose(np.roll(shares[seat], seat, axis=1), shares[0], atol=1e-5)
    chests = starts(players).games.chest[:, :players]
    even = (chests == chests[:, :1]).all(axis=1)
    one, other = np.triu_indices(players, 1)
    same = chests[:, one] == chests[:, other]
    assert same.any()
    np.testing.assert_allclose(shares[0][:, one][same], shares[0][:, other][same], atol=1e-6)
    np.testing.assert_allclose(shares[0][even], 1 / players, rtol=1e-6)
    assert (shares[0].max(axis=1) > 1.5 / players).mean() > 0.2


def test_start_features_by_hand():
    """A relic was taken by one who left alone, then two snakes came up; now a boulder lies on the path."""
    play = Play(["relic", "snake", "snake", 5, 7, "boulder"], 3).play("0 - all all")
    chests, public = start_features(play.position.observe(1)[None])
    assert chests.tolist() == [[3, 3, 8]]
    pairs = 4 * 3 * 2 + 2 * 1  # ordered pairs of equal traps
    assert public.tolist() == [[2 / 4, 0, 1, 14 / 16, pairs / 16, 4 / 2, 1 / 2]]


def test_network_inputs_by_hand():
    public = np.float32([[1, 0, 0, 0.5, 1, 2, 0]])  # four expeditions remain: leads change by 16 gems
    (found,) = inputs(np.float32([[2, 20, 7]]), public)
    by_hand = [
        [-1.5, -1.5, -1.5, -0.625, -18 / 16, -5 / 16],
        [1.5, 1.5, 1.5, 1.5, 13 / 16, 18 / 16],
        [-1.5, 1.5, -1.5, 0.625, -13 / 16, 5 / 16],
    ]
    np.testing.assert_array_equal(found, [[*row, *public[0]] for row in by_hand])


def test_policy_file_keeps_values(tmp_path):
    own = [(-weight, bias) for weight, bias in POLICY]
    agent = NetworkAgent(POLICY, values=Values({3: layers(3), 8: layers(8)}), by_players={8: own})
    again = saved(agent, tmp_path / "policy.safetensors")
    assert again.values.networks.keys() == {3, 8}
    for players in (3, 8):
        seen = starts(players).observe()[:, 1]
        np.testing.assert_array_equal(again.values.shares(seen), agent.values.shares(seen))
        np.testing.assert_array_equal(again.leave_probability(seen), agent.leave_probability(seen))
    with pytest.raises(KeyError):
        again.values.shares(starts(4).observe()[:, 0])
    assert saved(NetworkAgent(POLICY), tmp_path / "without.safetensors").values is None
