"""Models of other libraries as agents: probabilities equal to the model's own."""

import zipfile

import gymnasium
import numpy as np
import pytest

from diamant_env import NUM_FEATURES, Batch, Observations, columns
from diamant_env.opponents import SeatedAgents, make_agent
from diamant_env.opponents.models.export import to_network

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
def test_perceptron_of_sb3(algorithm, observation, tmp_path):
    """The model, its policy, its ``.zip`` and the policy file made of it."""
    model = trained(getattr(contrib, algorithm, None) or getattr(sb3, algorithm), observation=observation, **FEW)
    model.save(tmp_path / "ppo.zip")
    to_network(make_agent(model)).save(tmp_path / "ppo.safetensors")
    flat, inside = rows()
    shown = flat if observation is None else flat[:, columns(*SOME)]
    with torch.no_grad():
        expected = model.policy.get_distribution(torch.as_tensor(shown)).distribution.probs[:, 1].numpy()
    for given in (str(tmp_path / "ppo.zip"), tmp_path / "ppo.zip", model, model.policy, tmp_path / "ppo.safetensors"):
        np.testing.assert_allclose(act(make_agent(given), flat)[inside], expected[inside], rtol=1e-5)
    assert len(set(expected[inside].round(4).tolist())) > 3
    assert str(make_agent(model)) == algorithm


@pytest.mark.parametrize("algorithm", ["DQN", "QRDQN"])
def test_q_networks_act_greedily(algorithm):
    kind = getattr(contrib, algorithm, None) or getattr(sb3, algorithm)
    env = gymnasium.make("diamant_env/Diamant-v0", opponents="bag:9")
    model = kind("MlpPolicy", env, seed=1, learning_starts=20, policy_kwargs={"net_arch": [8]}).learn(60)
    flat, inside = rows()
    expected, _ = model.predict(flat, deterministic=True)
    assert act(make_agent(model), flat)[inside].tolist() == expected[inside].tolist()


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
    seated = SeatedAgents(batch, [make_agent(tmp_path / "recurrent.zip"), make_agent("bag:9")], [[0, 1, 1]] * 8)
    seen, decided, idle = batch.reset(5), np.zeros((8, 3), np.int8), 0
    while (steps < 64).any():
        found = seated.leave_probabilities(seen)
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
                make_agent(given)
        with pytest.raises(ValueError, match="GymnasiumVecEnv"):
            model.learn(8, callback=vec.EvaluateCallback("pool", games=20))
    model = trained(contrib.RecurrentPPO, "MlpLstmPolicy", env=normalize(decisions_only()), **FEW)
    assert not make_agent(model).stateless


def a_network(*end):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(NUM_FEATURES, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2), *end)


def test_torch_module_returns_logits():
    net, (flat, inside) = a_network(), rows()
    net[1].eval()
    with torch.no_grad():
        expected = torch.softmax(net(torch.as_tensor(flat)), 1)[:, 1].numpy()[inside]
    agent = make_agent(net)
    np.testing.assert_allclose(act(agent, flat)[inside], expected, rtol=1e-5)
    np.testing.assert_allclose(act(to_network(agent), flat)[inside], expected, rtol=1e-5)
    assert [part.training for part in net] == [True, False, True]


class OwnAct(torch.nn.Linear):
    def __init__(self):
        super().__init__(NUM_FEATURES, 2)

    def act(self, obs, episode_start):
        return (obs["bag"] >= 9).astype(np.float32)


def test_module_with_act_is_asked_by_it():
    flat, inside = rows()
    assert str(make_agent(OwnAct())) == "OwnAct"
    for given in (OwnAct, OwnAct(), ("named", OwnAct())):
        assert act(make_agent(given), flat)[inside].tolist() == act(make_agent("bag:9"), flat)[inside].tolist()


def env_of(observations, actions):
    env = gymnasium.Env()
    env.observation_space, env.action_space = (
        gymnasium.spaces.Box(0, 1, (observations,)),
        gymnasium.spaces.Discrete(actions),
    )
    return env


class Halved(gymnasium.ObservationWrapper):
    def observation(self, row):
        return row / 2


class Pair(torch.nn.Linear):
    def forward(self, rows):
        return super().forward(rows), rows


def wrapped(wrapper):
    return sb3.PPO("MlpPolicy", wrapper(gymnasium.make("diamant_env/Diamant-v0")))


def wrapped_rows(mode="sync"):
    settings = {"vectorization_mode": mode, "wrappers": [Halved], "vector_kwargs": {"autoreset_mode": "SameStep"}}
    made = gymnasium.make_vec("diamant_env:diamant_env/Diamant-v0", 2, **settings)
    return sb3.PPO("MlpPolicy", vec.GymnasiumVecEnv(made))


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (lambda: sb3.PPO("MlpPolicy", env_of(7, 2)), "observes"),
        (lambda: sb3.PPO("MlpPolicy", env_of(NUM_FEATURES, 3)), "acts in"),
        (lambda: wrapped(Halved), "ObservationWrapper"),
        (wrapped_rows, "ObservationWrapper"),
        (lambda: wrapped_rows("async"), "ObservationWrapper"),
        (lambda: wrapped(gymnasium.wrappers.NormalizeObservation).policy, "observes"),
        (lambda: torch.nn.Linear(NUM_FEATURES, 1), "returns shape"),
        (lambda: Pair(NUM_FEATURES, 2), "returns a tuple"),
    ],
)
def test_unsuitable_model_is_refused(given, word):
    model = given()
    if isinstance(model, sb3.PPO):
        model.get_env().close()
    with pytest.raises(ValueError, match=word):
        act(make_agent(model), rows()[0])


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (lambda: "bag:9", "not a model"),
        (lambda: trained(sb3.DQN, learning_starts=20, steps=60), "not an MlpPolicy"),
        (lambda: contrib.RecurrentPPO("MlpLstmPolicy", vec.DiamantVecEnv(1, 3)), "not an MlpPolicy"),
        (lambda: sb3.PPO("MlpPolicy", sb3.common.vec_env.VecNormalize(vec.DiamantVecEnv(1, 3))), "VecNormalize"),
        (lambda: a_network(torch.nn.Softmax(1)), "only Linear"),
    ],
)
def test_only_perceptrons_become_policy_files(given, word):
    with pytest.raises(ValueError, match=word):
        to_network(make_agent(given()))


@pytest.mark.parametrize("name", ["gone.zip", "text.zip", "other.zip"])
def test_invalid_model_file_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile("other.zip", "w") as file:
        file.writestr("a", "b")
    with pytest.raises(ValueError, match=name):
        make_agent(name)
