"""PPO in JAX: advantages, exploration, a short run, resumption, the policy file."""

from functools import partial

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

jax = pytest.importorskip("jax")
pytest.importorskip("optax")

from diamant_env import NUM_FEATURES  # noqa: E402
from diamant_env.judging import evaluate  # noqa: E402
from diamant_env.opponents import make  # noqa: E402
from train import jax_ppo  # noqa: E402
from train import ppo as torch_ppo  # noqa: E402
from train.learning import training_run  # noqa: E402
from train.learning.decisions import Samples  # noqa: E402
from train.runs.config import Config, PPOConfig  # noqa: E402
from train.runs.run_folder import POLICY, read_json  # noqa: E402

SMALL = {
    "ppo": {"decisions": 20_000, "games": 64, "turns": 32, "minibatch": 256, "epochs": 2, "learning_rate": 0.01},
    "network": {"hidden": (16,)},
    "opponents": {"learner": 0.5, "snapshots": 0.5, "snapshot_places": 4, "style": 6.0, "blindness": 0.4},
    "game": {"edition": "iello-2016-fr", "num_players": (3,)},
    "judge": {"curve_points": 0},
}


def test_advantages_skip_idle_turns():
    """One seat in one game: decides, decides, waits (and earns), decides, then the rollout ends in camp."""
    decides, over = [True, True, False, True, False], [False, False, True, False, False]
    column = lambda values: np.array(values, np.float32)[:, None, None]  # noqa: E731
    turns = jax_ppo.Transition(
        inputs=column([0] * 5), decides=column(decides) > 0, action=column([0] * 5), log_prob=column([0] * 5),
        value=column([1, 2, 50, 4, 60]), reward=column([0, 0, 10, 0, 0]), over=column(over) > 0,
        explored=column([0] * 5) > 0, excluded=column([0] * 5) > 0,
    )  # fmt: skip
    in_camp, unread = np.zeros((1, 1), bool), np.full((1, 1), 70, np.float32)
    found, known = jax_ppo.advantages(turns, in_camp, unread, PPOConfig(gamma=1, gae_lambda=0.5))
    assert known[:, 0, 0].tolist() == [True, True, False, False, False]
    assert found[:2, 0, 0].tolist() == [2 - 1 + 0.5 * (10 - 2), 10 - 2]


def test_short_run_learns(tmp_path):
    """Its learning curve and the scalars of its updates are there too."""
    judge = {"num_players": 3, "curve_points": 2, "curve_games": 100}
    agent = jax_ppo.train(Config.model_validate({**SMALL, "judge": judge}), tmp_path)
    saved = make(str(tmp_path / POLICY))
    rows = np.random.default_rng(0).random((50, NUM_FEATURES), np.float32)
    assert np.array_equal(saved.leave_probability(rows), agent.leave_probability(rows))
    played = evaluate(saved, against=["clones:random:0.2"], games=2000, players=3, edition="iello-2016-fr")
    assert played.results[0].win_share.mean > 0.4
    assert len(read_json(tmp_path / "curve.json")) == 3
    shown = EventAccumulator(str(tmp_path / "tensorboard")).Reload().Tags()["scalars"]
    assert {*shown} == {"judge/win_share", "train/explained_variance", *(f"train/{name}" for name in jax_ppo.SCALARS)}


@pytest.mark.parametrize(
    ("section", "setting", "named"),
    [
        ("game", {"num_players": (3, 4)}, "game.num_players"),
        ("game", {"blank": True}, "game.blank"),
        ("opponents", {"learner": 0.5, "snapshots": 0.5, "snapshot_places": 7}, "ppo.games: a multiple of"),
        ("ppo", {"minibatch": 321, "games": 10, "turns": 8}, "ppo.minibatch"),
        ("ppo", {"decisions": 2**32}, "ppo.decisions"),
        ("network", {"inputs": "raw-1"}, "network.inputs"),
        ("opponents", {"learner": 0.5, "rules": 0.5}, "opponents.rules"),
    ],
)
def test_unsupported_settings_are_refused(section, setting, named):
    with pytest.raises(ValueError, match=f"^train.jax_ppo takes {named}"):
        jax_ppo.VectorEnv.of(Config.model_validate({section: setting}))


def test_every_table_size_is_checked_before_training():
    opponents = {"learner": 0.75, "snapshots": 0.25}  # at tables of 3 no seat is left for a snapshot
    game, ppo = {"num_players": (3, 8)}, {"games": 20, "minibatch": 64}
    config = Config.model_validate({"per_table": True, "game": game, "ppo": ppo, "opponents": opponents})
    with pytest.raises(ValueError, match=r"takes ppo\.games: a multiple of opponents\.snapshot_places = 8"):
        jax_ppo.check_tables(config)


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


def test_excluded_decisions_of_an_exploring_game():
    """Each turn of eight games: those before the exploratory action and beside it, then none until the game ends."""
    config = Config.model_validate(
        {**SMALL, "ppo": {"explore": 0.7, "explore_chance": 0.2, "games": 8, "minibatch": 64}}
    )
    envs = jax_ppo.VectorEnv.of(config)._replace(learners=3)
    envs = envs._replace(shift=envs.shift[..., :0], sees=envs.sees[:, :0])
    runner = jax_ppo.new_runner(config, envs)
    play = jax.jit(partial(jax_ppo.play_turn, config, envs))
    waiting = envs.explores.copy()
    assert 0 < waiting.sum() < 8
    for key in jax.random.split(jax.random.key(0), 100):
        runner, turn = play(runner, key)
        explored, over = np.asarray(turn.explored), np.asarray(turn.over)[:, 0]
        assert (explored.sum(axis=1) <= waiting).all()
        assert np.asarray(turn.decides)[explored].all()
        assert np.array_equal(turn.excluded, waiting[:, None] & ~explored)
        waiting = np.where(over, envs.explores, waiting & ~explored.any(axis=1))
        assert np.array_equal(runner.waiting, waiting)


def test_failed_training_is_an_error():
    config = Config.model_validate(SMALL)
    with pytest.raises(ValueError, match="diverged after 9 decisions"):
        jax_ppo.check(config, 9, 300, finite=False)
    with pytest.raises(ValueError, match=r"minibatch = 256; a rollout of 64 games and 32 turns had 255 decisions"):
        jax_ppo.check(config, 9, 255, finite=True)


@pytest.mark.parametrize("explored", [0.0, 0.3])
def test_loss_as_in_torch(explored):
    """With its scalars, for networks of the same weights."""
    random, config = np.random.default_rng(0), Config.model_validate(SMALL)
    env = torch_ppo.DiamantVecEnv(2, 3)
    learner = torch_ppo.Learner(env, config.ppo.model_copy(update={"explore": 1.0}), config.network, 0)
    linear = [[*learner.policy.mlp_extractor.policy_net, learner.policy.action_net]]
    linear += [[*learner.policy.mlp_extractor.value_net, learner.policy.value_net]]
    policy, value = (
        [(part.weight.detach().numpy().T, part.bias.detach().numpy()) for part in net if hasattr(part, "weight")]
        for net in linear
    )
    *hidden, (weight, bias) = policy
    networks = jax_ppo.Networks([*hidden, (weight[:, 1:] - weight[:, :1], bias[1:] - bias[:1])], value)
    inputs = random.random((200, 118), np.float32)
    advantage, target, old_value = random.normal(size=(3, 200)).astype(np.float32)
    actions, unread = random.integers(0, 2, 200), np.zeros(200, np.float32)
    log_prob = np.log(random.uniform(0.3, 0.7, 200)).astype(np.float32)
    flag = random.random(200) < explored
    turns = jax_ppo.Transition(inputs, unread, actions, log_prob, old_value, unread, unread, flag, flag)
    total, scalars = jax_ppo.loss(networks, (turns, advantage, target), config.ppo.entropy, config.ppo)
    batch = Samples(inputs, actions, old_value, log_prob, advantage, target, flag)
    expected, logged = learner.loss(Samples(*map(torch.from_numpy, batch)))
    assert float(total) == pytest.approx(expected.item(), rel=0.01)
    for name, found in zip(jax_ppo.SCALARS, scalars, strict=True):
        assert float(found) == pytest.approx(logged[name].item(), rel=0.01, abs=1e-6), name


def test_resumed_run_is_bit_identical(tmp_path, monkeypatch):
    """Also with several editions, exploring starts and averaged weights."""
    settings = {
        "ppo": {**SMALL["ppo"], "explore": 0.8, "explore_chance": 0.1, "average": 0.6},
        "game": {"editions": ("iello-2016", "schmidt-2005"), "num_players": (3,)},
    }
    config = Config.model_validate({**SMALL, **settings, "checkpoints": 3})
    whole, save = jax_ppo.train(config, tmp_path / "whole"), training_run.save_checkpoint

    def stop(*state):
        save(*state)
        raise KeyboardInterrupt

    monkeypatch.setattr(training_run, "save_checkpoint", stop)
    with pytest.raises(KeyboardInterrupt):
        jax_ppo.train(config, tmp_path / "stopped")
    monkeypatch.undo()
    resumed = jax_ppo.train(config, tmp_path / "stopped")
    rows = np.random.default_rng(0).random((50, NUM_FEATURES), np.float32)
    assert np.array_equal(resumed.leave_probability(rows), whole.leave_probability(rows))
    for state in ({"learner": []}, {"learner": {"jax": [1]}}, {"learner": {"jax": None}}):
        save(tmp_path / "stopped", config, state)
        with pytest.raises(ValueError, match=r"checkpoint\.pt does not fit the run"):
            jax_ppo.train(config, tmp_path / "stopped")


def test_refused_run_leaves_no_folder(tmp_path, capsys):
    assert jax_ppo.main(["--config", "configs/default.toml", "--out", str(tmp_path)]) == 2
    assert "train.jax_ppo takes game.num_players: one size, " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
