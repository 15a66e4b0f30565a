"""README.md and docs/: current generated tables, links."""

import re
from pathlib import Path

import pytest
import update  # docs/update.py

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *PAGES]
README = DOCUMENTS[0].read_text(encoding="utf-8")


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize("document", [page for page in DOCUMENTS if "generated:" in page.read_text()], ids=name_of)
def test_generated_tables_are_fresh(document):
    text = document.read_text(encoding="utf-8")
    assert update.updated(text) == text, f"run python docs/update.py: {document.name} is stale"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_relative_links_exist(document):
    for target in re.findall(r"\]\((?!https?:)(.*?)\)", document.read_text(encoding="utf-8")):
        file, _, heading = target.partition("#")
        there = document.parent / file if file else document
        assert there.is_file(), target
        assert not heading or heading in headings(there), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_no_line_is_dropped_by_myst(document):
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^[\s>*-]*(?:%|\+\+\+).*", text, re.MULTILINE) == []  # comments and block breaks


def headings(document: Path) -> set[str]:
    found = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_readme_example_prints_its_output(capsys):
    block = re.search(r"```python\n((?:(?!```).)*?# the final scores: (.*?)\n)```", README, re.DOTALL)
    code, shown = block.groups()
    exec(code, {})
    assert capsys.readouterr().out.strip() == shown
