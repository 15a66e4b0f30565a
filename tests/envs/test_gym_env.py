"""The Gymnasium environment: its checkers, and its games against a batch that is driven by hand."""

from __future__ import annotations

import os

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from diamant_env import EDITIONS, Batch, Observations, observation_space
from diamant_env.gym_env import DiamantEnv
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from train.runs.config import Config
from train.runs.run_folder import save_policy

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
SETTINGS = [
    {},
    {"num_players": 1},
    {"num_players": 8, "seat": None, "reward": "win", "opponents": "mixture:5,15"},
    {"num_players": 3, "edition": "incan-gold", "reward": "margin", "opponents": ["bag:18", "cards:2"], "seat": 2},
    {"num_players": 2, "expeditions": 1, "opponents": lambda obs: obs["bag"] >= 3},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_gymnasium_finds_nothing_to_say(settings, warnings_are_errors):
    check_env(gymnasium.make("diamant_env/Diamant-v0", **settings).unwrapped, skip_render_check=True)


def test_gymnasium_finds_nothing_to_say_about_pictures(warnings_are_errors, monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setitem(DiamantEnv.metadata, "render_fps", 1000)
    check_env(gymnasium.make("diamant_env/Diamant-v0", render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("settings", SETTINGS)
def test_stable_baselines3_finds_nothing_to_say(settings, warnings_are_errors):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make("diamant_env/Diamant-v0", **settings).unwrapped, warn=True)


def decision(observation) -> int:
    """Decide by looks, sometimes leaving early, so that the others often play on."""
    obs = Observations(observation)
    return int(obs["bag"] >= 6 or obs["bust_chance"] > 0.2 or int(obs["turn"] + obs["chest"]) % 5 == 4)


def play(env, seed):
    """Play a game; return its observations, rewards and infos."""
    observation, info = env.reset(seed=seed)
    observations, rewards, infos, over = [observation], [], [info], False
    while not over:
        assert observation[0] == 1, "a step without a decision"
        observation, reward, over, truncated, info = env.step(decision(observation))
        assert truncated is False
        assert observation in env.observation_space
        observations.append(observation)
        rewards.append(reward)
        infos.append(info)
    return observations, rewards, infos


def play_by_hand(batch, seed, learner, agents):
    """Play the same with a batch of one: each agent sits so many seats after the learner."""
    everyone = batch.reset(seed)
    observations, rewards, over = [everyone[0, learner].copy()], [], False
    while not over:
        chosen, total, learning = decision(everyone[0, learner]), 0.0, True
        while learning or not (over or everyone[0, learner, 0]):
            learning = False
            leave, actions = np.zeros((1, batch.seats), np.float32), np.zeros((1, batch.seats), np.int8)
            first = (batch.games.expedition == 1) & (batch.games.turn == 1)
            for behind, agent in enumerate(agents, 1):
                seat = (learner + behind) % batch.seats
                leave[0, seat] = agent.act(Observations(everyone[:, seat]), first)[0]
            batch.draw_decisions(leave, actions)
            actions[0, learner] = chosen
            everyone, reward, done = batch.step(actions)
            total += float(reward[0, learner])
            over = bool(done[0])
        observations.append(everyone[0, learner].copy())
        rewards.append(total)
    return observations, rewards


@pytest.mark.parametrize("reward", ["score", "win", "margin"])
@pytest.mark.parametrize(("players", "seat"), [(2, 1), (3, 0), (4, 3), (8, 5)])
def test_games_are_those_of_a_batch_driven_by_hand(players, seat, reward):
    texts = ["random:0.3", "bag:4", "cards:3", "random:0.1", "traps:1", "solo-grab:3,6", "bag:12"][: players - 1]
    edition = "everdeck-relics"
    env = DiamantEnv(players, edition, reward, texts, seat)
    batch = Batch(1, players, edition, reward)
    skipped = 0
    for seed in range(8):
        observations, rewards, infos = play(env, seed)
        expected, expected_rewards = play_by_hand(batch, seed, seat, [make(text) for text in texts])
        assert np.array_equal(observations, expected)
        assert rewards == expected_rewards
        skipped += sum(info["turns"] for info in infos) - len(rewards)
        assert {info["seat"] for info in infos} == {seat}
    assert skipped > 20


def test_rewards_sum_up_to_the_chest_the_win_share_and_the_margin():
    """The ends of games that the learner sees from the camp are among them."""
    ended_in_camp = 0
    for seed in range(30):
        sums = {}
        for reward in ("score", "win", "margin"):
            env = DiamantEnv(4, reward=reward, opponents=["random:0.1", "cards:5", "bag:9"])
            observations, rewards, infos = play(env, seed)
            sums[reward] = sum(rewards)
            chests = env.game.chest[:4].tolist()
        ended_in_camp += Observations(observations[-2])["expedition"] == 5 and infos[-1]["turns"] > 1
        assert sums["score"] == chests[0] == infos[-1]["score"]
        assert sums["win"] == (chests[0] == max(chests)) / chests.count(max(chests))
        assert sums["margin"] == pytest.approx(chests[0] - sum(chests[1:]) / 3)
    assert ended_in_camp > 5


@pytest.mark.parametrize("seat", range(4))
def test_opponents_sit_as_the_observation_lists_them(seat):
    env = DiamantEnv(4, opponents=["continue", "cards:1", "cards:2"], seat=seat)
    env.reset(seed=0)
    env.step(0)
    left = Observations(env.step(0)[0])["rival_left_turn"]
    assert left[:3].tolist() == [0, 1, 2]


def test_the_seat_is_drawn_from_the_seed():
    env, again = DiamantEnv(4, seat=None), DiamantEnv(4, seat=None)
    first = [env.reset(seed=seed)[1]["seat"] for seed in range(400)]
    assert first == [again.reset(seed=seed)[1]["seat"] for seed in range(400)]
    assert np.bincount(first).min() > 70
    env.reset(seed=7)
    again.reset(seed=7)
    following = [env.reset()[1]["seat"] for _ in range(20)]
    assert following == [again.reset()[1]["seat"] for _ in range(20)]
    assert len(set(following)) > 1


def test_resets_without_seed_go_on_with_other_games():
    env, again = DiamantEnv(), DiamantEnv()
    games = [play(env, seed)[0] for seed in (5, None, None)]
    for seed, game in zip((5, None, None), games, strict=True):
        assert np.array_equal(play(again, seed)[0], game)
    assert not np.array_equal(games[0], games[1])
    assert not np.array_equal(play(DiamantEnv(), None)[0], play(DiamantEnv(), None)[0])


class Rememberer:
    """Counts, by row, the decisions of its game; leaves at the third."""

    def __init__(self):
        self.calls = []
        self.count = np.zeros(0)

    def act(self, obs, first):
        if len(self.count) != len(first):
            self.count = np.zeros(len(first))
        self.count[first] = 0
        self.count += obs["must_decide"]
        self.calls.append((obs["turn"].copy(), obs["expedition"].copy(), first.copy(), obs["must_decide"].copy()))
        return (self.count % 3 == 0).astype(np.float32)


def test_agents_with_memory_are_told_where_games_begin():
    agent = Rememberer()
    env = DiamantEnv(3, opponents=agent, seat=None)
    for seed in range(6):
        agent.calls.clear()
        _, _, infos = play(env, seed)
        assert len(agent.calls) == sum(info["turns"] for info in infos), "one call per turn"
        begins = [first for _, _, first, _ in agent.calls]
        assert begins[0].tolist() == [True, True]
        assert not np.any(begins[1:])
        turns = [(int(expedition[0]), int(turn[0])) for turn, expedition, _, _ in agent.calls]
        assert turns == sorted(set(turns)), "no turn is asked about twice"


def test_a_policy_file_plays(tmp_path):
    random = np.random.default_rng(0)
    weights = random.normal(size=(2, NUM_FEATURES)).astype(np.float32)
    path = tmp_path / "policy.safetensors"
    save_policy(path, NetworkAgent([(weights, np.zeros(2, np.float32))]), Config(), 0)
    games = [
        play(DiamantEnv(4, opponents=one), 1)[0]
        for one in (path, str(path), NetworkAgent.load(path), [path, str(path), NetworkAgent.load(path)])
    ]
    assert all(np.array_equal(game, games[0]) for game in games)
    assert not np.array_equal(games[0], play(DiamantEnv(4), 1)[0])
    with pytest.raises(ValueError, match=r"opponents: no trained policy .*none\.safetensors"):
        DiamantEnv(opponents=str(tmp_path / "none.safetensors"))


def test_expeditions_and_hidden_chests():
    env = DiamantEnv(3, expeditions=1, hidden_chests=True)
    observation, _ = env.reset(seed=0)
    assert Observations(observation)["expeditions_left"] == 0
    assert Observations(observation)["hidden_chests"] == 1
    assert (env.edition.name, env.edition.expeditions) == ("iello-2016, expeditions=1", 1)
    assert DiamantEnv(edition="incan-gold", expeditions=5).edition == EDITIONS["incan-gold"]


def test_an_observation_is_the_callers_own():
    env = DiamantEnv()
    first, _ = env.reset(seed=0)
    copy = first.copy()
    env.step(0)
    assert np.array_equal(first, copy)
    first[:] = 7
    assert not np.array_equal(env.step(0)[0], first)
    assert env.observation_space == observation_space()


def test_actions_may_be_of_any_integer_type():
    env = DiamantEnv()
    env.reset(seed=0)
    stayed, left = env.step(0)[0], []
    for action in (1, np.int8(1), np.int64(1), np.array(1), np.uint8(1)):
        env.reset(seed=0)
        left.append(env.step(action)[0])
    assert all(np.array_equal(left[0], other) for other in left)
    assert not np.array_equal(stayed, left[0])


def test_text_shows_the_turns_without_the_learner_too():
    env = DiamantEnv(3, opponents="continue", render_mode="ansi")
    env.reset(seed=0)
    assert "Expedition 1 of 5, card 1" in env.render()
    _, _, _, _, info = env.step(1)
    assert info["turns"] > 1
    assert env.render().startswith("A second ")
    assert "Expedition 2 of 5, card 1" in env.render()
    assert DiamantEnv().render() is None


def test_a_window_shows_every_turn(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setitem(DiamantEnv.metadata, "render_fps", 0)  # as fast as they are drawn
    shown = []
    flip = pygame.Window.flip
    monkeypatch.setattr(pygame, "Window", type("Counted", (pygame.Window,), {"flip": lambda w: shown.append(flip(w))}))
    env = DiamantEnv(3, render_mode="human")
    _, _, infos = play(env, 0)
    assert len(shown) == 1 + sum(info["turns"] for info in infos)
    env.close()
    env.close()
    pygame.quit()
