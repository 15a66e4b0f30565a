"""Exact evaluation of policy files by the package alone, and again of published ones."""

import subprocess
import sys

import numpy as np
import pytest

from diamant_env import Edition, benchmark
from diamant_env.editions import EDITIONS
from diamant_env.opponents.inputs import INPUTS
from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.results import save_json
from train.benchmarking.verification import policy_path, verify

SCRIPT = """
import sys
sys.modules["train"] = None  # no checkout
import diamant_env
assert "diamant_env.exact" not in sys.modules
print(repr(diamant_env.benchmark.evaluate("policy.safetensors", "expedition-2").nash_conv))
"""


def random_network(seed: int) -> NetworkAgent:
    random, width = np.random.default_rng(seed), INPUTS["canonical-1"].width
    shapes = (8, width), (2, 8)
    layers = [(random.normal(size=shape).astype(np.float32), np.zeros(shape[0], np.float32)) for shape in shapes]
    return NetworkAgent(layers, inputs="canonical-1")


def test_policy_file_is_evaluated_in_a_new_process(tmp_path):
    agent = random_network(0)
    agent.save(tmp_path / "policy.safetensors")
    output = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=True)
    expected = benchmark.evaluate(agent, "expedition-2", progress=True).nash_conv
    assert expected > 1
    assert float(output.stdout) == pytest.approx(expected, abs=1e-6)


def test_families_agree_where_both_apply(monkeypatch):
    """In a game of one expedition and one kind of trap, both evaluate the same policies, of hidden rivals."""
    monkeypatch.setitem(EDITIONS, "tiny", Edition("tiny", (3, 5), ("snake",), trap_copies=2, expeditions=1))
    tree, whole = (
        benchmark.BenchmarkTask("tiny", family, 3, "tiny/hidden_rivals:1", "score", "four cards")
        for family in ("expedition", "game")
    )
    agent = random_network(1)
    expected = benchmark.evaluate(agent, tree).nash_conv
    assert benchmark.evaluate(agent, whole).nash_conv == pytest.approx(expected, abs=1e-5)
    shown = whole._replace(edition="tiny")
    assert benchmark.evaluate(benchmark.equilibrium(shown), shown).nash_conv == pytest.approx(0, abs=1e-6)


def test_full_tasks_have_no_exact_evaluation():
    with pytest.raises(ValueError, match="full-4-win"):
        benchmark.evaluate("bag", "full-4-win")


def test_published_figure_is_compared(tmp_path, capsys):
    path = policy_path(tmp_path, "expedition-2", "ppo")
    path.parent.mkdir(parents=True)
    random_network(0).save(path)
    nash_conv = benchmark.evaluate(path, "expedition-2").nash_conv
    for published, expected in ((nash_conv + 1e-7, True), (nash_conv + 1e-5, False)):
        row = {"task": "expedition-2", "algorithm": "ppo", "seed": 0, "measures": {"exact": {"nash_conv": published}}}
        save_json({"runs": [row]}, tmp_path / "benchmark.json")
        if expected:
            verify(tmp_path)
            assert "1 policies" in capsys.readouterr().out
        else:
            with pytest.raises(ValueError, match="1 of 1"):
                verify(tmp_path)
    save_json({"runs": [{**row, "measures": {"joint": {"nash_conv": published}}}]}, tmp_path / "benchmark.json")
    for tasks, algorithms in (((), ()), (("expedition-3",), ()), (("expedition-2",), ("a2c",))):
        with pytest.raises(ValueError, match="none"):  # joint decisions are recomputed on request
            verify(tmp_path, tasks, algorithms)
