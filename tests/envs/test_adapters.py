"""Every adapter plays the games of `Batch`, by the same seeds or cards: observations, rewards, ends, legal actions."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple
from unittest import mock

import numpy as np
import pytest

from diamant_env import NUM_FEATURES, Batch, Edition, Game, Observations, columns, diamant_v0
from diamant_env.editions import NO_CARD
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv
from tests.support.play import INVENTED, PUBLISHED, SCALE, text_of

VARIED = "incan-gold/expeditions:2/hidden_rivals:1"
FIRST, NUM_GAMES = 70, 4 * SCALE  # seeds; the vector environments play these games side by side
SOME = ["path_gems", "rival_chest", "turn", "must_decide", "bag", "chest"]
Steps = Iterator[tuple]


def own_reward(banked, chests, inside, done):
    return banked + 0.5 * inside - 0.25 * chests * done[..., None]


class Settings(NamedTuple):
    """Settings of an environment; the same policy plays in all seats."""

    num_players: int
    edition: str | Edition
    reward: str | Callable
    observation: list[str] | None

    @property
    def seat(self) -> int:
        """The learner's seat where the others are opponents."""
        return self.num_players // 2

    @property
    def single(self) -> dict:
        """Settings of environments for one learner."""
        rivals = [partial(leaves, seat=(self.seat + 1 + i) % self.num_players) for i in range(self.num_players - 1)]
        return {**self._asdict(), "opponents": rivals, "seat": self.seat}

    def decide(self, rows, learner=False) -> list[int]:
        """Return the decisions of all seats, game after game, or those of the learners of several games."""
        flat = np.zeros((len(rows), NUM_FEATURES), np.float32)
        flat[:, columns(*self.observation) if self.observation else slice(None)] = rows
        seats = self.seat if learner else np.arange(len(rows)) % self.num_players
        return leaves(Observations(flat), seats).astype(int).tolist()


def leaves(obs, seat):
    """Decide by observation and seat, in camp too, where the action is ignored."""
    return (3 * obs["turn"] + obs["bag"] + obs["path_gems"] + obs["chest"] + 2 * seat) % 5 == 0


def step(rows, may_leave, rewards=0.0, over=False, *whole) -> tuple:
    """Return a turn in a form that is compared: one entry per seat, whether the game is over for all, and its state.

    `whole` is the state vector and the record, of which events are compared that no observation shows.
    """
    rows = np.array([*rows], np.float32)
    (over,) = {*np.ravel(over).tolist()}
    rewards = np.broadcast_to(np.float32(rewards), len(rows)).tolist()
    seen = rows.tolist(), [bool(each) for each in may_leave], rewards, over
    if not whole:
        return seen
    state, record = whole
    events = [*np.asarray(record["banked"])[: len(rows)], record["last_card"], record["bust_card"]]
    return *seen, [*map(float, state), *map(int, events)]


def play_batch(settings: Settings, seed: int) -> tuple[list[tuple], list[dict]]:
    """Return the steps of two games in succession, and the cards of each by expedition and turn."""
    players, edition, reward, observation = settings
    shown = columns(*observation) if observation else slice(None)
    batch, steps, cards = Batch(1, players, edition, reward), [], []
    for number in (seed, None):
        rows, rewards, done = batch.reset(number), np.zeros((1, players)), np.zeros(1, bool)
        cards.append({})
        while True:
            (game,) = batch.games
            if not done[0]:
                cards[-1][int(game["expedition"]), game["turn"] - 1] = game["last_card"]
            steps.append(step(rows[0][:, shown], batch.must_decide[0], rewards[0], done, batch.state()[0], game))
            if done[0]:
                break
            before = int(game["expedition"]), int(game["turn"])
            rows, rewards, done = batch.step([settings.decide(rows[0][:, shown])])
            if batch.games["bust_card"][0] != NO_CARD:
                cards[-1][before] = batch.games["bust_card"][0]
    return steps, cards


def seen_by(seat: int, steps: list[tuple], skip: bool) -> Steps:
    """Yield the learner's part of the steps, without those in which it is in camp if they are skipped."""
    total = 0.0
    for rows, may_leave, rewards, over, _ in steps:
        total += rewards[seat]
        if over or may_leave[seat] or not skip:
            yield rows[seat : seat + 1], may_leave[seat : seat + 1], [total], over
            total = 0.0


def parallel(settings: Settings, seed: int, cards) -> Steps:
    env = diamant_v0.parallel_env(**settings._asdict())
    for number in (seed, None):
        rows, infos = env.reset(number)
        yield step(rows.values(), [info["active"] for info in infos.values()], 0, False, env.state(), env.game)
        while env.agents:
            acts = dict(zip(env.agents, settings.decide([*rows.values()]), strict=True))
            masks = [info["action_mask"] for info in infos.values()]
            for array in (*rows.values(), *masks, env.state(), env.game["chest"]):
                array[...] = 77  # copies
            rows, rewards, over, _, infos = env.step(acts)
            may_leave = [info["action_mask"].tolist() == [1, 1] for info in infos.values()]
            yield step(rows.values(), may_leave, [*rewards.values()], [*over.values()], env.state(), env.game)


def aec(settings: Settings, seed: int, cards) -> Steps:
    env = diamant_v0.env(**settings._asdict())
    for number in (seed, None):
        env.reset(number)
        while True:
            rows, active = [*map(env.observe, env.agents)], [info["active"] for info in env.infos.values()]
            rewards, over = ([*each.values()] for each in (env.rewards, env.terminations))
            yield step(rows, active, rewards, over, env.state(), env.unwrapped.game)
            if all(over):
                break
            for action in settings.decide(rows):
                env.step(action)


def gymnasium(settings: Settings, seed: int, cards) -> Steps:
    env = DiamantEnv(**settings.single)
    for number in (seed, None):
        row, _ = env.reset(seed=number)
        yield step([row], env.action_masks()[1:])
        over = False
        while not over:
            row, reward, over, _, _ = env.step(settings.decide([row], learner=True)[0])
            yield step([row], env.action_masks()[1:], reward, over)


def gymnasium_vector(settings: Settings, seed: int, cards) -> Steps:
    env, games, at = DiamantVectorEnv(NUM_GAMES, **settings.single), 0, seed - FIRST
    rows, _ = env.reset(seed=FIRST)
    over, rewards = np.zeros(NUM_GAMES, bool), np.zeros(NUM_GAMES)
    while games < 2:
        yield step(rows[[at]], env.action_masks()[at, 1:], rewards[at], over[at])
        games += over[at]
        rows, rewards, over, _, _ = env.step(settings.decide(rows, learner=True))  # the next step starts a game


def sb3_steps(env, settings: Settings, part: slice, learner: bool) -> Steps:
    env.seed(FIRST)
    rows, games = env.reset(), 0
    yield step(rows[part], env.action_masks()[part, 1])
    while games < 2:
        rows, rewards, over, infos = env.step(np.array(settings.decide(rows, learner)))
        if over[part].all():
            games += 1
            final = [info["terminal_observation"] for info in infos[part]]
            yield step(final, np.zeros(len(final)), rewards[part], over[part])
        if games < 2:
            new = over[part].all()
            yield step(rows[part], env.action_masks()[part, 1], 0 if new else rewards[part], over[part] & (not new))


def diamant_vec_env(settings: Settings, seed: int, cards) -> Steps:
    sb3, players = pytest.importorskip("diamant_env.sb3"), settings.num_players
    part = slice((seed - FIRST) * players, (seed - FIRST + 1) * players)
    return sb3_steps(sb3.DiamantVecEnv(NUM_GAMES, **settings._asdict()), settings, part, learner=False)


def diamant_vec_env_of_one_learner(settings: Settings, seed: int, cards) -> Steps:
    sb3, players = pytest.importorskip("diamant_env.sb3"), range(settings.num_players)
    seating = [[sb3.vec_env.EMPTY if seat == settings.seat else seat for seat in players]] * NUM_GAMES
    agents = [partial(leaves, seat=seat) for seat in players]
    env = sb3.DiamantVecEnv(NUM_GAMES, **settings._asdict(), opponents=agents, seating=seating)
    return sb3_steps(env, settings, slice(seed - FIRST, seed - FIRST + 1), learner=True)


def gymnasium_vec_env(settings: Settings, seed: int, cards) -> Steps:
    made = DiamantVectorEnv(NUM_GAMES, **settings.single, autoreset_mode="SameStep")
    env = pytest.importorskip("diamant_env.sb3").GymnasiumVecEnv(made)
    return sb3_steps(env, settings, slice(seed - FIRST, seed - FIRST + 1), learner=True)


def explicit_chance(settings: Settings, seed: int, cards) -> Steps:
    game, cards, paid = Game(settings.num_players, settings.edition, seed=seed), iter(cards[0].values()), 0
    while True:
        while game.phase == "reveal":
            card = game.draw()
            assert card == next(cards)
            game.reveal(card)
        rows, total = [*map(game.observe, range(game.num_players))], game.returns(settings.reward)
        yield step(rows, game.must_decide, total - paid, game.phase == "over")
        if game.phase == "over":
            return
        paid = total
        game.decide(settings.decide(rows))


def open_spiel(settings: Settings, seed: int, cards) -> Steps:
    spiel = pytest.importorskip("diamant_env.open_spiel")
    given = {"players": settings.num_players, "edition": text_of(settings.edition), "recall": "state"}
    game = spiel.pyspiel.load_game("python_diamant", {**given, "utility": settings.reward})
    state, cards, seats = game.new_initial_state(), iter(cards[0].values()), range(game.num_players())
    while True:
        while state.is_chance_node():
            state.apply_action(int(next(cards)))
        rows, may_leave = [*map(state.observation_tensor, seats)], [1 in state.legal_actions(seat) for seat in seats]
        yield step(rows, may_leave, state.rewards(), state.is_terminal())
        if state.is_terminal():
            return
        state.apply_actions([leave * may for leave, may in zip(settings.decide(rows), may_leave, strict=True)])


@cache
def compiled_marl(players: int, reward, observation) -> tuple:
    """Return JaxMARL's form for any edition, compiled: the functions that begin a game and play a turn."""
    jax, marl = pytest.importorskip("jax"), pytest.importorskip("diamant_env.jax.jaxmarl")
    env = marl.DiamantMARL(players, reward=reward, observation=observation)
    game = env.game

    def seen(state, obs, rewards, dones):
        return state, obs, env.get_avail_actions(state), rewards, dones, env.game.global_state(state)

    def begin(numbers, cards):
        env.game = game.with_params(numbers)
        obs, state = env.reset(cards)
        return seen(state, obs, {"": 0.0}, {"": False})

    def play(numbers, state, actions):
        env.game = game.with_params(numbers)
        obs, state, rewards, dones, _ = env.step_env(None, state, actions)
        return seen(state, obs, rewards, dones)

    return env.agents, jax.jit(begin), jax.jit(play)


def jax_marl(settings: Settings, seed: int, cards) -> Steps:
    rules = pytest.importorskip("diamant_env.jax.rules")
    players, edition, reward, observation = settings
    agents, begin, play = compiled_marl(players, reward, observation and tuple(observation))
    numbers = rules.EnvParams.of(edition)
    with mock.patch("diamant_env.jax.env.draw_card", lambda state: state.key[state.expedition, state.turn]):
        for drawn in cards:
            key = np.zeros((17, 128), np.int32)  # instead of random numbers, the cards
            for place, card in drawn.items():
                key[place] = card
            result = begin(numbers, key)
            while True:
                state, obs, legal, rewards, dones, whole = result
                may_leave = [legal[agent][1] for agent in agents]
                yield step(obs.values(), may_leave, [*rewards.values()], [*dones.values()], whole, state._asdict())
                if state.over:
                    break
                acts = zip(agents, np.int32(settings.decide([*obs.values()])), strict=True)
                result = play(numbers, state, dict(acts))


EVERY_SEAT = [parallel, aec, diamant_vec_env, explicit_chance, open_spiel, jax_marl]
ONE_LEARNER = [gymnasium, gymnasium_vector, gymnasium_vec_env, diamant_vec_env_of_one_learner]
REWARDS = ["score", "win", own_reward, "margin"]


@pytest.mark.parametrize("num_players", range(1, 9))
@pytest.mark.parametrize("adapter", EVERY_SEAT + ONE_LEARNER)
def test_adapter_plays_the_games_of_batch(adapter, num_players):
    reward, observation = REWARDS[(num_players - 1) % 4], SOME if num_players in (3, 6) else None
    if adapter in (explicit_chance, open_spiel):  # have three rewards and all fields
        reward, observation = "score" if callable(reward) else reward, None
    for edition in [*PUBLISHED, *INVENTED, VARIED][num_players - 1 :: 8]:
        settings = Settings(num_players, edition, reward, observation)
        for seed in range(FIRST, FIRST + NUM_GAMES):
            expected, cards = play_batch(settings, seed)
            if adapter in ONE_LEARNER:
                expected = seen_by(settings.seat, expected, adapter != diamant_vec_env_of_one_learner)
            found = [*adapter(settings, seed, cards)]
            assert found == [each[: len(found[0])] for each in expected][: len(found)]
            assert found[-1][3]
