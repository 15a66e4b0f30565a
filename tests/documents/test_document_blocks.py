"""Code blocks of pages, run as they are printed."""

from __future__ import annotations

import json
import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from diamant_env.commands import diamant

ROOT = Path(__file__).parents[2]
PAGES = ["README.md"] + [f"docs/{name}.md" for name in ("tutorial", "environment", "agents", "benchmark", "exact")]
LIBRARIES = {"docs/open_spiel.md": "pyspiel", "docs/jax.md": "jax"}
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"^```(?P<language>python|console)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONAL = ("pyspiel", "jax")  # a block that imports one of these runs where it is installed
ALONE = ("README.md",)  # each block needs only the imports of the blocks before it
RUN = ("diamant evaluate", "diamant watch", "python -m train.ppo")
"""Commands that run; others serve a page, install, or take minutes."""


def run_command(line: str) -> None:
    command, *arguments = shlex.split(line, comments=True)
    if command == "python":
        main, arguments = import_module(arguments[1]).main, arguments[2:]
    else:
        main = diamant.main
    assert main(arguments) in (0, None), line


@pytest.mark.parametrize("page", [*PAGES, *LIBRARIES])
def test_blocks_run_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if page in LIBRARIES:
        pytest.importorskip(LIBRARIES[page])
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    names: dict[str, Any] = {}
    imports = ""
    for language, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if language == "console":
            for line in filter(lambda line: line.startswith(RUN), text.splitlines()):
                run_command(line)
        elif not any(find_spec(name) is None and f"import {name}" in text for name in OPTIONAL):
            if named := re.match(r"# (\w+\.py)\n", text):  # a file that the reader saves
                (tmp_path / named[1]).write_text(text, encoding="utf-8")
                monkeypatch.syspath_prepend(tmp_path)
            if page in ALONE:
                names = {}
                exec(imports, names)
            exec(compile(text, f"{page}, {text.splitlines()[0]}", "exec"), names)
            imports += "".join(re.findall(r"^(?:from|import) .*\n", text, re.MULTILINE))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.name)
def test_notebook_has_no_outputs(notebook):
    """The site's build runs it."""
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in cells)
