"""Parts of an observation, the history of decisions, rewards of one's own: in a batch and in all views alike."""

import pickle
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import PPO

from diamant_env import EDITIONS, FIELDS, HISTORY, NUM_FEATURES, NUM_HISTORY, Batch, Observations, columns, diamant_v0
from diamant_env.editions import Edition
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from diamant_env.observation import HISTORY_EXPEDITIONS
from diamant_env.sb3 import DiamantVecEnv, GymnasiumVecEnv
from diamant_env.state import OVER
from tests.support.play import Play

# After the 5, of which each of two players gets 2, both mud cards come up.
CERTAIN = Edition(name="certain", treasures=(5,), traps=("mud",), trap_copies=2, expeditions=2, bust_removes=0)
FRESH = [[[0, 0]] * 2, [[0, 0]] * 2, [1, 0], [0, 0]]  # the history of a game at its first card, see `history_of`
SOME = ["path_gems", "rival_inside", "history_banked"]


def gems(banked, chests, inside, done):
    return banked


def test_columns_are_where_the_fields_are():
    env = diamant_v0.parallel_env(3)
    rows = np.stack(list(env.reset(seed=1)[0].values()))
    for field in FIELDS:
        values = rows[:, list(field.columns)] * np.float32(field.scale)
        np.testing.assert_array_equal(values.squeeze(1) if field.size == 1 else values, Observations(rows)[field.name])
    assert sorted(columns(*(field.name for field in FIELDS + HISTORY))) == list(range(NUM_FEATURES + NUM_HISTORY))


def test_cards_are_counted_as_their_names_say():
    names = EDITIONS["iello-2016"].card_names
    env = diamant_v0.parallel_env(3)
    env.reset(options={"deck": [13, "snake"]})
    assert names[int(env.game.last_card)] == "13"
    assert sum(env.game.deck[card] for card in names) == env.game.deck_size


@pytest.mark.parametrize("hidden", [False, True])
def test_who_left_when_with_how_much(hidden):
    """Three expeditions of a chosen deck, from two seats: what was banked is public with hidden chests too."""
    env = diamant_v0.parallel_env(3, observation="history", hidden_chests=hidden)
    env.reset(options={"deck": [15, 9, "snake", 7, "boulder", "snake", "snake", 4]})
    env.step({"player_0": 1, "player_1": 0, "player_2": 0})  # 5 at turn 1
    env.step({"player_1": 1, "player_2": 0})  # 5 + 4 + 1 on the path at turn 2
    env.step({"player_2": 1})  # 5 + 4, the expedition ends at turn 3
    env.step(dict.fromkeys(env.agents, 0))
    env.step({"player_0": 0, "player_1": 1, "player_2": 0})  # 2 + 1 at turn 2, then a first snake
    observations, *_ = env.step({"player_0": 0, "player_2": 0})  # the second snake
    for seat in (0, 2):
        shown = Observations(observations[f"player_{seat}"])
        order = [seat, (seat + 1) % 3, (seat + 2) % 3]
        left = np.array([[0, 0, 1], [0, 2, 2], [0, 0, 3]])
        banked = np.array([[0, 0, 5], [0, 3, 10], [0, 0, 9]])
        shape = (8, HISTORY_EXPEDITIONS)
        np.testing.assert_array_equal(shown["history_left_turn"].reshape(shape)[:3, :3], left[order])
        np.testing.assert_array_equal(shown["history_banked"].reshape(shape)[:3, :3], banked[order])
        np.testing.assert_array_equal(shown["history_turns"], [1, 4, 3, 0, 0])
        np.testing.assert_array_equal(shown["history_bust"], [0, 1, 0, 0, 0])
        assert not shown["history_left_turn"].reshape(shape)[3:].any()


def history_of(row):
    """Return for the last two expeditions when each of two players left, what each banked, the cards, the busts."""
    seen = Observations(row)
    seats = [seen[name].reshape(8, -1)[:2, :2].tolist() for name in ("history_left_turn", "history_banked")]
    return [*seats, seen["history_turns"][:2].tolist(), seen["history_bust"][:2].tolist()]


@pytest.mark.parametrize(
    ("decisions", "history"),
    [
        ([(0, 0), (0, 0)], [[[0, 1], [0, 1]], [[0, 2], [0, 2]], [3, 1], [1, 0]]),
        ([(1, 0), (0, 0)], [[[1, 1], [0, 1]], [[3, 2], [0, 2]], [3, 1], [1, 0]]),
        ([(0, 0), (1, 1)], [[[2, 1], [2, 1]], [[2, 2], [2, 2]], [2, 1], [0, 0]]),
    ],
)
def test_the_end_of_a_game_is_in_its_history(decisions, history):
    env = diamant_v0.parallel_env(2, CERTAIN, observation="history")
    env.reset(options={"deck": [5, 5, "mud", "mud"]})
    for pair in [(1, 1), *decisions]:
        observations, *_ = env.step(dict(zip(env.agents, pair, strict=True)))
    assert not env.agents
    assert history_of(observations["player_0"]) == history


def test_games_that_are_over_or_wait_are_neither_followed_nor_paid():
    """Two players at tables of three seats, in the last expedition; the last game waits once."""
    told = []

    def one_each(banked, chests, inside, done, played):
        told.append(played.tolist())
        banked[...] = chests[...] = 99  # they are the function's own
        return np.ones(banked.shape)

    batch = Batch(4, 2, CERTAIN, one_each, seats=3, history=True)
    batch.restore(np.array([Play([5, 5], 2, CERTAIN).all_leave().game] * 4))
    leaves = np.array([[1, 1, 0], [2, 2, 0], [1, 0, 0], [0, 0, 0]])
    plays = [[1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    for turn, played in enumerate(plays, 1):
        mask = None if turn != 2 else np.array([True, True, True, False])
        _, rewards, _ = batch.step((leaves == turn).astype(np.int8), mask=mask)
        assert told.pop() == played
        np.testing.assert_array_equal(rewards, np.outer(played, [1, 1, 0]))
    assert batch.games["chest"][:, :2].tolist() == [[4, 4], [4, 4], [5, 2], [2, 2]]
    ends = [
        [[[1, 0], [1, 0]], [[2, 0], [2, 0]], [1, 0], [0, 0]],
        [[[2, 0], [2, 0]], [[2, 0], [2, 0]], [2, 0], [0, 0]],
        [[[1, 0], [0, 0]], [[3, 0], [0, 0]], [3, 0], [1, 0]],
        [[[0, 0], [0, 0]], [[0, 0], [0, 0]], [3, 0], [1, 0]],
    ]
    assert [*map(history_of, batch.observe()[:, 0])] == ends
    batch.reset(seed=0, mask=np.array([True, False, False, False]))
    ends[0] = FRESH
    assert [*map(history_of, batch.observe()[:, 0])] == ends


def test_a_restored_game_has_a_history_from_its_turn_on():
    batch = Batch(1, 2, CERTAIN, history=True)
    batch.reset(seed=1)
    batch.step(np.ones((1, 2), np.int8))
    batch.restore(Play([5, 5, "mud"], 2, CERTAIN).play("all -").game[None])
    for left, banked in ((0, 0), (2, 2)):
        row = batch.observe()[0, 0]
        assert history_of(row) == [[[left, 0]] * 2, [[banked, 0]] * 2, [2, 0], [0, 0]]
        batch.step(np.ones((1, 2), np.int8))


def test_a_terminal_observation_holds_the_history_of_the_game_that_ended():
    """The rivals leave at once; the first game ends before the others, in the step that begins its next one."""
    env = DiamantVecEnv(3, 2, CERTAIN, opponents=lambda obs: obs["turn"] >= 1, observation="history")
    env.reset()
    env.restore(np.array([Play([5, 5], 2, CERTAIN).all_leave().game] * 3))
    rows, _, done, (first, *_) = env.step(np.array([1, 0, 0]))
    assert done.tolist() == [True, False, False]
    assert [history_of(row) for row in rows] == [FRESH, *[[[[0, 0], [1, 0]], [[0, 0], [3, 0]], [2, 0], [0, 0]]] * 2]
    _, *others = env.step(np.array([0, 1, 0]))[3]
    assert [history_of(info["terminal_observation"]) for info in (first, *others)] == [
        [[[1, 0], [1, 0]], [[2, 0], [2, 0]], [1, 0], [0, 0]],
        [[[2, 0], [1, 0]], [[2, 0], [3, 0]], [2, 0], [0, 0]],
        [[[0, 0], [1, 0]], [[0, 0], [3, 0]], [3, 0], [1, 0]],
    ]


def test_a_deck_that_is_refused_leaves_game_and_history():
    env = diamant_v0.parallel_env(3, edition="iello-2016-fr-relics", observation="history")
    env.reset(seed=1)
    env.step({"player_0": 1, "player_1": 0, "player_2": 0})
    before, history = env.game, env.clone_state().parts[0].history
    with pytest.raises(ValueError, match="'relic 12', is not in the deck in expedition 1"):
        env.reset(options={"deck": ["relic 12"]})
    assert env.game == before
    assert all(np.array_equal(now, then) for now, then in zip(env.clone_state().parts[0].history, history, strict=True))


def test_history_and_own_rewards_change_nothing_else():
    """The same bytes as the compiled step, over many games with auto-reset; the history begins anew with each."""
    plain, followed = Batch(64, [3, 5] * 32), Batch(64, [3, 5] * 32, reward=gems, history=True)
    final, longer = (np.zeros((64, 5, batch.num_features), np.float32) for batch in (plain, followed))
    np.testing.assert_array_equal(plain.reset(3), followed.reset(3)[..., :NUM_FEATURES])
    random = np.random.default_rng(0)
    for _ in range(150):
        actions = (random.random((64, 5)) < 0.3).astype(np.int8)
        expected = plain.step(actions, auto_reset=True, final_observations=final)
        found = followed.step(actions, auto_reset=True, final_observations=longer)
        for one, other in zip((expected[0], final, *expected[1:]), (found[0], longer, *found[1:]), strict=True):
            np.testing.assert_array_equal(one, other[..., : one.shape[-1]])
        fresh = found[0][plain.games["expedition"] + plain.games["turn"] == 2]
        assert (fresh[:, 0, columns("history_turns")] * 8 == [1, 0, 0, 0, 0]).all()
        assert not fresh[..., columns("history_left_turn", "history_banked")].any()
    again = pickle.loads(pickle.dumps(followed))
    np.testing.assert_array_equal(again.observe(), followed.observe())
    state = followed.save()
    with pytest.raises(ValueError, match="has no history"):
        again.restore(replace(state, history=state.history[:2]))


def test_all_views_show_the_same():
    whole = diamant_v0.parallel_env(3, observation="history", reward=gems)
    part = diamant_v0.parallel_env(3, observation=np.array(SOME))
    single = DiamantEnv(3, opponents="bag:12", observation=SOME, reward=gems)
    vector = gymnasium.make_vec(
        "diamant_env/Diamant-3p-v0", num_envs=2, opponents="bag:12", observation=SOME, reward=gems
    )
    assert whole.observation_space("player_0").shape == (NUM_FEATURES + NUM_HISTORY,)
    assert part.observation_space("player_0") == single.observation_space == vector.single_observation_space
    rows, parts = whole.reset(seed=5)[0], part.reset(seed=5)[0]
    alone, many = single.reset(seed=5)[0], vector.reset(seed=5)[0]
    np.testing.assert_array_equal(many[0], alone)
    random = np.random.default_rng(1)
    over = False
    while whole.agents:
        for agent in rows:
            np.testing.assert_array_equal(rows[agent][columns(*SOME)], parts[agent])
        actions = {agent: int(random.random() < 0.3) for agent in whole.agents}
        saved = whole.clone_state()
        rows, rewards, *_ = whole.step(actions)
        whole.restore_state(saved)
        again = whole.step(actions)[0]
        np.testing.assert_array_equal(rows["player_1"], again["player_1"])
        parts, scores, *_ = part.step(actions)
        assert rewards == scores
        if not over:
            action = int(random.random() < 0.3)
            alone, reward, over, *_ = single.step(action)
            many, several, *_ = vector.step([action, 0])
            np.testing.assert_array_equal(many[0], alone)
            assert several[0] == reward


def test_own_rewards_see_every_game_of_a_vector():
    """A mean over the games that played is one, though games take turns of their own while a learner is in camp."""
    seen = []

    def above_average(banked, chests, inside, done, played):
        seen.append((banked.copy(), done, played))
        return banked - banked[played].mean()

    env = DiamantVectorEnv(6, 4, opponents="bag:30", reward=above_average, autoreset_mode="SameStep")
    plain = DiamantVectorEnv(6, 4, opponents="bag:30", autoreset_mode="SameStep")
    np.testing.assert_array_equal(env.reset(seed=2)[0], plain.reset(seed=2)[0])
    random, apart = np.random.default_rng(0), 0
    for _ in range(60):
        actions = (random.random(6) < 0.4).astype(np.int64)
        seen.clear()
        rows, rewards, *_ = env.step(actions)
        others, gems, *_ = plain.step(actions)
        np.testing.assert_array_equal(rows, others)
        assert {(len(banked), len(done), len(played)) for banked, done, played in seen} == {(6, 6, 6)}
        assert not any(banked[~played].any() for banked, _, played in seen)
        apart += sum(not played.all() for _, _, played in seen)
        means = np.sum([played * banked[played].mean() for banked, _, played in seen], axis=0)
        np.testing.assert_allclose(rewards, gems - means, atol=1e-5)
    assert apart > 30


def test_own_rewards_see_who_is_inside_and_what_is_over():
    seen = []
    batch = Batch(1, 3, reward=lambda banked, chests, *now: seen.append([each.tolist() for each in now]) or banked)
    batch.reset(0, deck=[5, 7, *[9] * 4])
    for leave in ([1, 0, 0], *[[1, 1, 1]] * 5):
        batch.step([leave])
        assert seen[-1] == [batch.must_decide.tolist(), batch.over.tolist()]
    assert [over for _, over in seen] == [[False]] * 5 + [[True]]
    assert seen[0][0] == [[False, True, True]]


def test_a_reward_that_fails_plays_nothing():
    """Not even the turns of the same step that it has already paid."""
    calls = []

    def fails(banked, chests, inside, done, played):
        calls.append(played)
        if len(calls) > 1 and not played.all():
            raise RuntimeError("no reward")
        return banked

    env = DiamantVectorEnv(4, 3, opponents="continue", reward=fails, observation="history")
    shown, _ = env.reset(seed=1)
    before, history = env.games.tobytes(), env._learner.batch.observe()
    with pytest.raises(RuntimeError, match="no reward"):
        env.step([1, 0, 0, 1])
    assert len(calls) > 1
    assert env.games.tobytes() == before
    np.testing.assert_array_equal(env._learner.batch.observe(), history)
    np.testing.assert_array_equal(env._learner.observations, shown)


@pytest.mark.parametrize("rewarded", ["win", gems])
def test_gymnasium_inside_stable_baselines3(rewarded):
    settings = {"opponents": "ev", "observation": ["bag", "path_gems"], "reward": rewarded}
    envs = gymnasium.make_vec("diamant_env/Diamant-v0", num_envs=32, autoreset_mode="SameStep", **settings)
    env = GymnasiumVecEnv(envs)
    PPO("MlpPolicy", env, n_steps=16, batch_size=128, device="cpu", seed=0).learn(600)
    env.seed(3)
    env.reset()
    ends = 0
    for _ in range(60):
        _, _, done, infos = env.step(np.zeros(32, np.int64))
        assert all(("terminal_observation" in info) == bool(ended) for info, ended in zip(infos, done, strict=True))
        ends += done.sum()
    assert ends > 32
    with pytest.raises(ValueError, match=r"stable-baselines3 needs AutoresetMode\.SAME_STEP"):
        GymnasiumVecEnv(gymnasium.make_vec("diamant_env/Diamant-v0", num_envs=2))
    with pytest.raises(ValueError, match=r"5 is no gymnasium\.vector\.VectorEnv; gymnasium\.make_vec makes one"):
        GymnasiumVecEnv(5)


def test_final_rows_and_masks_of_the_vec_env():
    env = DiamantVecEnv(8, 3, observation="history", reward=gems)
    env.reset()
    while not env.batch.over.any():
        _, _, done, infos = env.step(np.arange(24) % 3 == 0)
        if done.any():
            last = Observations(infos[int(np.flatnonzero(done)[0])]["terminal_observation"])
            assert last["num_inside"] == 0
            assert last["history_turns"][0] > 0
            break
    masks = env.env_method("action_masks", indices=[0, 5])
    np.testing.assert_array_equal(masks, env.action_masks()[[0, 5]])
    np.testing.assert_array_equal(env.action_masks()[:, 1], env.batch.must_decide.ravel())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"observation": []}, "None, 'history' or names of fields are allowed"),
        ({"observation": "bag"}, "None, 'history' or names of fields are allowed"),
        ({"observation": 3}, "None, 'history' or names of fields are allowed"),
        ({"observation": [["bag"]]}, r"no field \['bag'\]; did you mean bag"),
        ({"observation": ["bag", "gems"]}, "no field 'gems'; did you mean path_gems"),
        ({"reward": "gold"}, "unknown reward 'gold'; rewards: score, win, margin, or a function"),
        ({"reward": 3}, "unknown reward 3"),
    ],
)
def test_wrong_settings(settings, message):
    for make in (diamant_v0.parallel_env, DiamantEnv, lambda **given: DiamantVecEnv(2, **given)):
        with pytest.raises(ValueError, match=message):
            make(**settings)


@pytest.mark.parametrize(
    ("reward", "error", "message"),
    [
        (lambda banked, chests, inside, done: banked * np.nan, ValueError, "must return finite numbers of shape"),
        (lambda banked, chests, inside, done: banked + 1e300, ValueError, "not what is no finite float32"),
        (lambda banked, chests, inside, done: banked * 1j, ValueError, "not what is no finite float32"),
        (lambda banked, chests, inside, done: 1.0, ValueError, r"of shape \(1, 4\), not shape \(\) of float64"),
        (lambda banked: banked, TypeError, "positional argument"),
    ],
)
def test_a_wrong_reward_plays_nothing(reward, error, message):
    env = diamant_v0.parallel_env(reward=reward)
    env.reset(seed=1)
    before = env.game
    with pytest.raises(error, match=message):
        env.step(dict.fromkeys(env.agents, 0))
    assert env.game == before
    assert env.game.phase != OVER
    rows = DiamantVecEnv(2, 4, reward=reward)
    shown = rows.reset()
    with pytest.raises(error, match=message if error is TypeError else "must return finite numbers"):
        rows.step(np.zeros(8, int))
    np.testing.assert_array_equal(rows.observations(), shown)
    np.testing.assert_array_equal(rows.batch.observe().reshape(shown.shape), shown)
