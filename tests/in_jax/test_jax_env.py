"""Environment in JAX: draws, several editions, auto-reset, terminal states, JaxMARL interface, invalid input."""

import sys
from functools import partial

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from diamant_env import NUM_FEATURES  # noqa: E402
from diamant_env.editions import Edition  # noqa: E402
from diamant_env.jax import Diamant  # noqa: E402
from diamant_env.jax.rules import EnvParams, State, draw_card, start_game  # noqa: E402
from diamant_env.state import OVER  # noqa: E402


def test_card_frequencies():
    """3,000 first cards: the largest deviation of a card's share is within four standard errors."""
    keys = jax.random.split(jax.random.key(1), 3000)
    numbers = EnvParams.of("iello-2016")
    cards = jax.jit(jax.vmap(lambda key: draw_card(start_game(numbers, 4, key))))(keys)
    chance = numbers.cards / numbers.cards.sum()
    found = np.bincount(cards, minlength=len(chance)) / len(keys)
    assert (abs(found - chance) <= 4 * np.sqrt(chance * (1 - chance) / len(keys))).all()


@pytest.mark.parametrize("new_key", [jax.random.key, jax.random.PRNGKey])
def test_same_key_gives_same_game(new_key):
    """Both kinds of keys; cards depend on key, expedition and turn only."""
    env = Diamant(3)
    first, again = (jax.jit(env.init)(new_key(5)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first[1:], again[1:], strict=True))
    step = jax.jit(env.step)
    stayed, left = (step(first, jnp.array(actions))[0] for actions in ([0, 0, 0], [1, 0, 0]))
    assert (stayed.last_card, stayed.turn) == (left.last_card, left.turn)


def test_each_turn_of_a_game_has_its_own_draw():
    """The first 12 turns of the first 5 expeditions, with the same deck for 20 keys."""

    def draw(key, expedition, turn):
        return draw_card(start_game(EnvParams.of("iello-2016"), 3, key)._replace(expedition=expedition, turn=turn))

    expeditions, turns = (each.reshape(-1) for each in np.meshgrid(np.arange(1, 6), np.arange(12)))
    keys = jax.random.split(jax.random.key(0), 20)
    cards = jax.jit(jax.vmap(jax.vmap(draw, (0, None, None)), (None, 0, 0)))(keys, expeditions, turns)
    assert len({tuple(row) for row in cards.tolist()}) == 60


def test_editions_side_by_side():
    """Two editions in one `vmap` give the observations of each alone."""
    env, names = Diamant(3), ("schmidt-2005", "everdeck-relics")
    numbers = EnvParams(*(np.stack(each) for each in zip(*map(EnvParams.of, names), strict=True)))
    keys = jax.random.split(jax.random.key(0), 2)

    def seen(env, key):
        return env.observe(env.step(env.init(key), jnp.array([0, 1, 0]))[0])

    together = jax.jit(jax.vmap(lambda numbers, key: seen(env.with_params(numbers), key)))(numbers, keys)
    alone = [jax.jit(partial(seen, Diamant(3, name)))(key) for name, key in zip(names, keys, strict=True)]
    assert np.array_equal(together, np.stack(alone))
    assert env.edition.name == "iello-2016"
    assert np.array_equal(env.params.cards, EnvParams.of("iello-2016").cards)


def test_properties_of_a_batch_are_per_game():
    """24 games in batches of one, two and three axes, and alone."""
    env = Diamant(3, Edition("short", (5, 7), ("snake",), trap_copies=2, expeditions=1))
    states, step = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 24)), jax.jit(jax.vmap(env.step))
    random = np.random.default_rng(0)
    for _ in range(2):
        states, _ = step(states, (random.random((24, 3)) < 0.3).astype(int))
    properties = [name for name, value in vars(State).items() if isinstance(value, property)]
    assert set(properties) == {"num_inside", "deck_size", "over"}
    for name in properties:
        alone = [int(getattr(jax.tree.map(lambda leaf, game=game: leaf[game], states), name)) for game in range(24)]
        assert len(set(alone)) > 1
        for shape in ((24,), (4, 6), (2, 1, 12)):
            batch = jax.tree.map(lambda leaf, shape=shape: leaf.reshape(*shape, *leaf.shape[1:]), states)
            assert np.array_equal(getattr(batch, name), np.reshape(alone, shape))


def test_actions_may_be_a_list():
    env = Diamant(num_players=2)
    state = env.init(jax.random.key(4))
    for both in ([1, 1], (1, 1), np.int8([1, 1])):
        assert env.step(state, both)[0].chest.tolist() == [int(state.bag + state.path_gems // 2)] * 2
    assert state.bag + state.path_gems > 0


def test_ended_game_is_absorbing_and_returned_by_auto_reset():
    env = Diamant(3, "iello-2016-fr", reward="win")
    step, auto_reset, observe = map(jax.jit, (env.step, env.step_auto_reset, env.observe))
    last = jax.jit(env.init)(jax.random.key(0))
    while not last.over:
        before, actions = last, (last.turn + jnp.arange(3)) // 6
        last, _ = step(before, actions)
    after, rewards = step(last, jnp.ones(3, int))
    assert all(np.array_equal(a, b) for a, b in zip(last[1:], after[1:], strict=True))
    assert not rewards.any()
    assert not observe(last)[:, 0].any()
    assert np.array_equal(env.legal_actions(last), [[True, False]] * 3)
    turn = auto_reset(before, actions)
    assert np.array_equal(observe(turn.ended), observe(last))
    assert turn.ended.phase == OVER
    assert turn.rewards.sum() == 1
    assert (turn.state.expedition, turn.state.turn, turn.state.chest.sum()) == (1, 1, 0)
    second = auto_reset(turn.state, jnp.zeros(3, int))
    assert not np.array_equal(jax.random.key_data(turn.state.key), jax.random.key_data(before.key))
    assert np.array_equal(observe(second.state), observe(second.ended))


def played(env):
    return jax.eval_shape(lambda key: env.step(env.init(key), jnp.zeros(env.num_players)), jax.random.key(0))


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Diamant(9), "num_players"),
        (lambda: Diamant(3, "monopoly"), "edition"),
        (lambda: Diamant(3, reward="gems"), "reward"),
        (lambda: Diamant(3, observation=["gold"]), "gold"),
        (lambda: Diamant(1, reward="margin"), "margin"),
        (lambda: Diamant(3).step(None, jnp.zeros(4)), "actions"),
        (lambda: played(Diamant(3, reward=lambda banked, *_: banked.sum())), "rewards"),
    ],
)
def test_invalid_input(make, key):
    with pytest.raises(ValueError, match=key):
        make()


@pytest.fixture(params=["with the library", "without it"])
def marl(request, monkeypatch):
    """Import the JaxMARL module with and without that library."""
    monkeypatch.delitem(sys.modules, "diamant_env.jax.jaxmarl", raising=False)
    if request.param == "without it":
        monkeypatch.setitem(sys.modules, "jaxmarl.environments", None)
    else:
        pytest.importorskip("jaxmarl")
    import diamant_env.jax.jaxmarl as module

    return module


def test_jaxmarl_interface(marl):
    env = marl.DiamantMARL(3, "incan-gold", reward="margin")
    space = env.observation_space("player_0")
    assert (env.num_agents, env.agents, env.action_space("player_2").n) == (3, ["player_0", "player_1", "player_2"], 2)
    assert (space.shape, env.agent_classes) == ((NUM_FEATURES,), {"player": env.agents})
    reset, step, step_env = jax.jit(env.reset), jax.jit(env.step), jax.jit(env.step_env)
    seen, state = reset(jax.random.key(0))
    done, paid, games = False, np.zeros(3), 0
    while games < 2:
        assert space.contains(np.asarray(seen["player_1"]))
        actions = {agent: jnp.full(1, (state.turn + seat) // 6) for seat, agent in enumerate(env.agents)}
        bare = {agent: action[0] for agent, action in actions.items()}
        before, (seen, state, rewards, dones, info) = state, step(jax.random.key(9), state, actions)
        last_seen, last, *_ = step_env(jax.random.key(9), before, bare)
        done, games = bool(dones["__all__"]), games + int(dones["__all__"])
        paid += [rewards[agent] for agent in env.agents]
        assert info == {}
        assert set(dones) == {*env.agents, "__all__"}
        assert bool(last.over) == done
        assert np.array_equal(seen["player_2"], last_seen["player_2"]) != done
        assert np.array_equal(env.get_avail_actions(state)["player_0"], [True, bool(state.inside[0])])
    assert abs(paid.sum()) < 1e-4
    assert paid.any()
