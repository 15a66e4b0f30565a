"""The Gymnasium vector environment: the same bytes as Gymnasium's own vector of single environments."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents import make

NUM_ENVS = 7
SETTINGS = [
    {"seat": None},
    {"num_players": 1, "reward": "win"},
    {"num_players": 8, "edition": "incan-gold", "reward": "margin", "opponents": "bag:9", "seat": 5},
    {"num_players": 3, "reward": "win", "opponents": ["random:0.4", lambda obs: obs["bag"] / 20 > 0.5], "seat": None},
    {"num_players": 4, "expeditions": 1, "opponents": ["cards:3", "continue", "cards:3"]},
    {"num_players": 2, "opponents": "continue", "hidden_chests": True},
]


def assert_same(found, expected):
    """Compare results of environments to the byte, types included."""
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif expected is not None:
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        if expected.dtype == object:
            assert_same(tuple(found), tuple(expected))
        else:
            assert found.tobytes() == expected.tobytes()


def both(mode, **settings):
    """Return our vector environment and Gymnasium's one of single environments."""
    singles = SyncVectorEnv([lambda: DiamantEnv(**settings)] * NUM_ENVS, autoreset_mode=mode)
    return DiamantVectorEnv(NUM_ENVS, **settings, autoreset_mode=mode), singles


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("settings", SETTINGS)
def test_games_are_those_of_single_environments(settings, mode):
    ours, singles = both(mode, **settings)
    random = np.random.default_rng(1)
    assert_same(ours.reset(seed=20), singles.reset(seed=20))
    ends, over = 0, np.zeros(NUM_ENVS, bool)
    for _ in range(400):
        actions = (random.random(NUM_ENVS) < 0.3).astype(np.int64)
        swallowed = np.where(over & (mode == AutoresetMode.NEXT_STEP), 999, actions)  # by the reset
        found = ours.step(swallowed)
        assert_same(found, singles.step(actions))
        over = found[2]
        ends += np.count_nonzero(over)
        assert found[0] in ours.observation_space
        assert not found[3].any()
        if mode == AutoresetMode.DISABLED and found[2].any():
            seed = int(random.integers(1000))
            seeds = (seed, [seed, None, 3, None, 5, 6, None], None)[ends % 3]
            masks = [{"reset_mask": found[2].copy()} for _ in range(2)]
            assert_same(ours.reset(seed=seeds, options=masks[0]), singles.reset(seed=seeds, options=masks[1]))
    assert ends > 20


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_resets_of_all_games_are_those_of_single_environments(mode):
    ours, singles = both(mode, seat=None)
    for seed in (3, None, [5, None, 1, 1, None, 2**64 - 1, 0], None):
        assert_same(ours.reset(seed=seed), singles.reset(seed=seed))
        for _ in range(3):
            assert_same(ours.step(np.ones(NUM_ENVS, int)), singles.step(np.ones(NUM_ENVS, int)))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_make_vec_gives_it(mode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec("diamant_env/Diamant-5p-v0", num_envs=3, opponents="bag:18", autoreset_mode=mode)
    assert type(env) is DiamantVectorEnv
    assert env.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert env.observation_space.shape == (3, NUM_FEATURES)
    assert env.action_space.shape == (3,)
    assert "Diamant-5p-v0" in str(env)
    assert env.games.num_players.tolist() == [5, 5, 5]
    env.close()


def test_asynchronous_copies_differ_by_their_seeds():
    env = gymnasium.make_vec("diamant_env/Diamant-v0", num_envs=2, vectorization_mode="async")
    native = gymnasium.make_vec("diamant_env/Diamant-v0", num_envs=2)
    assert np.array_equal(env.reset(seed=4)[0], native.reset(seed=4)[0])
    env.close()


class RowWatcher:
    """Numbers the decisions of each row's game, and finds out whether it is asked about the same turn twice."""

    def __init__(self):
        self.last = None
        self.games = 0

    def act(self, obs, first):
        deciding = obs["must_decide"] == 1
        assert not (first & ~deciding).any()
        now = obs["expedition"] * 200 + obs["turn"]
        if self.last is None:
            self.last = np.zeros(len(first))
            assert first.all()
        assert len(first) == len(self.last)
        self.last[first] = 0
        self.games += np.count_nonzero(first)
        assert (now[deciding] > self.last[deciding]).all(), "a turn was asked about twice, or rows were mixed up"
        self.last[deciding] = now[deciding]
        return (obs["turn"] % 4 == 3).astype(np.float32)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("seat", [1, None])
def test_agents_with_memory_keep_their_rows(mode, seat):
    """Two of three seats are the watcher's; a function of the same idea plays the same games."""
    watcher = RowWatcher()
    env = DiamantVectorEnv(40, opponents=[watcher, "continue", watcher], seat=seat, autoreset_mode=mode)

    def function(obs):
        return obs["turn"] % 4 == 3

    other = DiamantVectorEnv(40, opponents=[function, "continue", function], seat=seat, autoreset_mode=mode)
    random = np.random.default_rng(0)
    assert_same(env.reset(seed=9), other.reset(seed=9))
    started = 40
    for _ in range(150):
        actions = (random.random(40) < 0.3).astype(np.int64)
        found = env.step(actions)
        assert_same(found, other.step(actions))
        if mode == AutoresetMode.DISABLED and found[2].any():
            for one in (env, other):
                one.reset(options={"reset_mask": found[2]})
        started += np.count_nonzero(found[2])
    assert started > 100
    assert 2 * (started - 40) <= watcher.games <= 2 * started


def test_a_seed_repeats_opponents_that_draw_something():
    agents = [make("mixture:1,30", number) for number in range(2)]
    first, second = (DiamantVectorEnv(5, opponents=agent) for agent in agents)
    drawn = []
    for seed in (1, 1, 2):
        assert_same(first.reset(seed=seed), second.reset(seed=seed))
        first.step(np.zeros(5, int))
        second.step(np.zeros(5, int))
        drawn.append(agents[0].thresholds.tolist())
        assert drawn[-1] == agents[1].thresholds.tolist()
        for _ in range(30):
            assert_same(first.step(np.ones(5, int)), second.step(np.ones(5, int)))
            assert agents[0].thresholds.shape == (15,), "it is to keep a threshold for each row"
    assert drawn[0] == drawn[1] != drawn[2]


def test_results_are_the_callers_own():
    env = DiamantVectorEnv(3, autoreset_mode="SameStep")
    results = [env.reset(seed=0)]
    saved = copy.deepcopy(results)
    for _ in range(60):
        results.append(env.step(np.zeros(3, int)))
        saved.append(copy.deepcopy(results[-1]))
    for found, expected in zip(results, saved, strict=True):
        assert_same(found, expected)
    results[-1][0][:] = 9
    assert not (env.step(np.zeros(3, int))[0] == 9).all()


BAD = [
    ({"num_envs": 0}, "num_envs=0; a whole number, at least 1, is allowed"),
    ({"opponents": ["random"] * 4}, "4 opponents; give one for all rivals, or one for each of the 3"),
    ({"autoreset_mode": "never"}, "unknown autoreset_mode 'never'; allowed: AutoresetMode or 'NextStep', 'SameStep'"),
    ({"render_mode": "human"}, "unknown render_mode 'human'; allowed: None, rgb_array, ansi"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        DiamantVectorEnv(**settings)
    DiamantVectorEnv.__new__(DiamantVectorEnv).close()  # as Gymnasium 1.1 does with one that was refused


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1], r"actions of shape \(2,\) and dtype int64; whole numbers \(3,\) are expected"),
        ([[0], [1], [1]], r"actions of shape \(3, 1\)"),
        ([0.0, 1.0, 0.0], "dtype float64; whole numbers"),
        ([0, 1, 2], r"action 2 of game 2; allowed: 0 \(CONTINUE\) and 1 \(LEAVE\)"),
        ([0, -1, 0], "action -1 of game 1"),
    ],
)
def test_bad_actions_are_refused(actions, message):
    env = DiamantVectorEnv(3)
    env.reset(seed=0)
    before = env.games
    with pytest.raises(ValueError, match=message):
        env.step(actions)
    assert np.array_equal(env.games, before)


def test_calls_out_of_order_are_refused():
    env = DiamantVectorEnv(2, expeditions=1, autoreset_mode="Disabled")
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        env.step([0, 0])
    with pytest.raises(gymnasium.error.ResetNeeded, match="the first reset must start all games"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=0)
    while not env.step([1, 1])[2].any():
        pass
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"games \[0, 1\] are over and autoreset is disabled"):
        env.step([0, 0])


@pytest.mark.parametrize("mask", [[True], np.zeros(2, bool), np.ones(2, int), "all"])
def test_bad_masks_are_refused(mask):
    env = DiamantVectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"a bool array \(2,\) with at least one True is expected"):
        env.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("seed", [-1, 2**64 - 1, [1], [1, -1], [1, 2.5], "ab", 1.5])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed"):
        DiamantVectorEnv(2).reset(seed=seed)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_texts_of_all_games(mode):
    ours, singles = both(mode, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded, match="render before reset"):
        ours.render()
    ours.reset(seed=5)
    singles.reset(seed=5)
    for action in (0, 0, 1, 0):
        assert ours.render() == singles.render()
        ours.step(np.full(NUM_ENVS, action))
        singles.step(np.full(NUM_ENVS, action))
    assert DiamantVectorEnv(3).render() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(("make_env", "actions"), [(DiamantEnv, 0), (lambda: DiamantVectorEnv(5), np.zeros(5, int))])
def test_a_copy_in_the_middle_of_a_game_goes_on_by_itself(make_env, actions, copied):
    env = make_env()
    env.reset(seed=3)
    env.step(actions)
    twin = copied(env)
    there = [np.asarray(twin.step(actions)[0]) for _ in range(3)]
    here = [np.asarray(env.step(actions)[0]) for _ in range(3)]
    assert np.array_equal(here, there)
