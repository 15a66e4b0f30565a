"""Code blocks of README.md and docs/, run with smaller budgets; exceptions are listed here.

Blocks marked ``py`` are not run: they read files that the reader has.
"""

from __future__ import annotations

import json
import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diamant_env.commands import diamant

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *PAGES]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LLMS = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>[\w{}-]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TINY_RUN = "--ppo.decisions 2000 --ppo.games 60 --threads 1 --no-judge"
TINY_SEARCH = (
    "--ppo.decisions 500 --ppo.games 20 --seeds 1 --pick-games 100 --report-games 100 "
    "--values.self-play 100 --values.paths 100 --values.minibatches 5 --pools"
)
TINY_BENCHMARK = (
    "--quick --exact-players 1 --decisions 500 --ppo.games 4 --response.ppo.decisions 500 "
    "--response.values.self-play 0 --response.pools"
)
# Substitutions that reduce budgets, by document.
SMALLER = {
    "README.md": {
        "make train ": f"python -m train.ppo --judge.curve-points 0 {TINY_RUN} ",
        "model.learn(300_000, progress_bar=True)": "model.learn(4096)",
        'against="held-out"))': 'against="held-out", games=200))',
        "ppo.zip --against held-out": "ppo.zip --against held-out --games 200",
        "--algorithms ppo --seeds 1": f"--algorithms ppo --seeds 1 {TINY_BENCHMARK}",
    },
    "agents.md": {"--games 2000": "--games 100", "games=2_000": "games=100"},
    "models.md": {
        "games=2_000": "games=100",
        "every=100_000": "every=4_000",
        "learn(300_000, callback=judge": "learn(4096, callback=judge",
        ", progress_bar=True": "",
    },
    "libraries.md": {"learn(300_000)": "learn(640)", "learn(500_000)": "learn(4096)", "games=10_000": "games=200"},
    "benchmark.md": {
        "--algorithms ppo a2c --seeds 1": f"--algorithms ppo a2c --seeds 1 {TINY_BENCHMARK}",
    },
    "best_response.md": {
        "--ppo.decisions 15_000_000 --ppo.games 2048 --ppo.minibatch 8192 --no-judge": TINY_RUN,
        "runs/small-3-seed1 --game.edition": f"runs/small-3-seed1 {TINY_SEARCH} --game.edition",
        "--players 3 --edition small-3": "--players 2 --edition small-4",
        "best_response ev:0.75": f"best_response ev:0.75 {TINY_SEARCH}",
    },
    "enter.md": {
        "--tasks expedition-2 --quick": f"--tasks expedition-2 {TINY_BENCHMARK}",
        "--seeds 2": f"--seeds 2 {TINY_BENCHMARK}",
    },
    "benchmark_tasks.md": {
        "runs/benchmark/runs/small-3-win/ppo/0/policy.safetensors": "bag:5",
        "--values.self-play 6_000 --values.paths 2_000 --values.minibatches 500 --ppo.decisions 500_000 "
        "--ppo.games 200 --pick-games 2_000 --report-games 40_000": TINY_SEARCH,
    },
    "champion.md": {
        "--games 20000": "--games 100",
        "diamant watch search:16:": "diamant watch search:2:",
        "search:256:champion --against": "search:2:champion --against",
        "--compare search:64:champion search:16:champion champion --games 2000": "--compare champion --games 20",
    },
    "tutorial.md": {
        "games=20_000": "games=400",
        "--ppo.decisions 2_000_000 --no-judge": f"--judge.curve-points 2 {TINY_RUN}",
        "--out judged.json": "--out judged.json --games 200",
        "--games 20000": "--games 400",
        "n_steps=1024": "n_steps=128",
        "model.learn(20_000, progress_bar=True)": "model.learn(128)",
    },
    "index.md": {
        "model.learn(300_000, progress_bar=True)": "model.learn(4096)",
        'against="held-out"))': 'against="held-out", games=200))',
    },
    "train_and_judge.ipynb": {"STEPS, GAMES = 4, 65_536, 2_000": "STEPS, GAMES = 1, 8_192, 200"},
    "own_algorithm.ipynb": {
        '"iello-2016-fr"], expeditions=1': '"iello-2016-fr"], treasures=(1, 5, 9, 17), expeditions=1',
        "EVERY = 240, 1_000, 60": "EVERY = 2, 100, 2",
    },
    "exact.md": {
        "--players 2 3": "--players 2",
        "ev:0.75 --players 2 --whole-game": "ev:0.75 --players 2 --whole-game --edition small-4",
        "--players 3 --edition small-3": "--players 2 --edition small-4",
    },
    "cluster.md": {
        "--config configs/cluster.toml": f"--judge.curve-points 0 {TINY_RUN}",
        "--resume runs/cluster-seed0": "--resume runs/cluster-seed0 --no-judge",
        "--games 100000": "--games 200",
    },
}
# Commands that no test runs, each with the reason.
NOT_RUN = {
    "python -m examples.jax_ppo --steps 2000000": "minutes; tests/in_jax trains a little",
    "diamant page": "serves until Ctrl-C; tests/page plays in it",
    "diamant page --agents ppo.zip mine:patient runs/x hunter --edition box.toml": "serves until Ctrl-C",
    "ssh -t -L 8733:127.0.0.1:8733 you@there diamant page --no-browser": "needs a second machine",
    "diamant page --agents runs/tutorial-seed0": "serves until Ctrl-C",
    "diamant page --agents ppo.zip champion": "serves until Ctrl-C; tests/page seats own agents",
    "make setup": "installs",
    "make docs": "builds the site",
    "make test": "these tests",
    "python -m venv .venv-ray": "installs",
    ".venv-ray/bin/pip install -c constraints.txt -e .[train,distributed,dev]": "installs",
    "python -m train.cluster --runners 8 --ppo.games 3000": "needs eight cores",
    "ray start --head --port=6379": "leaves processes behind",
    "ray start --address=HEAD:6379": "needs a second machine",
    "RAY_ADDRESS=auto python -m train.cluster --runners 64 --ppo.games 24000": "needs a cluster",
    "ray stop": "would stop other clusters",
    "python -m examples.chat_model --url http://localhost:8000/v1/chat/completions --model NAME --games 20": "no "
    "server",
    "source .venv/bin/activate": "changes the shell",
}
OPTIONAL = ("pyspiel", "jax")  # a block that imports one of these runs where it is installed
ALONE = ("README.md",)  # each block needs only the imports of the blocks before it


def blocks_of(document: Path) -> list[re.Match[str]]:
    return list(BLOCK.finditer(document.read_text(encoding="utf-8")))


def smaller(text: str, document: Path) -> str:
    """Return a text with the budgets of the tests."""
    for written, run in SMALLER.get(document.name, {}).items():
        text = text.replace(written, run)
    return text


def can_run(text: str) -> bool:
    """Return whether the optional libraries that a block imports are installed."""
    return not any(find_spec(name) is None and f"import {name}" in text for name in OPTIONAL)


def commands_of(text: str) -> list[list[str]]:
    """Return the commands of a console block, without comments."""
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def run_command(words: list[str]) -> None:
    """Run ``python -m module arguments`` as a call of the module's `main`."""
    command = " ".join(words)
    if command in NOT_RUN or words[:2] == ["pip", "install"]:
        return
    assert words[:2] == ["python", "-m"] or words[0] == "diamant", f"{command}: neither python -m nor listed in NOT_RUN"
    try:
        status = diamant.main(words[1:]) if words[0] == "diamant" else import_module(words[2]).main(words[3:])
    except SystemExit as end:
        status = end.code
    assert not status, command


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_document_blocks_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr("train.runs.judging.CURVE_GAMES", 100)
    if library := {"cluster.md": "ray", "open_spiel.md": "pyspiel", "jax.md": "jax"}.get(document.name):
        pytest.importorskip(library)
    if document.name != "enter.md":  # starts in an empty folder
        (tmp_path / "configs").symlink_to(ROOT / "configs")
    names: dict[str, Any] = {}
    imports = ""
    for block in blocks_of(document):
        text = smaller(block["text"], document)
        if block["language"] == "console":
            for words in commands_of(text):
                run_command(words)
        elif block["language"] == "python" and can_run(text):
            if named := re.match(r"# (\w+\.py)\n", text):  # a file that the reader saves
                (tmp_path / named[1]).write_text(text, encoding="utf-8")
                monkeypatch.syspath_prepend(tmp_path)
            if document.name in ALONE:
                names = {}
                exec(imports, names)
            exec(compile(text, f"{document.name}, {text.splitlines()[0]}", "exec"), names)
            imports += "".join(re.findall(r"^(?:from|import) .*\n", text, re.MULTILINE))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.name)
def test_notebooks_run_and_have_no_outputs(notebook, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    for cell in cells:
        exec(smaller("".join(cell["source"]), notebook), names)
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert np.isfinite(names["plt"].gca().get_lines()[0].get_ydata()).all()


@pytest.mark.parametrize("code", re.findall(r": `((?:from|import) .+)`$", LLMS, re.MULTILINE))
def test_llms_txt_entry_points(code):
    exec(code.replace("; ", "\n"), {})
