"""Custom agents as objects and as ``module:object``."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from diamant_env.evaluation import evaluate
from diamant_env.opponents import make_agent
from diamant_env.opponents.pools import load_pool
from tests.opponents.test_matchup import Seeded
from train.responding.config import ResponseConfig
from train.runs.arguments import read_config

MODULE = """
import numpy as np
class Greedy:
    def act(self, obs, first):
        return obs["bag"] >= 15
class NeedsMore(Greedy):
    def __init__(self, more):
        pass
instance = Greedy()
def function(obs):
    return obs["bag"] >= 15
def misspelt(obs):
    return obs["bags"] >= 15
def nan(obs):
    return np.full(len(obs.flat), np.nan)
def one_number(obs):
    return 0.5
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Write an importable module ``own_agents``."""
    (tmp_path / "own_agents.py").write_text(MODULE)
    (tmp_path / "broken_agents.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("own_agents", "broken_agents"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["Greedy", "instance", "function"])
def test_imported_agent_equals_bag_15(own, name):
    text = f"own_agents:{name}"
    assert str(make_agent(text)) == text
    mine, theirs = (evaluate(agent, ["traps:3", "cards:6", "ev"], 200).results[0] for agent in (text, "bag:15"))
    assert mine.agent == text
    assert (mine.win_share, mine.score) == (theirs.win_share, theirs.score)


def test_example_agent_wins():
    assert evaluate("agents.patient:Patient", ["bag:5", "cards:6", "traps:3"], 400).results[0].win_share.low > 0.25


@dataclass
class Until:
    gems: int

    def act(self, obs, episode_start):
        return obs["bag"] >= self.gems


@pytest.mark.parametrize(
    ("agents", "names"),
    [
        ([Until(5), Until(7)], ["Until(gems=5)", "Until(gems=7)"]),
        ([("five", Until(5)), ("seven", ("inner", "bag:7"))], ["five", "seven"]),
    ],
)
def test_agents_have_names(agents, names):
    evaluated = evaluate(agents[0], ["ev", "bag:9", "traps:3"], 40, compare=agents[1:])
    assert [row.agent for row in evaluated.results] == names


def test_text_and_class_make_seeded_agents_and_an_object_is_used_as_it_is():
    for spec in (f"{Seeded.__module__}:Seeded", Seeded, ("mine", Seeded)):
        first, second = make_agent(spec, seed=7).agent, make_agent(spec, seed=8).agent
        assert (first.seeds, second.seeds) == ([7], [8])
    own = Seeded()
    assert make_agent(own, seed=7).agent is own
    assert own.seeds == []


@pytest.mark.parametrize(
    "text",
    [
        "no_such_module:x",
        "broken_agents:x",
        *(f"own_agents:{name}" for name in ("missing", "NeedsMore", "misspelt", "nan", "one_number")),
    ],
)
def test_invalid_imported_agent_is_refused(own, text):
    with pytest.raises(ValueError, match=text.partition(":")[0]):
        evaluate(text, ["ev", "bag:9", "bag:10"], 8)


@pytest.mark.parametrize("text", ["own_agents:Greedy", "search:own_agents:Greedy", "ppo.zip"])
def test_untrusted_text_runs_no_code(own, text):
    (own / "own_agents.py").write_text("raise SystemExit('imported')")
    pool = own / "pool.toml"
    pool.write_text(f'agents = ["ev", "{text}"]')
    with pytest.raises(ValueError, match="would run code"):
        load_pool(pool)
    config = own / "config.toml"
    config.write_text(f'agent = "{text}"')
    with pytest.raises(ValueError, match="would run code"):
        read_config(config, ResponseConfig)


def test_ignored_answers_are_not_checked():
    class Idle:
        def act(self, obs, episode_start):
            return np.where(obs["must_decide"] > 0, 0.25, np.nan).astype(np.float32)

    class Late:
        def act(self, obs, episode_start):
            return np.where(obs["turn"] > 2, np.nan, 0.25).astype(np.float32)

    assert evaluate(Idle(), "bag", 20).results[0].score.mean > 0
    with pytest.raises(ValueError, match="Late"):
        evaluate(Late(), "bag", 20)
