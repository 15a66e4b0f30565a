"""Models of other libraries as agents: probabilities equal to the model's own."""

import copy
import functools
import pickle
import zipfile

import gymnasium
import numpy as np
import pytest

from diamant_env import NUM_FEATURES, Batch, Observations, columns
from diamant_env.commands import diamant
from diamant_env.opponents import Table, make
from diamant_env.opponents.models.export import to_network
from diamant_env.opponents.models.outputs import OutputAgent

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")
vec = pytest.importorskip("diamant_env.sb3")

SOME = ["bag", "turn", "bust_chance", "rival_inside"]
FEW = {"n_steps": 8, "batch_size": 32, "n_epochs": 1}


def rows(players=3, games=40, turns=3):
    """Return observations of some games after some turns, and a mask of the seats that must decide."""
    batch, random = Batch(games, players), np.random.default_rng(0)
    seen = batch.reset(1)
    for _ in range(turns):
        seen, _, _ = batch.step((random.random((games, players)) < 0.2).astype(np.int8))
    flat = seen.reshape(-1, seen.shape[-1])
    return flat, flat[:, 0] == 1


def act(agent, flat):
    return agent.act(Observations(flat), np.zeros(len(flat), bool))


def decisions_only():
    """Return a vector environment whose rows are decisions."""
    games = {"id": "diamant_env/Diamant-3p-v0", "num_envs": 8, "opponents": "bag:9"}
    return vec.GymnasiumVecEnv(gymnasium.make_vec(**games, autoreset_mode="SameStep"))


def trained(algorithm, policy="MlpPolicy", observation=None, steps=200, env=None, **settings):
    """Train a model briefly, so that its probabilities differ between rows."""
    env = env or vec.DiamantVecEnv(8, 3, opponents="bag:9", observation=observation)
    return algorithm(policy, env, seed=1, policy_kwargs={"net_arch": [8]}, **settings).learn(steps)


@pytest.mark.parametrize("observation", [None, SOME], ids=["all", "some"])
@pytest.mark.parametrize("algorithm", ["PPO", "MaskablePPO"])
def test_sb3_zip_gives_probabilities_of_its_policy(algorithm, observation, tmp_path):
    model = trained(getattr(contrib, algorithm, None) or getattr(sb3, algorithm), observation=observation, **FEW)
    model.save(tmp_path / "ppo.zip")
    flat, inside = rows()
    shown = flat if observation is None else flat[:, columns(*SOME)]
    with torch.no_grad():
        expected = model.policy.get_distribution(torch.as_tensor(shown)).distribution.probs[:, 1].numpy()
    for given in (str(tmp_path / "ppo.zip"), tmp_path / "ppo.zip", model, model.policy):
        found = act(make(given), flat)
        np.testing.assert_allclose(found[inside], expected[inside], rtol=1e-6)
    assert len(set(expected[inside].round(4).tolist())) > 3
    assert str(make(model)) == algorithm
    frozen, before = copy.deepcopy(make(model)), act(make(model), flat)
    with torch.no_grad():
        model.policy.action_net.bias[1] += 1
    assert act(frozen, flat).tolist() == before.tolist()


@pytest.mark.parametrize("algorithm", ["DQN", "QRDQN"])
def test_q_networks_act_greedily(algorithm):
    kind = getattr(contrib, algorithm, None) or getattr(sb3, algorithm)
    env = gymnasium.make("diamant_env/Diamant-v0", opponents="bag:9")
    model = kind("MlpPolicy", env, seed=1, learning_starts=20, policy_kwargs={"net_arch": [8]}).learn(60)
    flat, inside = rows()
    expected, _ = model.predict(flat, deterministic=True)
    assert act(make(model), flat)[inside].tolist() == expected[inside].tolist()


def test_recurrent_policy_keeps_state_per_row():
    model = trained(contrib.RecurrentPPO, "MlpLstmPolicy", steps=64, env=decisions_only(), **FEW)
    agent, batch = make(model), Batch(6, 3)
    frozen = copy.deepcopy(agent)  # its policy holds a torch graph
    for mine, theirs in zip(frozen.policy.parameters(), agent.policy.parameters(), strict=True):
        assert mine is not theirs
        assert mine.equal(theirs)
    seen, states, begins = batch.reset(2), [None] * 18, np.ones(18, bool)
    random = np.random.default_rng(1)
    for _ in range(8):
        flat = seen.reshape(-1, seen.shape[-1])
        found = agent.act(Observations(flat), begins)
        for row in np.flatnonzero(flat[:, 0]):  # row by row, as in single environments
            with torch.no_grad():
                zero = torch.zeros(model.policy.lstm_hidden_state_shape[0], 1, model.policy.lstm_hidden_state_shape[2])
                before = states[row] or (zero, zero)
                start = torch.tensor([float(begins[row])])
                chances, states[row] = model.policy.get_distribution(
                    torch.as_tensor(flat[row : row + 1]), before, start
                )
            assert found[row] == pytest.approx(float(chances.distribution.probs[0, 1]), abs=1e-6)
        begins[:] = False
        seen, _, _ = batch.step((random.random((6, 3)) < 0.2).astype(np.int8))


def test_recurrent_policy_is_asked_as_it_was_trained(tmp_path):
    settings = {"n_steps": 64, "batch_size": 256, "n_epochs": 2, "learning_rate": 0.01}
    model = trained(contrib.RecurrentPPO, "MlpLstmPolicy", steps=2_000, env=decisions_only(), **settings)
    actions, leave = [], []

    class Recorded(sb3.common.callbacks.BaseCallback):
        def _on_step(self):
            actions.append(self.locals["actions"])
            chance = self.locals["log_probs"].exp().numpy()
            leave.append(np.where(actions[-1] == 1, chance, 1 - chance))
            return True

        def _on_rollout_end(self):  # with the policy that has been recorded
            self.model.save(tmp_path / "recurrent.zip")

    model.get_env().seed(5)
    model.learn(512, callback=Recorded())
    batch, steps = Batch(8, 3), np.zeros(8, int)
    table = Table(batch, [make(tmp_path / "recurrent.zip"), make("bag:9")], [[0, 1, 1]] * 8)
    seen, decided, idle = batch.reset(5), np.zeros((8, 3), np.int8), 0
    while (steps < 64).any():
        found = table.leave_probabilities(seen)
        batch.draw_decisions(found, decided)
        for game in np.flatnonzero(batch.must_decide[:, 0] & (steps < 64)):
            assert found[game, 0] == pytest.approx(leave[steps[game]][game], abs=1e-5)
            decided[game, 0] = actions[steps[game]][game]
            steps[game] += 1
        idle += np.count_nonzero(~batch.must_decide[:, 0])
        seen, _, _ = batch.step(decided, auto_reset=True)
    assert idle > 100
    assert np.ptp(leave) > 1e-3


def test_recurrent_policy_of_idle_rows_is_refused(tmp_path):
    normalize = sb3.common.vec_env.VecNormalize
    for wrapper in (normalize, lambda env: env):
        model = trained(contrib.RecurrentPPO, "MlpLstmPolicy", env=wrapper(vec.DiamantVecEnv(8, 3)), **FEW)
        model.save(tmp_path / "idle.zip")
        for given in (model, tmp_path / "idle.zip"):
            with pytest.raises(ValueError, match="GymnasiumVecEnv"):
                make(given)
        with pytest.raises(ValueError, match="GymnasiumVecEnv"):
            model.learn(8, callback=vec.JudgeCallback("pool", games=20))
    model = trained(contrib.RecurrentPPO, "MlpLstmPolicy", env=normalize(decisions_only()), **FEW)
    assert not make(model).memoryless


def test_vec_normalize_statistics(tmp_path):
    games = vec.DiamantVecEnv(8, 3, opponents="bag:9", observation=SOME)
    env = sb3.common.vec_env.VecNormalize(games, clip_obs=1e6)
    model = sb3.PPO("MlpPolicy", env, seed=1, **FEW).learn(200)
    folder = tmp_path / "a+b"
    folder.mkdir()
    model.save(folder / "ppo.zip")
    env.save(folder / "norm.pkl")
    flat, inside = rows()
    found = act(make(f"{folder / 'ppo.zip'}+{folder / 'norm.pkl'}"), flat)
    assert found[inside].tolist() == act(make(model), flat)[inside].tolist()
    np.testing.assert_allclose(act(to_network(make(("mine", model))), flat)[inside], found[inside], atol=1e-6)
    (folder / "dict.pkl").write_bytes(pickle.dumps({}))
    sb3.common.vec_env.VecNormalize(vec.DiamantVecEnv(8, 3)).save(folder / "all.pkl")
    for name, message in (
        ("dict", "holds a dict, not the statistics"),
        ("all", "statistics of shape \\(90,\\); the policy observes \\(10,\\)"),
    ):
        with pytest.raises(ValueError, match=message):
            make(f"{folder / 'ppo.zip'}+{folder / name}.pkl")


def a_network(outputs, *end):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(NUM_FEATURES, 16), torch.nn.Tanh(), torch.nn.Linear(16, outputs), *end)


@pytest.mark.parametrize(
    ("outputs", "end", "leave"),
    [
        (2, [], lambda out: 1 / (1 + np.exp(out[:, 0] - out[:, 1]))),
        (2, [torch.nn.Softmax(1)], lambda out: out[:, 1]),
        (1, [torch.nn.Sigmoid()], lambda out: out[:, 0]),
        (1, [], lambda out: 1 / (1 + np.exp(-out[:, 0]))),
    ],
    ids=["two logits", "softmax", "sigmoid", "one logit"],
)
def test_torch_module(outputs, end, leave):
    net, (flat, inside) = a_network(outputs, *end), rows()
    with torch.no_grad():
        net[2].bias[-1] -= 3
        expected = leave(net(torch.as_tensor(flat)).numpy())[inside]
    agent = make(net)
    np.testing.assert_allclose(act(agent, flat)[inside], expected, rtol=1e-5)
    np.testing.assert_allclose(act(to_network(agent), flat)[inside], expected, atol=1e-6)
    assert net.training


class OwnAct(torch.nn.Linear):
    """Module that is an agent, such as one that changes its inputs."""

    def __init__(self):
        super().__init__(NUM_FEATURES, 2)

    def act(self, obs, first):
        return (obs["bag"] >= 9).astype(np.float32)


def test_module_with_act_is_asked_by_it():
    flat, inside = rows()
    assert str(make(OwnAct())) == "OwnAct"
    for given in (OwnAct, OwnAct(), ("named", OwnAct())):
        assert act(make(given), flat)[inside].tolist() == act(make("bag:9"), flat)[inside].tolist()


def test_modes_of_parts_are_kept():
    net = a_network(2)
    net[1].eval()
    act(make(net), rows()[0])
    assert [part.training for part in net] == [True, False, True]


class Gated(torch.nn.Module):
    """Module whose last part is a sigmoid that its output doesn't end with."""

    def __init__(self):
        super().__init__()
        self.logits, self.gate = torch.nn.Linear(NUM_FEATURES, 2), torch.nn.Sigmoid()

    def forward(self, rows):
        return self.logits(rows * self.gate(rows))


def test_sigmoid_elsewhere_gives_logits():
    net, (flat, inside) = Gated(), rows()
    with torch.no_grad():
        expected = torch.softmax(net(torch.as_tensor(flat)), 1)[:, 1].numpy()
    np.testing.assert_allclose(act(make(net), flat)[inside], expected[inside], rtol=1e-5)


def test_overflowing_softmax_gives_probabilities():
    def naive(flat):
        powers = np.exp(flat[:, :2] * 10)
        return powers / powers.sum(axis=1, keepdims=True)

    flat, inside = rows()
    with np.errstate(over="ignore", invalid="ignore"):
        found = act(OutputAgent(naive, "naive", False), flat)[inside]
    np.testing.assert_allclose(found, naive(flat)[inside, 1], rtol=1e-6)


def test_logits_that_sum_to_1_in_some_rows_are_no_probabilities():
    agent = OutputAgent(lambda flat: np.stack([-flat[:, 0], np.full(len(flat), 2)], axis=1), "logits", False)
    flat, inside = rows()
    np.testing.assert_allclose(act(agent, flat)[inside], 1 / (1 + np.exp(-3)), rtol=1e-6)
    agent.run = functools.partial(lambda session, flat: flat, "a session of onnxruntime")
    with pytest.raises(ValueError, match="only those are exported"):
        to_network(agent)


def test_exported_policy_equals_model_and_can_search(tmp_path, capsys):
    trained(sb3.PPO, observation=SOME, **FEW).save(tmp_path / "ppo.zip")
    file = tmp_path / "mine.safetensors"
    assert diamant.main(["export", str(tmp_path / "ppo.zip"), str(file)]) == 0
    assert f"{NUM_FEATURES} → 8 → 2, tanh" in capsys.readouterr().out
    flat, inside = rows()
    model, policy = make(tmp_path / "ppo.zip"), make(file)
    np.testing.assert_allclose(act(policy, flat)[inside], act(model, flat)[inside], atol=1e-6)
    assert policy.metadata["exported_from"] == str(tmp_path / "ppo.zip")
    seen = Observations(flat[:3], "iello-2016")
    assert make(f"search:16:{file}").act(seen, np.zeros(3, bool)).shape == (3,)


def env_of(observations, actions):
    """Return an environment with other spaces."""
    env = gymnasium.Env()
    env.observation_space, env.action_space = (
        gymnasium.spaces.Box(0, 1, (observations,)),
        gymnasium.spaces.Discrete(actions),
    )
    return env


class Halved(gymnasium.ObservationWrapper):
    """Wrapper that keeps the space."""

    def observation(self, row):
        return row / 2


class Parts(torch.nn.Module):
    """Module without `forward`, with two parts."""

    def __init__(self):
        super().__init__()
        self.critic, self.actor = torch.nn.Linear(NUM_FEATURES, 1), torch.nn.Linear(NUM_FEATURES, 2)


class Both(Parts):
    """Module that returns a tuple."""

    def forward(self, rows):
        return self.actor(rows), self.critic(rows)


def wrapped(wrapper):
    return sb3.PPO("MlpPolicy", wrapper(gymnasium.make("diamant_env/Diamant-v0")))


def wrapped_rows(mode="sync"):
    settings = {"vectorization_mode": mode, "wrappers": [Halved], "vector_kwargs": {"autoreset_mode": "SameStep"}}
    made = gymnasium.make_vec("diamant_env:diamant_env/Diamant-v0", 2, **settings)
    return sb3.PPO("MlpPolicy", vec.GymnasiumVecEnv(made))


def broken():
    model = sb3.PPO("MlpPolicy", vec.DiamantVecEnv(1, 3))
    model.policy.action_net.weight.data[0, 0] = torch.nan
    return model


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: sb3.PPO("MlpPolicy", env_of(7, 2)), r"PPO observes Box.*\(7,\).*fields: must_decide, chest"),
        (lambda: sb3.PPO("MlpPolicy", env_of(NUM_FEATURES, 3)), r"PPO acts in Discrete\(3\)"),
        (lambda: wrapped(Halved), "PPO learns through an ObservationWrapper"),
        (wrapped_rows, "PPO learns through an ObservationWrapper"),
        (lambda: wrapped_rows("async"), "PPO learns through an ObservationWrapper"),
        (lambda: wrapped(gymnasium.wrappers.NormalizeObservation).policy, r"Policy observes Box\(-inf, inf, "),
        (Parts, r"Parts .*: it has no forward; .* parts: agent.critic, agent.actor"),
        (Both, r"Both .*: it returns a tuple; .* parts: agent.critic, agent.actor"),
        (broken, "PPO has a weight that is not a finite number"),
        (lambda: torch.nn.Linear(50, 2), rf"Linear fails on an input of shape \(256, {NUM_FEATURES}\)"),
        (lambda: torch.nn.Linear(NUM_FEATURES, 5), r"Linear returns shape \(256, 5\) for 256 rows"),
        (lambda: a_network(1, torch.nn.Hardsigmoid()), "a probability or a logit"),
    ],
)
def test_unsuitable_model_is_refused(given, message):
    model = given()
    if isinstance(model, sb3.PPO):
        model.get_env().close()
    with pytest.raises(ValueError, match=message):
        make(model)


@pytest.mark.parametrize("name", ["gone.zip", "text.zip", "other.zip"])
def test_invalid_model_file_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile("other.zip", "w") as file:
        file.writestr("a", "b")
    with pytest.raises(ValueError, match=name) as error:
        make(name)
    assert "\n" not in str(error.value)
