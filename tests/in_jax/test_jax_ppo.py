"""PPO in JAX: advantages, exploration, a short run, resumption, the policy file."""

from functools import partial

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
        ("ppo", {"minibatch": 100, "games": 10, "turns": 8}, "ppo.minibatch"),
        ("ppo", {"decisions": 2**32}, "ppo.decisions"),
        ("network", {"inputs": "raw-1"}, "network.inputs"),
        ("opponents", {"learner": 0.5, "rules": 0.5}, "opponents.rules"),
    ],
)
def test_unsupported_settings_are_refused(section, setting, named):
    with pytest.raises(ValueError, match=f"^train.jax_ppo takes {named}: "):
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


def test_weights_of_an_exploring_game():
    """Each turn of eight games: 0 before the exploratory action and beside it, then 1 until the game ends."""
    config = Config.model_validate(
        {**SMALL, "ppo": {"explore": 0.7, "explore_chance": 0.2, "games": 8, "minibatch": 64}}
    )
    table = jax_ppo.Table.of(config)._replace(learners=3)
    table = table._replace(shift=table.shift[..., :0], sees=table.sees[:, :0])
    runner = jax_ppo.new_runner(config, table)
    play = jax.jit(partial(jax_ppo.play_turn, config, table))
    waiting = table.explores.copy()
    assert 0 < waiting.sum() < 8
    for key in jax.random.split(jax.random.key(0), 100):
        runner, turn = play(runner, key)
        weight, over = np.asarray(turn.weight), np.asarray(turn.over)[:, 0]
        explored = waiting[:, None] & (weight > 0)
        assert explored.sum(axis=1).max() <= 1
        assert np.asarray(turn.decides)[explored].all()
        np.testing.assert_allclose(weight[explored], 2 * np.exp(turn.log_prob)[explored], rtol=1e-5)
        assert (weight[~waiting] == 1).all()
        waiting = np.where(over, table.explores, waiting & ~explored.any(axis=1))
        assert np.array_equal(runner.waiting, waiting)


def test_averaged_weights():
    config = Config.model_validate(SMALL)
    runner = jax_ppo.new_runner(config, jax_ppo.Table.of(config))
    ppo, policies = PPOConfig(decisions=100, average=0.5), []
    for decisions in (40, 50, 70, 100):
        policy = jax.tree.map(lambda old, by=decisions: old + by, runner.networks.policy)
        networks = runner.networks._replace(policy=policy)
        runner = jax_ppo.average_weights(runner._replace(networks=networks, decisions=np.uint32(decisions)), ppo)
        policies.append(policy[0][0])
    assert runner.policies_averaged == 3
    np.testing.assert_allclose(runner.average[0][0], np.mean(policies[1:], axis=0), rtol=1e-6)


def test_failed_training_is_an_error():
    config = Config.model_validate(SMALL)
    with pytest.raises(ValueError, match="diverged after 9 decisions"):
        jax_ppo.check(config, 9, 300, finite=False)
    with pytest.raises(ValueError, match=r"minibatch = 256; a rollout of 64 games and 32 turns had 255 decisions"):
        jax_ppo.check(config, 9, 255, finite=True)


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
    for state in ({"learner": []}, {"jax": [1], "seconds": 1.0}, {"jax": None, "seconds": 1.0}):
        save(tmp_path / "stopped", config, state)
        with pytest.raises(ValueError, match=r"checkpoint\.pt does not fit the run"):
            jax_ppo.train(config, tmp_path / "stopped")


def test_refused_run_leaves_no_folder(tmp_path, capsys):
    assert jax_ppo.main(["--config", "configs/default.toml", "--out", str(tmp_path)]) == 2
    assert "train.jax_ppo takes game.num_players: one size, " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
