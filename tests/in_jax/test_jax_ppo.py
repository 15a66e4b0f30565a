"""PPO in JAX: advantages, a short run, its policy file."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("optax")

from diamant_env.judging import evaluate  # noqa: E402
from diamant_env.opponents import make  # noqa: E402
from train import jax_ppo  # noqa: E402
from train.runs.config import Config, PPOConfig  # noqa: E402

SMALL = {
    "ppo": {"decisions": 20_000, "games": 64, "turns": 32, "minibatch": 256, "epochs": 2, "learning_rate": 0.01},
    "network": {"hidden": (16,)},
    "opponents": {"learner": 0.5, "snapshots": 0.5, "snapshot_places": 4, "style": 6.0, "blindness": 0.4},
    "game": {"edition": "iello-2016-fr", "num_players": (3,)},
}


def test_advantages_skip_idle_turns():
    """One seat in one game: decides, decides, waits (and earns), decides, then the rollout ends in camp."""
    decides, over = [True, True, False, True, False], [False, False, True, False, False]
    column = lambda values: np.array(values, np.float32)[:, None, None]  # noqa: E731
    turns = jax_ppo.Transition(
        inputs=column([0] * 5), decides=column(decides) > 0, action=column([0] * 5), log_prob=column([0] * 5),
        value=column([1, 2, 50, 4, 60]), reward=column([0, 0, 10, 0, 0]), over=column(over) > 0,
    )  # fmt: skip
    in_camp, unread = np.zeros((1, 1), bool), np.full((1, 1), 70, np.float32)
    found, known = jax_ppo.advantages(turns, in_camp, unread, PPOConfig(gamma=1, gae_lambda=0.5))
    assert known[:, 0, 0].tolist() == [True, True, False, False, False]
    assert found[:2, 0, 0].tolist() == [2 - 1 + 0.5 * (10 - 2), 10 - 2]


def test_short_run_learns(tmp_path):
    agent = jax_ppo.train(Config.model_validate(SMALL), tmp_path)
    saved = make(str(tmp_path / jax_ppo.POLICY))
    rows = np.random.default_rng(0).random((50, 90), np.float32)
    assert np.array_equal(saved.leave_probability(rows), agent.leave_probability(rows))
    played = evaluate(saved, against=["clones:random:0.2"], games=2000, players=3, edition="iello-2016-fr")
    assert played.results[0].win_share.mean > 0.4


@pytest.mark.parametrize(
    ("section", "setting", "named"),
    [
        ("game", {"num_players": (3, 4)}, "game.num_players"),
        ("ppo", {"explore": 0.5}, "ppo.explore"),
        ("network", {"inputs": "raw-1"}, "network.inputs"),
        ("opponents", {"learner": 0.5, "rules": 0.5}, "opponents.rules"),
    ],
)
def test_unsupported_settings_are_refused(section, setting, named):
    with pytest.raises(ValueError, match=f"^unsupported: {named}; "):
        jax_ppo.Table.of(Config.model_validate({section: setting}))
