"""docs/rules_sources.md: a source and a test for every statement, a statement for every test of tests/rules/."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "rules_sources.md").read_text(encoding="utf-8")
STATEMENT = re.compile(r"^- (?P<text>.+)\n  Source: (?P<source>.+)\. Test: (?P<tests>.+)\.$", re.MULTILINE)
STATEMENTS = [match.groupdict() for match in STATEMENT.finditer(TEXT)]
NAMED = {test for statement in STATEMENTS for test in re.findall(r"`([^`]+)`", statement["tests"])}


@pytest.fixture(scope="module")
def collected() -> set[str]:
    """Collect the tests of the named files and of tests/rules/, with their parameters."""
    files = sorted({test.split("::")[0] for test in NAMED} | {"tests/rules"})
    options = "--collect-only -q -p no:cacheprovider -o addopts="
    command = [sys.executable, "-m", "pytest", *options.split(), *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_tests_named_by_rules_exist(collected):
    assert NAMED - collected - {test.split("[")[0] for test in collected} == set()


def test_rule_tests_are_named(collected):
    rules = {test for test in collected if test.startswith("tests/rules/")}
    assert {test for test in rules if test not in NAMED and test.split("[")[0] not in NAMED} == set()
