"""Gymnasium vector environment against `SyncVectorEnv` of single environments, byte for byte."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv

pytestmark = pytest.mark.filterwarnings("error")


class Counting:
    """Stateful agent that leaves at its second decision of each expedition."""

    def __init__(self):
        self.seen = np.zeros((0, 2))  # expedition and decisions in it, by row

    def act(self, obs, episode_start):
        if len(self.seen) < len(episode_start):
            self.seen = np.zeros((len(episode_start), 2))
        new = episode_start | (obs["expedition"] != self.seen[:, 0])
        self.seen[new] = 0
        self.seen[:, 0] = obs["expedition"]
        self.seen[:, 1] += obs["must_decide"]
        return (self.seen[:, 1] >= 2).astype(np.float32)


NUM_ENVS = 7
SETTINGS = [
    {"seat": None},
    {"num_players": 1, "reward": "win"},
    {"num_players": 8, "edition": "incan-gold", "reward": "margin", "opponents": "bag:9", "seat": 5},
    {"num_players": 3, "reward": "win", "opponents": ["random:0.4", lambda obs: obs["bag"] / 20 > 0.5], "seat": None},
    {"num_players": 4, "edition": "iello-2016/expeditions:1", "opponents": ["cards:3", "continue", "cards:3"]},
    {"num_players": 3, "opponents": "cards:3", "observation": ["bag", "rival_chest"], "seat": None},
    {"opponents": "held-out", "edition": "iello-2016/hidden_chests:1"},
]
STATEFUL = [[Counting, "continue", Counting], ["bag:5", "cards:3", "continue", Counting]]


def assert_same(found, expected):
    """Compare results of environments exactly, types included."""
    assert data_equivalence(found, expected, exact=True), (found, expected)


def both(mode, **settings):
    """Return our vector environment and the equivalent `SyncVectorEnv`."""
    singles = SyncVectorEnv([lambda: DiamantEnv(**settings)] * NUM_ENVS, autoreset_mode=mode)
    return DiamantVectorEnv(NUM_ENVS, **settings, autoreset_mode=mode), singles


@pytest.mark.parametrize(
    ("settings", "mode"),
    [(one, list(AutoresetMode)[at % 3]) for at, one in enumerate(SETTINGS)]
    + [({"opponents": agents, "seat": None}, mode) for agents in STATEFUL for mode in AutoresetMode],
)
def test_vector_equals_sync_vector_of_singles(settings, mode):
    ours, singles = both(mode, **settings)
    random = np.random.default_rng(1)
    assert_same(ours.reset(seed=np.array(20)), singles.reset(seed=20))
    assert ours.np_random_seed == 20
    ends, over = 0, np.zeros(NUM_ENVS, bool)
    for _ in range(120):
        actions = (random.random(NUM_ENVS) < 0.3).astype(np.int64)
        ignored = np.where(over & (mode == AutoresetMode.NEXT_STEP), 999, actions)  # where step resets
        found = ours.step(ignored)
        assert_same(found, singles.step(actions))
        over = found[2]
        ends += np.count_nonzero(over)
        assert found[0] in ours.observation_space
        assert not found[3].any()
        resets = over & (mode != AutoresetMode.SAME_STEP)  # rows whose next step decides nothing
        assert np.array_equal(ours.action_masks(), np.stack([np.ones_like(over), ~resets], axis=1))
        assert np.array_equal(ours.action_masks(), singles.call("action_masks"))
        assert "observation" in settings or np.array_equal(found[0][:, 0], ~resets)
        if mode == AutoresetMode.DISABLED and found[2].any():
            seed = int(random.integers(1000))
            seeds = (seed, [seed, None, 3, None, 5, 6, None], None)[ends % 3]
            masks = [{"reset_mask": found[2].copy()} for _ in range(2)]
            assert_same(ours.reset(seed=seeds, options=masks[0]), singles.reset(seed=seeds, options=masks[1]))
    assert ends > 5
    for seed in (3, None, [5, None, 1, 1, None, 2**64 - 1, 0]):
        assert_same(ours.reset(seed=seed), singles.reset(seed=seed))
        assert_same(ours.step(np.ones(NUM_ENVS, int)), singles.step(np.ones(NUM_ENVS, int)))


@pytest.mark.parametrize("options", [{"reset_masks": np.array([True] * 2)}, {"reset_mask": np.array([False] * 2)}])
def test_invalid_options_are_refused(options):
    env = DiamantVectorEnv(2)
    env.reset(seed=1)
    before = env.games.tobytes()
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options=options)
    assert env.games.tobytes() == before
