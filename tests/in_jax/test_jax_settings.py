"""Games and observations in double precision with strict promotion, as with JAX's defaults."""

from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from diamant_env.jax import Diamant  # noqa: E402
from diamant_env.jax.jaxmarl import DiamantMARL  # noqa: E402
from diamant_env.rewards import REWARDS  # noqa: E402


@contextmanager
def double_and_strict():
    with ExitStack() as stack:
        for setting in (jax.enable_x64(True), jax.numpy_dtype_promotion("strict"), jax.debug_nans(True)):
            stack.enter_context(setting)
        yield


def content(tree):
    """Return dtype, shape and bytes of each leaf."""
    return [(leaf.dtype, leaf.shape, leaf.tobytes()) for leaf in map(np.asarray, jax.tree.leaves(tree))]


def dtypes(function, *args):
    return [leaf.dtype for leaf in jax.tree.leaves(jax.eval_shape(function, *args))]


def play(new_key):
    """Return 90 turns with auto-reset: ends, states, rewards and observations."""
    env = Diamant(3, "incan-gold", reward="win")

    def turn(state, actions):
        seen, after = env.observe(state), env.step_auto_reset(state, actions)
        return after.state, (after.ended.over, after.state[1:], after.rewards, seen)

    actions = (np.random.default_rng(0).random((90, 3)) < 0.2).astype(np.int32)
    return jax.jit(lambda key: jax.lax.scan(turn, env.init(key), actions)[1])(new_key(3))


def test_same_games():
    expected = play(jax.random.key)
    assert expected[0].any()
    with double_and_strict():
        for new_key in (jax.random.key, jax.random.PRNGKey):
            assert content(play(new_key)) == content(expected)


@pytest.mark.parametrize("reward", REWARDS)
def test_same_dtypes(reward):
    """Also with traced editions and of JaxMARL's form."""
    env, marl = Diamant(4, "everdeck-relics", reward), DiamantMARL(4, reward=reward)

    def traced(numbers, key, actions):
        with_params = env.with_params(numbers)
        turn = with_params.step_auto_reset(with_params.init(key), actions)
        return turn, with_params.observe(turn.state), env.legal_actions(turn.state)

    def by_agent(key, actions):
        _, state = marl.reset(key)
        return marl.step(key, state, dict(zip(marl.agents, actions, strict=True)))

    key, actions = jax.random.key(0), np.zeros(4, np.int32)
    expected = dtypes(traced, env.params, key, actions), dtypes(by_agent, key, actions)
    with double_and_strict():
        assert (dtypes(traced, env.params, key, actions), dtypes(by_agent, key, actions)) == expected
