"""Search for a best response: gains, resumption, report."""

import json
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from diamant_env.evaluation import evaluate
from diamant_env.evaluation.games import seeds_for
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.network import LAYOUT, NetworkAgent
from diamant_env.sb3 import DiamantVecEnv
from train import best_response
from train.best_response import RESULTS, Arguments, respond
from train.ppo import Learner
from train.responding import result
from train.responding import search as response
from train.responding.config import ResponseConfig, SearchConfig
from train.responding.gains import ResponseGame, gains_of
from train.responding.search import learn
from train.runs.arguments import read_config
from train.runs.config import NetworkConfig, PPOConfig
from train.runs.run_folder import POLICY, save_policy

PPO = PPOConfig(decisions=6_000, games=40, turns=16, minibatch=256)
TINY = {
    "ppo": PPO.model_dump(),
    "network": {"hidden": [16]},
    **{"seeds": 2, "checkpoints": 3, "selection_games": 200, "test_games": 400},
    "values": {"self_play": 0},
}
SMALL = SearchConfig.model_validate(TINY)
TINY["game"] = {"num_players": [3]}


def arguments(folder, *agents, **changes) -> Arguments:
    """Return the arguments of a search that takes seconds; sections are changed key by key."""
    values = {**TINY, **{key: {**TINY[key], **each} if key in TINY and isinstance(each, dict) else each
                         for key, each in changes.items()}}  # fmt: skip
    return Arguments(ResponseConfig.model_validate(values), agents, out=folder)


@pytest.fixture
def few(tmp_path):
    (tmp_path / "few.toml").write_text('agents = ["bag:5", "cards:7"]')
    return [str(tmp_path / "few.toml")]


@pytest.fixture(scope="module")
def network():
    """Return a policy that varies between states."""
    env = DiamantVecEnv(30, 3)
    model = Learner(env, PPOConfig(turns=16, minibatch=128, decisions=3000), NetworkConfig(hidden=(12,)), 1)
    while model.decisions < 3000:
        model.update(model.rollout())
    return model.network("someone")


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.safetensors")}


def test_best_response_beats_random_agent(tmp_path, capsys):
    changes = {"ppo": {"decisions": 40_000, "turns": 32}, "seeds": 1, "test_games": 800}
    (found,) = respond(arguments(tmp_path, "random:1", **changes))
    assert found.best.gain.low > 0.5
    folder = tmp_path / "response-random-1-seed0"
    results = json.loads((folder / RESULTS).read_text())
    assert results["found"]["can_be_gained"]["mean"] == found.best.gain.mean
    assert len(results["found"]["members"]) == 18
    assert results["config"]["game"]["num_players"] == [3]
    assert {"python", "numpy", "processor", "instruction_set"} <= set(results["versions"])
    assert len(results["curves"]["PPO scratch 0"]["points"]) == 3
    assert NetworkAgent.load(folder / POLICY)
    assert "Deviation gain: at least" in capsys.readouterr().out
    assert results["found"]["nash_conv"]["mean"] == pytest.approx(3 * found.best.gain.mean)


def test_interrupted_search_resumes_to_same_result(tmp_path, monkeypatch, few):
    given = arguments(tmp_path, "bag:15", pools=few)
    (whole,) = respond(given)
    assert whole.best.gain.mean == max(gain.gain.mean for gain in whole.searched + whole.members)
    assert [gain.agent for gain in whole.members] == ["bag:5", "cards:7"]
    begin, calls = response.learn, []

    def dies(*args):
        calls.append(args)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return begin(*args)

    with monkeypatch.context() as patch:
        patch.setattr(response, "learn", dies)
        with pytest.raises(KeyboardInterrupt, match=r"resume with --resume .*response-bag-15-seed0-2$"):
            respond(given)
    broken = tmp_path / "response-bag-15-seed0-2"
    assert sorted(files(broken)) == ["scratch-0/policy.safetensors"]
    calls.clear()
    monkeypatch.setattr(response, "learn", lambda *args: (calls.append(args), begin(*args))[1])
    (resumed,) = respond(Arguments(ResponseConfig(), resume=(broken,)))
    assert len(calls) == 1
    assert files(broken) == files(tmp_path / "response-bag-15-seed0")
    assert resumed.to_json() == whole.to_json()


def test_search_of_code_resumes_with_its_agent(tmp_path, monkeypatch, few):
    (tmp_path / "patient.py").write_text("def agent(obs):\n    return obs['bag'] >= 15\n")
    monkeypatch.syspath_prepend(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(response, "learn", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt, match=r"resume with patient:agent --resume .*response-patient-agent"):
            respond(arguments(tmp_path, "patient:agent", pools=few))
    (folder,) = tmp_path.glob("response-*")
    with pytest.raises(ValueError, match=r"would run code.* a file may not"):
        respond(Arguments(ResponseConfig(), resume=(folder,)))
    (found,) = respond(Arguments(ResponseConfig(), ("patient:agent",), resume=(folder,)))
    assert found.agent == "patient:agent"


def test_search_plays_its_game(tmp_path, monkeypatch):
    set_game = {"edition": "everdeck/expeditions:2/hidden_rivals:1", "num_players": [3], "reward": "score"}
    config = ResponseConfig.model_validate({"agent": "bag:15", "game": set_game})
    game, calls = ResponseGame("bag:15", 3, config.game.evaluation_edition(), "score"), []

    def stop(*given):
        calls.append(given)
        raise KeyboardInterrupt

    monkeypatch.setattr(best_response, "response_runs", stop)
    monkeypatch.setattr(response, "DiamantVecEnv", stop)
    for play in (partial(best_response.search, config, tmp_path), partial(learn, game, config, seeds_for(0), None)):
        with pytest.raises(KeyboardInterrupt):
            play()
    (found, *_), (_, players, edition, reward, *_) = calls
    assert found == ResponseGame("bag:15", players, edition, reward) == game


def test_warm_start_is_the_agent(network):
    game = ResponseGame(network, 3, "iello-2016", "win")
    for value_warmup, same in ((1.0, True), (0.0, False)):
        config = SMALL.model_copy(update={"value_warmup": value_warmup})
        _, policy = learn(game, config, seeds_for(0), network)[0]
        alike = [np.array_equal(mine[0], theirs[0]) for mine, theirs in zip(policy.layers, network.layers, strict=True)]
        assert alike == [same, same]


def test_networks_that_no_learner_can_start_from_have_no_warm_start(network, tmp_path):
    layer, hidden = np.zeros((2, NUM_FEATURES), np.float32), np.zeros((8, NUM_FEATURES - 1), np.float32)
    last = np.zeros((2, 8), np.float32), np.zeros(2, np.float32)
    older = [(hidden, np.zeros(8, np.float32)), last]
    linear = NetworkAgent([(layer, np.zeros(2, np.float32))], name="linear")
    mixed = NetworkAgent(network.weights(), inputs=network.inputs)
    mixed.by_players = {3: linear.layers}
    agents = [linear, NetworkAgent(older, layout=LAYOUT[1:]), "bag", mixed, network]
    starts = [
        {run.start for run in response.response_runs(ResponseGame(agent, 3, "iello-2016", "win"), SMALL, tmp_path)}
        for agent in agents
    ]
    assert starts == [{"scratch"}] * 4 + [{"scratch", "warm"}]


def test_selection_and_report_play_different_games(network, monkeypatch):
    game, seeds = ResponseGame("bag:15", 3, "iello-2016", "win"), []

    def stop(*given):
        seeds.append(given[3:5])
        raise KeyboardInterrupt

    for module, compared in ((response, partial(response.pick, [(1, network)])), (result, partial(result.report, []))):
        monkeypatch.setattr(module, "gains_of", stop)
        with pytest.raises(KeyboardInterrupt):
            compared(game, SMALL)
    assert seeds[0] != seeds[1]


def test_value_iteration_is_reported(tmp_path, network):
    path = tmp_path / "someone.safetensors"
    save_policy(path, network, SimpleNamespace(name="someone", seed=0, model_dump=lambda mode: {}), 0)
    small = {"self_play": 200, "paths": 100, "minibatches": 20, "lambdas": [0]}
    (found,) = respond(arguments(tmp_path, str(path), ppo={"decisions": 600}, seeds=2, pools=[], values=small))
    first, second = found.value_iteration
    assert (first.agent, second.agent) == ("value iteration", "value iteration 1")
    assert first.gain != second.gain
    assert found.best.gain.low == max(each.gain.low for each in [*found.searched, *found.value_iteration])
    assert (len(found.searched), found.members) == (4, [])
    (folder,) = tmp_path.glob("response-*")
    saved = json.loads((folder / RESULTS).read_text())["found"]["value_iteration"]
    assert [row["gain"]["mean"] for row in saved] == [first.gain.mean, second.gain.mean]
    assert respond(Arguments(ResponseConfig(), resume=(folder,))) == []  # finished


@pytest.mark.parametrize("reward", ["win", "score", "margin"])
def test_gains_are_payoffs_less_that_of_a_copy(reward):
    game = ResponseGame("random:0.2", 3, "iello-2016", reward)
    copy, other = gains_of(["random:0.2", "bag:8"], game, 4_000, 0, "report")
    assert copy.gain.low <= 0 <= copy.gain.high
    settings = {"players": 3, "purpose": "report", "compare": ["random:0.2"]}
    alone, itself = evaluate("bag:8", "random:0.2", 4_000, **settings).results
    expected = {"win": alone.gain.mean, "score": alone.score.mean - itself.score.mean, "margin": alone.margin.mean}
    assert other.gain.mean == pytest.approx(expected[reward])
    assert other.payoff == {"win": alone.win_share, "score": alone.score, "margin": alone.margin}[reward].mean


def test_default_configuration_equals_file():
    config = read_config("configs/best_response.toml", ResponseConfig)
    assert config == ResponseConfig(agent=config.agent)
