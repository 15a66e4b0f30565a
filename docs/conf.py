"""Configuration of Sphinx, which builds the site: `make docs`."""

from __future__ import annotations

import re
import sys
import textwrap
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]  # where the package is, in a checkout, and watch.py

import watch  # noqa: E402

import diamant_env.opponents  # noqa: E402

REPOSITORY = ""
"""Public address of the repository, such as https://github.com/OWNER/diamant_env; empty until it is known."""
project, author = "diamant_env", "the authors of diamant_env"
copyright = f"2026, {author}. MIT licence"
version = release = diamant_env.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

html_theme = "furo"
html_title = "diamant_env"
html_favicon = "../diamant_env/page/static/icon.svg"
if REPOSITORY:
    html_theme_options = {"source_repository": REPOSITORY, "source_branch": "main", "source_directory": "docs/"}
    html_theme_options["footer_icons"] = [{"name": "Code", "url": REPOSITORY, "html": "Code", "class": ""}]
html_static_path = html_css_files = ["site.css"]

myst_heading_anchors = 4  # links lead to headings as on GitHub
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
ALIASES = ("ArrayLike", "Opponent", "Observation", "AgentSpec", "Progress", "Reward")
autodoc_type_aliases = {name: name for name in ALIASES}
autodoc_preserve_defaults = True
napoleon_custom_sections = [("Parameters of the game", "params_style")]
napoleon_numpy_docstring = False
napoleon_use_ivar = True
default_role = "py:obj"  # a name in a docstring is a link, where it is documented


def find_constants(package: str) -> None:
    """Attach the docstrings of constants, below their definitions, to the names that a package re-exports."""
    exports = ModuleAnalyzer.for_module(package)
    exports.analyze()
    modules = [name for name in sorted(sys.modules) if name.startswith(f"{package}.")]
    for name in filter(str.isupper, sys.modules[package].__all__):
        docstrings = (ModuleAnalyzer.for_module(module).find_attr_docs() for module in modules)
        exports.attr_docs["", name] = next(text["", name] for text in docstrings if ("", name) in text)


def docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Convert Markdown headings of a docstring, as Gymnasium requires them, to bold text."""
    lines[:] = [re.sub(r"^#+ (.+)$", r"**\1**", line) for line in lines]


def signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, *parts: str | None
) -> tuple[str | None, ...]:
    """Replace type aliases in a signature by their public names."""
    return tuple(part and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", part) for part in parts)


def link(app: Sphinx, document: str, source: list[str]) -> None:
    """Convert links to files outside this folder to downloads."""
    if "/" not in document:
        source[0] = source[0].replace("](../", "](path:../")


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    """Add the first paragraph of a page as its description."""
    if document and (paragraph := next(document.findall(nodes.paragraph), None)):
        text = textwrap.shorten(paragraph.astext(), 160, placeholder=" …")
        context["metatags"] += f'<meta name="description" content="{escape(text)}">'


def add_game(app: Sphinx, error: Exception | None) -> None:
    """Add the recorded game, which pages show in a frame."""
    if error is None:
        watch.write_game(Path(app.outdir) / "watch")


def setup(app: Sphinx) -> None:
    """Connect the functions above."""
    for package in ("diamant_env", "diamant_env.opponents"):
        find_constants(package)
    app.connect("source-read", link)
    app.connect("html-page-context", describe)
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-process-signature", signature)
    app.connect("build-finished", add_game)
