"""docs/api.md: everything public has a docstring and a place. That the page is fresh says `test_documents.py`."""

import re
from pathlib import Path

import api_page  # docs/api_page.py
import pytest

import diamant_env
from diamant_env import opponents

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
NAMES = [(section.module, *found) for section in api_page.SECTIONS for found in api_page.public(section)]


@pytest.mark.parametrize("found", NAMES, ids=lambda found: f"{found[0]}.{found[1]}")
def test_every_public_name_has_a_docstring(found):
    *_, doc = found
    assert re.match(r"\S.*[.:]($|\n)", doc)


def test_every_public_name_has_a_place():
    names = {name for _, name, _, _ in NAMES}
    assert {*diamant_env.__all__, *opponents.__all__} <= names
    assert set(re.findall(r"^####? `(.+)`$", PAGE, re.MULTILINE)) == names


def test_what_the_documents_import_is_public():
    known = {(section.module, name) for section in api_page.SECTIONS for name in section.names}
    known |= {(module, name) for module, name, _, _ in NAMES} | {
        ("diamant_env", "diamant_v0"),
        ("diamant_env", "exact"),
    }
    for document in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = document.read_text(encoding="utf-8")
        for module, names in re.findall(r"^from (diamant_env[\w.]*) import (.+)$", text, re.MULTILINE):
            assert {(module, name.strip()) for name in names.split(",")} <= known, document.name
