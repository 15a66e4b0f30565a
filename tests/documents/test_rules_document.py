"""docs/rules.md: every statement has its source and its test, every test of tests/rules/ its statement."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
STATEMENT = re.compile(r"^- (?P<text>.+)\n  Source: (?P<source>.+)\. Test: (?P<tests>.+)\.$", re.MULTILINE)
STATEMENTS = [match.groupdict() for match in STATEMENT.finditer(TEXT)]
NAMED = {test for statement in STATEMENTS for test in re.findall(r"`([^`]+)`", statement["tests"])}
TEXTS = {"000", "001", "002", "003", "004", "IG", "IG20", "BGA", "Reading"}


@pytest.fixture(scope="module")
def collected() -> set[str]:
    """The tests that pytest finds in the named files and in tests/rules/, with their parameters."""
    files = sorted({test.split("::")[0] for test in NAMED} | {"tests/rules"})
    options = "--collect-only -q -p no:cacheprovider -o addopts="
    command = [sys.executable, "-m", "pytest", *options.split(), *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_every_item_is_a_statement_with_source_and_test():
    assert len(re.findall("^- ", TEXT, re.MULTILINE)) == len(STATEMENTS) > 50
    for statement in STATEMENTS:
        assert re.fullmatch(r"`[^`]+`(, `[^`]+`)*", statement["tests"]), statement
        assert re.fullmatch(r"[A-Z`\"0-9].*\.", statement["text"]), statement


def test_every_source_is_one_of_the_texts():
    for statement in STATEMENTS:
        source = statement["source"]
        assert any(text in source for text in TEXTS) or source == "follows from all above", statement
        assert set(re.findall(r"\b\d{3}\b", source)) <= TEXTS, statement


def test_every_named_test_exists(collected):
    assert NAMED - collected - {test.split("[")[0] for test in collected} == set()


def test_every_test_of_the_rules_is_named(collected):
    rules = {test for test in collected if test.startswith("tests/rules/")}
    assert {test for test in rules if test not in NAMED and test.split("[")[0] not in NAMED} == set()


def test_no_statement_stands_twice():
    texts = [statement["text"] for statement in STATEMENTS]
    assert len(set(texts)) == len(texts)
