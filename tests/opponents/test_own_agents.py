"""Agents of one's own, as objects and as ``module:object``: what plays, what is refused, and what files may not do."""

import sys

import pytest

from diamant_env.commands import diamant
from diamant_env.gym_env import DiamantEnv
from diamant_env.judging import evaluate, hold_tournament
from diamant_env.opponents import make
from diamant_env.opponents.pools import load_pool
from train.responding.config import ResponseConfig
from train.runs.config import Config, read_config

MODULE = """
import threading
import numpy as np
class Greedy:
    def act(self, obs, first):
        return obs["bag"] >= 15
class Named(Greedy):
    def __str__(self):
        return "the named one"
class NoAct:
    pass
class NeedsMore(Greedy):
    def __init__(self, more):
        pass
class Fails(Greedy):
    def __init__(self):
        raise RuntimeError("no weights")
class OneArgument:
    def act(self, obs):
        return obs["bag"] >= 15
class Locked(Greedy):
    def __init__(self):
        self.lock = threading.Lock()
class Outer:
    Inner = Greedy
locked = Locked()
def two_arguments(obs, first):
    return obs["bag"] >= 15
def misspelt(obs):
    return obs["bags"] >= 15
def imaginary(obs):
    return obs["bag"] * 0j
instance = Greedy()
def nan(obs):
    return np.full(len(obs.flat), np.nan)
def one_number(obs):
    return 0.5
def text(obs):
    return "leave"
def gems(obs):
    return obs["bag"] + 2
number = 7
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module ``own_agents`` that can be imported."""
    (tmp_path / "own_agents.py").write_text(MODULE)
    (tmp_path / "broken_agents.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("own_agents", "broken_agents"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["Greedy", "instance", "Named", "Outer.Inner", "Locked"])
def test_an_own_agent_plays_as_bag_15_does(own, name):
    text = f"own_agents:{name}"
    assert str(make(text)) == text
    mine, theirs = (evaluate(agent, "traps:3,cards:6,ev", 200).results[0] for agent in (text, "bag:15"))
    assert mine.agent == text
    assert mine.score.mean > 10
    # The same games and opponents; only the line-up's tables depend on no name of the judged agent.
    assert (mine.win_share, mine.score) == (theirs.win_share, theirs.score)


def test_wherever_an_agent_is_named(own, monkeypatch, capsys):
    monkeypatch.chdir(own)
    text = "own_agents:Greedy"
    assert "search:2:own_agents:Greedy" in str(make(f"search:2:{text}"))
    quick = ["--games", "40"]
    for words in (
        ["evaluate", "ev", "--against", f"clones:{text}", *quick],
        ["tournament", text, "bag:9", "bag:10", "cards:7", *quick],
        ["watch", text, "ev", "--seed", "1", "--speed", "0"],
    ):
        assert diamant.main(words) == 0
        assert text in capsys.readouterr().out
    env = DiamantEnv(3, opponents=text)
    env.reset(seed=0)
    env.step(1)


def test_the_agent_to_start_from():
    assert evaluate("agents.patient:Patient", "bag:5,cards:6,traps:3", 400).results[0].win_share.low > 0.25


def test_objects_in_python(own):
    import own_agents

    judged = evaluate(own_agents.Greedy(), "traps:3,cards:6,ev", 80, compare_with=[own_agents.Named()])
    assert [result.agent for result in judged.results] == ["Greedy", "the named one"]
    assert "Greedy" in str(judged)
    assert judged.differences[0].score.mean == 0
    entrants = [own_agents.Greedy, lambda obs: obs["turn"] >= 5, "ev", "bag:9"]
    assert {row.agent for row in hold_tournament(entrants, 80).standings} >= {"Greedy", "<lambda>", "ev:0.75"}
    with pytest.raises(ValueError, match="Greedy is there twice"):
        evaluate(own_agents.Greedy(), "ev,bag:9,bag:10", 8, compare_with=[own_agents.Greedy()])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no_such_module:x", "there is no module no_such_module"),
        ("broken_agents:x", r"can't be imported: ZeroDivisionError"),
        ("own_agents:missing", "the module own_agents has no missing"),
        ("own_agents:NoAct", "a class without act; allowed: an agent with act"),
        ("own_agents:Outer.missing", "the module own_agents has no Outer.missing"),
        ("own_agents:NeedsMore", "can't be made without arguments"),
        ("own_agents:Fails", r"can't be made without arguments: RuntimeError\('no weights'\)"),
        ("own_agents:OneArgument", r"takes \(obs\) instead of \(obs, first\); allowed"),
        ("own_agents:two_arguments", r"takes \(obs, first\) instead of \(obs\); allowed"),
        ("own_agents:locked", "can't be copied, but a copy is to play: .*lock.*; give its class instead"),
        ("own_agents:misspelt", "own_agents:misspelt: no field 'bags'; fields: must_decide, chest, "),
        ("own_agents:imaginary", r"must return \d+ probabilities of LEAVE, not complex"),
        ("own_agents:number", "plays nothing; allowed"),
        ("own_agents:nan", "returned nan for row 0; a probability of LEAVE is between 0 and 1"),
        ("own_agents:one_number", r"must return \d+ probabilities of LEAVE, one per row, not shape \(\)"),
        ("own_agents:text", r"must return \d+ probabilities of LEAVE, not str"),
        ("own_agents:gems", "a probability of LEAVE is between 0 and 1"),
    ],
)
def test_a_wrong_one_is_refused(own, text, message):
    with pytest.raises(ValueError, match=message):
        evaluate(text, "ev,bag:9,bag:10", 8)


@pytest.mark.parametrize(
    ("name", "cause"), [("Fails", RuntimeError), ("OneArgument", TypeError), ("locked", TypeError)]
)
def test_an_error_keeps_its_cause(own, name, cause):
    import own_agents

    for agent in (f"own_agents:{name}", getattr(own_agents, name)):
        with pytest.raises(ValueError, match=f"(?i){name}") as raised:
            evaluate(agent, "ev,bag:9,bag:10", 8)
        assert isinstance(raised.value.__cause__, cause)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate("ev", against=[]), r"against=\[\]; texts such as"),
        (lambda: evaluate("ev", against=abs), "against=<built-in function abs>; texts such as"),
        (lambda: evaluate("ev", against=["pool", abs]), r"against=\['pool', <.*>\]; texts such as"),
        (lambda: evaluate("ev", compare_with="bag"), r"compare_with='bag'; a list is expected, such as \['bag'\]"),
        (lambda: hold_tournament("ev", 8), r"agents='ev'; a list is expected, such as \['ev'\]"),
        (lambda: hold_tournament(abs, 8), "agents=<built-in function abs>; a list is expected"),
    ],
)
def test_what_is_no_list_of_agents(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_text_from_a_file_imports_nothing(own):
    (own / "own_agents.py").write_text("raise SystemExit('imported')")
    pool = own / "pool.toml"
    pool.write_text('agents = ["ev", "own_agents:Greedy"]')
    with pytest.raises(ValueError, match="would import a module; a text from a file can't do that"):
        load_pool(pool)
    config = own / "config.toml"
    for key, kind in (("start", Config), ("agent", ResponseConfig)):
        config.write_text(f'{key} = "search:own_agents:Greedy"')
        with pytest.raises(ValueError, match="would import a module"):
            read_config(config, kind)
