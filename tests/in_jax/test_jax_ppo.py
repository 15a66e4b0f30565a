"""Example of PPO in JAX: advantages, a short run."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("optax")

from diamant_env.evaluation import evaluate  # noqa: E402
from examples import jax_ppo  # noqa: E402


def test_advantages_skip_idle_turns():
    """One seat in one game: decides, decides, waits (and earns), decides, then the rollout ends in camp."""
    decides, over = [True, True, False, True, False], [False, False, True, False, False]
    column = lambda values: np.array(values, np.float32)[:, None, None]  # noqa: E731
    turns = jax_ppo.Transition(
        obs=column([0] * 5), decides=column(decides) > 0, action=column([0] * 5), log_prob=column([0] * 5),
        value=column([1, 2, 50, 4, 60]), reward=column([0, 0, 10, 0, 0]), done=column(over) > 0,
    )  # fmt: skip
    in_camp, unread = np.zeros((1, 1), bool), np.full((1, 1), 70, np.float32)
    found, known = jax_ppo.calculate_gae({"GAMMA": 1, "GAE_LAMBDA": 0.5}, turns, unread, in_camp)
    assert known[:, 0, 0].tolist() == [True, True, False, False, False]
    assert found[:2, 0, 0].tolist() == [2 - 1 + 0.5 * (10 - 2), 10 - 2]


def test_short_run_learns():
    small = {"NUM_PLAYERS": 3, "EDITION": "iello-2016-fr", "TOTAL_TIMESTEPS": 60_000, "NUM_ENVS": 64, "HIDDEN": (16,)}
    layers, metrics = jax.jit(jax_ppo.make_train(jax_ppo.CONFIG | small))(jax.random.key(0))
    assert 20_000 < metrics["decisions"].sum() <= 60_000
    actor = jax.tree.map(np.asarray, layers)
    played = evaluate(
        lambda obs: 1 / (1 + np.exp(-jax_ppo.mlp(actor, obs.flat))),
        against="random:0.2",
        games=2000,
        players=3,
        edition="iello-2016-fr",
    )
    assert played.results[0].win_share.mean > 0.4
