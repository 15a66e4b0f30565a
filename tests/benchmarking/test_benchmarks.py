"""The commands of the benchmarks run from end to end with --quick; the figures of these tests mean nothing."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import costs, measure, thinking, throughput
from benchmarks.measure import Speed, alternate, timed
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.values import Values
from train.runs.config import Config
from train.runs.run_folder import save_policy


def test_throughput(tmp_path, capsys, monkeypatch):
    # The fresh processes of "costs" compile nothing. In this one, Numba would read the variable when it compiles next.
    monkeypatch.setattr(costs, "os", SimpleNamespace(environ={**os.environ, "NUMBA_DISABLE_JIT": "1"}))
    assert throughput.main(["--quick", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "results.json").read_text())
    assert {"processor", "date", "numba"} <= found["machine"].keys()
    assert "saved:" in capsys.readouterr().out
    sections = {row["section"] for row in found["rows"]}
    assert sections == {"step with observations", "rules", "two threads", "costs"} or found["notes"]
    for row in found["rows"]:
        assert row["ours"] > 0, row
        assert not row["rival"] or row["quartiles"][0] <= row["ratio"] <= row["quartiles"][1], row


def test_thinking(tmp_path, capsys):
    linear = [(np.zeros((2, NUM_FEATURES), np.float32), np.float32([0, -1]))]
    values = {size: [(np.ones((1, 3 * size + 4), np.float32), np.zeros(1, np.float32))] for size in (3, 4, 6, 8)}
    policy = tmp_path / "policy.safetensors"
    save_policy(policy, NetworkAgent(linear, values=Values(values)), Config(), 0)
    assert thinking.main([str(policy), "--quick", "--out", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert len(rows) == 4 * 2 * 4
    for row in rows:
        assert min(row["batch"], row["alone"], row["error"]) > 0
    save_policy(policy, NetworkAgent(linear), Config(), 0)
    assert thinking.main([str(policy), "--quick", "--out", str(tmp_path)]) == 2
    assert "policy.safetensors has no values of tables of 3, 4, 6, 8; give it some" in capsys.readouterr().err


class Clock:
    """Tells a time that passes only as contenders say."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(measure, "perf_counter", clock)
    return clock


def test_contenders_alternate_and_the_median_counts(clock):
    played = []

    def contender(name, seconds):
        def play(steps):
            played.append((name, steps))
            clock.now += steps * seconds

        return timed(play)

    speeds = alternate({"a": contender("a", 0.25), "b": contender("b", 0.5)}, measure.Effort(3, 8.0))
    assert played[-6:] == [("a", 32), ("b", 16)] * 3
    assert speeds == {"a": Speed((4.0,) * 3), "b": Speed((2.0,) * 3)}
    assert Speed((1.0, 9.0, 2.0)).median == 2
    assert Speed((1.0, 9.0, 2.0)).over(Speed((1.0, 3.0, 1.0))) == Speed((1.0, 3.0, 2.0))
    assert Speed((1.0, 9.0, 2.0, 3.0, 4.0)).quartiles == (2.0, 4.0)


@pytest.mark.parametrize("seconds", [0.0, 1e-3])
def test_a_contender_that_takes_no_longer_for_more_steps_is_refused(seconds):
    """However slow the machine: it was tried with twice as many steps for ever."""
    with pytest.raises(RuntimeError, match=r"^idle took .* s for 1,099,511,627,776 steps"):
        alternate({"idle": lambda steps: seconds}, measure.Effort(3, 1.0))
