"""Published policies are recomputed."""

import pytest

from diamant_env import benchmark
from diamant_env.storage.results import save_json
from tests.benchmarking.test_package import random_network
from train.benchmarking.verification import policy_path, verify


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
    verify(tmp_path)  # joint decisions are recomputed on request
    assert "0 policies" in capsys.readouterr().out.splitlines()[-1]
    for tasks, algorithms in ((("expedition-3",), ()), (("expedition-2",), ("a2c",))):
        verify(tmp_path, tasks, algorithms)
        assert "0 policies" in capsys.readouterr().out.splitlines()[-1]
