"""README.md and docs/: current generated parts, links."""

import re
import tomllib
from pathlib import Path

import project_parts  # docs/project_parts.py
import pytest
import update  # docs/update.py

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", ROOT / "docs" / "llms.txt", *PAGES]
README = DOCUMENTS[0].read_text(encoding="utf-8")


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize("document", update.DOCUMENTS, ids=name_of)
def test_generated_parts_are_fresh(document):
    text = document.read_text(encoding="utf-8")
    assert set(re.findall(r"<!-- generated: ([\w-]+) -->", text)) <= set(update.PARTS)
    assert update.updated(text) == text, f"run python docs/update.py: {document.name} is stale"


def test_address_and_release_are_stated_once(monkeypatch):
    names = ("pyproject.toml", "CITATION.cff", "docs/llms.txt", "docs/jax.md")
    monkeypatch.setattr(project_parts, "REPOSITORY", "https://example.org/diamant_env")
    for released in (False, True):
        monkeypatch.setattr(project_parts, "RELEASED", released)
        project, citation, llms, jax = (update.updated((ROOT / name).read_text(encoding="utf-8")) for name in names)
        assert tomllib.loads(project)["project"]["urls"] == {"Repository": "https://example.org/diamant_env"}
        assert '\nrepository-code: "https://example.org/diamant_env"\n' in citation
        assert ('pip install "diamant-env[sb3,judge]"' in llms) == released == ("PyPI has no release" not in llms)
        assert "In a checkout (`git clone https://example.org/diamant_env`)" in jax  # `train` is in no wheel


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_relative_links_exist(document):
    for target in re.findall(r"\]\((?!https?:)(.*?)\)", document.read_text(encoding="utf-8")):
        file, _, heading = target.partition("#")
        there = document.parent / file if file else document
        assert there.is_file(), target
        assert not heading or heading in headings(there), target


def test_llms_txt_lists_every_page():
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    assert {page.name for page in PAGES} - set(re.findall(r"\]\((.+?)\)", text)) == {"index.md"}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_terms_of_judging_are_linked(page):
    text = page.read_text(encoding="utf-8").lower()
    terms = headings(ROOT / "docs" / "glossary.md") - {"glossary", "pool", "blank"}  # these have other meanings, too
    used = [term for term in terms if term.replace("-", " ") in text.replace("-", " ")]
    assert not used or page.stem == "glossary" or "](glossary.md" in text, used


def headings(document: Path) -> set[str]:
    """Return the anchors of the headings."""
    found = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_first_readme_example_prints_its_output(capsys):
    code, shown = re.search(r"```python\n(.*?print\(.*?\)  # the final scores: (.*?)\n)```", README, re.DOTALL).groups()
    exec(code, {})
    assert capsys.readouterr().out.strip() == shown
