"""The campaign of `make faults`, a small part of it: no promise is broken, and each check finds what is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.child import in_child
from tests.faults.table import Effort, Row, Trials

ROOT = Path(__file__).parents[2]


def test_a_small_campaign(tmp_path):
    parts = ["saves", "files", "endurance", "places"]  # the others have tests of their own
    command = [sys.executable, "-m", "tests.faults", "--scale", "0.001", "--out", str(tmp_path / "faults")]
    done = subprocess.run([*command, "--parts", *parts], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "faults" / "results.json").read_text())["rows"]
    assert len(rows) >= 16
    assert all(row["caught"] and row["trials"] and not row["failures"] for row in rows)


def test_a_failure_keeps_its_evidence_and_a_row_its_bound(tmp_path):
    trial = Trials("a fault", Effort(1, tmp_path))
    for number in range(300):
        trial("it broke" if number == 7 else None, b"the bytes")
    row = trial.row("nothing", True)
    assert (row.trials, row.failures, row.worst, row.passed) == (300, 1, "it broke", False)
    assert row.bound == pytest.approx(0.01572, rel=1e-3)  # Clopper and Pearson
    assert (tmp_path / "evidence" / "a-fault-1.bytes").read_bytes() == b"the bytes"
    assert Row("", 300, 0, "", "", True).bound == 0.01
    assert Row("", 300, 0, "", "", True).passed
    assert not Row("", 300, 0, "", "", False).passed
    assert not Row("", 0, 0, "", "", True).passed


def test_how_a_trial_ends():
    assert in_child(lambda: 42).result == 42
    assert "ZeroDivisionError" in in_child(lambda: 1 / 0).problem
    assert in_child(lambda: __import__("os").abort()).problem == "it died by SIGABRT"
    assert "MemoryError" in in_child(lambda: bytearray(1 << 32), memory=1 << 30).problem
    assert in_child(lambda: __import__("time").sleep(600), seconds=0.1).problem == "it hangs"
