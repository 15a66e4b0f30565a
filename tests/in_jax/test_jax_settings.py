"""Games and observations in double precision with strict promotion, as with JAX's defaults."""

from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from diamant_env.jax import Diamant  # noqa: E402
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


def play(new_key, reward):
    """Return 90 turns with auto-reset: ends, states, rewards and observations."""
    env = Diamant(3, "incan-gold", reward=reward)

    def turn(state, actions):
        seen, after = env.observe(state), env.step_auto_reset(state, actions)
        return after.state, (after.ended.over, after.state[1:], after.rewards, seen)

    actions = (np.random.default_rng(0).random((90, 3)) < 0.2).astype(np.int32)
    return jax.jit(lambda key: jax.lax.scan(turn, env.init(key), actions)[1])(new_key(3))


@pytest.mark.parametrize("reward", REWARDS)
def test_same_games(reward):
    expected = play(jax.random.key, reward)
    assert expected[0].any()
    with double_and_strict():
        for new_key in (jax.random.key, jax.random.PRNGKey):
            assert content(play(new_key, reward)) == content(expected)
