"""The README: its generated parts are fresh and its code runs."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_generated_parts_are_fresh():
    spec = importlib.util.spec_from_file_location("update", ROOT / "docs" / "update.py")
    update = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(update)
    for document in update.DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        assert update.updated(text) == text, f"run python docs/update.py: {document.name} is stale"
        assert set(update.PARTS) >= set(re.findall(r"<!-- generated: ([\w-]+) -->", text))


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_code_blocks_run(number):
    """Each block stands alone, but for names that the blocks before it import."""
    imports = [line for block in BLOCKS[:number] for line in block.splitlines() if re.match(r"(from|import) ", line)]
    code = "\n".join([*imports, BLOCKS[number]])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_is_left_to_fill_in():
    assert not re.findall(r"^(?:[A-Z]{4,}|TODO.*|FIXME.*)$", README, re.MULTILINE)
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", README):
        assert (ROOT / picture).is_file()


def test_map_names_what_is_there():
    for path in re.findall(r"^\| `([\w/.]+)`", README, re.MULTILINE):
        if "/" in path:
            assert (ROOT / path).exists(), path
