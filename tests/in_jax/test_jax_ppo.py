"""PPO in JAX: advantages, exploration, a short run, resumption, the policy file."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("optax")

from diamant_env.judging import evaluate  # noqa: E402
from diamant_env.opponents import make  # noqa: E402
from train import jax_ppo  # noqa: E402
from train.learning.decisions import Samples, weighted  # noqa: E402
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
        value=column([1, 2, 50, 4, 60]), reward=column([0, 0, 10, 0, 0]), over=column(over) > 0, weight=column([1] * 5),
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
        ("game", {"blank": True}, "game.blank"),
        ("network", {"inputs": "raw-1"}, "network.inputs"),
        ("opponents", {"learner": 0.5, "rules": 0.5}, "opponents.rules"),
    ],
)
def test_unsupported_settings_are_refused(section, setting, named):
    with pytest.raises(ValueError, match=f"^unsupported: {named}; "):
        jax_ppo.Table.of(Config.model_validate({section: setting}))


def test_exploration_is_by_one_waiting_seat_of_a_game():
    games, seats = 100_000, 4
    random = np.random.default_rng(0)
    waiting, decides = random.random(games) < 0.5, random.random((games, seats)) < 0.6
    ppo = PPOConfig(explore=0.5, explore_chance=0.25)
    found, still = map(np.asarray, jax_ppo.explore(ppo, waiting, decides, jax.random.key(0)))
    assert found.sum(axis=1).max() == 1
    assert not (found & ~decides).any()
    assert np.array_equal(still, waiting & ~found.any(axis=1))
    able = waiting & decides.any(axis=1)
    assert found[~able].sum() == 0
    assert found[able].sum() == pytest.approx(0.25 * able.sum(), rel=0.1)
    all_decide = able & decides.all(axis=1)
    assert found[all_decide].sum(axis=0) == pytest.approx(found[all_decide].sum() / seats, rel=0.1)


def test_weights_as_in_torch():
    random = np.random.default_rng(0)
    advantage, value, log_prob = random.normal(size=(3, 200)).astype(np.float32)
    weight = random.choice([0, 0.3, 1, 1.7], 200).astype(np.float32)
    unused = np.zeros(200, np.float32)
    turns = jax_ppo.Transition(unused, unused > 0, unused, log_prob, value, unused, unused > 0, weight)
    usable = (random.random(200) < 0.9) & (weight > 0)
    found, target = jax_ppo.weighted(turns, advantage, usable)
    samples = Samples(unused, unused, value, log_prob, advantage, value + advantage)
    expected = weighted(Samples(*(part[usable] for part in samples)), weight[usable])
    np.testing.assert_allclose(found[usable], expected.advantages, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(target[usable], expected.returns, rtol=1e-6)


def test_resumed_run_is_bit_identical(tmp_path, monkeypatch):
    """Also with several editions, exploring starts and averaged weights."""
    settings = {
        "ppo": {**SMALL["ppo"], "explore": 0.8, "explore_chance": 0.1, "average": 0.6},
        "game": {"editions": ("iello-2016", "schmidt-2005"), "num_players": (3,)},
    }
    config = Config.model_validate({**SMALL, **settings, "checkpoints": 3})
    whole, save = jax_ppo.train(config, tmp_path / "whole"), jax_ppo.save_checkpoint

    def stop(*state):
        save(*state)
        raise KeyboardInterrupt

    monkeypatch.setattr(jax_ppo, "save_checkpoint", stop)
    with pytest.raises(KeyboardInterrupt):
        jax_ppo.train(config, tmp_path / "stopped")
    monkeypatch.undo()
    resumed = jax_ppo.train(config, tmp_path / "stopped")
    rows = np.random.default_rng(0).random((50, 90), np.float32)
    assert np.array_equal(resumed.leave_probability(rows), whole.leave_probability(rows))
    save(tmp_path / "stopped", config, {"learner": []})
    with pytest.raises(ValueError, match=r"checkpoint\.pt does not fit the run"):
        jax_ppo.train(config, tmp_path / "stopped")
