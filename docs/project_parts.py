"""Generated parts that follow from where the project is published: installation, addresses, the list of pages."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

REPOSITORY = ""
"""Public address of the repository, such as https://github.com/OWNER/diamant_env; empty until it is known."""
RELEASED = False
"""Whether PyPI has the package."""
DOCS = Path(__file__).parent
(TORCH,) = re.findall(r"^torch==.+$", (DOCS.parent / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
SIZES = f"""\
That takes 1.3 GB with PyTorch for the CPU. On Linux PyPI's PyTorch has CUDA, 4.5 GB more: there install `{TORCH}`
for the CPU first, by the command that PyTorch's site gives for pip, Linux and CPU. Another version than that of
constraints.txt would be replaced by the one with CUDA. Without extras there are the environment and all agents (300 MB:
Numba, NumPy, Gymnasium, PettingZoo). Extras: `judge` (evaluation and exact figures, 160 MB), `sb3` (stable-baselines3
and PyTorch, 870 MB), `web` (play in a browser), `render`, `open-spiel`, `jax`, `train` (commands of a checkout, such as
`python -m train.ppo`). The first game compiles the engine in about 6 s, and caches it."""


def install(extras: str) -> str:
    """Return how to install the package with some extras; `train` is in no wheel."""
    if RELEASED and "train" not in extras:
        sentence, command = "With Python 3.11 or newer:", f'"diamant-env[{extras}]"'
    else:
        clone = f"`git clone {REPOSITORY}`" if REPOSITORY else "`git clone` of this repository"
        sentence = f"In a checkout ({clone}), with Python 3.11 or newer:"
        command = f'-c constraints.txt {"-e " if "train" in extras else ""}".[{extras}]"'
    unreleased = "" if RELEASED else "PyPI has no release yet. "
    return f"{unreleased}{sentence}\n\n```console\npip install {command}\n```"


def urls() -> str:
    """Return the table of addresses in pyproject.toml."""
    return f'[project.urls]\nRepository = "{REPOSITORY}"' if REPOSITORY else ""


def repository_code() -> str:
    """Return the address in CITATION.cff."""
    return f'repository-code: "{REPOSITORY}"' if REPOSITORY else ""


def pages() -> str:
    """Return a line for each page of the site: its title, with a link, and its first sentence."""
    menu = "\n".join(re.findall(r"^```\{toctree\}\n(.*?)^```", _text("index.md"), re.MULTILINE | re.DOTALL))
    return "\n".join(map(_line, re.findall(r"^[\w/]+$", menu, re.MULTILINE)))


def _line(name: str) -> str:
    file = f"{name}.md" if (DOCS / f"{name}.md").is_file() else f"{name}.ipynb"
    text = _text(file) if file.endswith(".md") else "".join(json.loads(_text(file))["cells"][0]["source"])
    title, paragraph = re.match(r"# ([^\n]+)\n\n(.+?)(?:\n\n|$)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    words = re.sub(r"\[(.+?)\]\(.+?\)| \([^)]*\)", r"\1", " ".join(paragraph.split()))
    return f"- [{title}]({file}): {words.partition('. ')[0].rstrip('.')}."


def _text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


EXTRAS = {
    "install": "sb3,judge",
    "install-web": "web",
    "install-open-spiel": "open-spiel,judge",
    "install-jax": "jax",
    "install-train": "train",
    "install-jax-judge": "jax,judge",
}
PARTS = {"extras": lambda: SIZES, "urls": urls, "repository-code": repository_code, "pages": pages} | {
    name: partial(install, extras) for name, extras in EXTRAS.items()
}
