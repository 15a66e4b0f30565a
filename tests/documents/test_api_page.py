"""docs/api.md: what its directives show is all that is public, and everything public has a docstring."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import diamant_env
from diamant_env import opponents

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SHOWN = {
    module: names.split(", ") if names else import_module(module).__all__
    for module, names in re.findall(r"^\.\. automodule:: (\S+)\n   :members:(?: (.+))?$", PAGE, re.MULTILINE)
}
NAMES = [(module, name) for module, names in SHOWN.items() for name in names]


def constant_text(module, name):
    """The string below a constant's assignment, in the module that it comes from."""
    statements = ast.parse(inspect.getsource(import_module(module))).body
    for statement, following in zip(statements, [*statements[1:], None], strict=True):
        if isinstance(statement, ast.ImportFrom) and name in [alias.name for alias in statement.names]:
            return constant_text(statement.module, name)
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return following.value.value
    raise AssertionError(f"{module} has no {name}")


def texts(module, name):
    """The docstrings of a name and of its public methods and properties."""
    thing = getattr(import_module(module), name)
    if not callable(thing) or isinstance(thing, np.dtype):
        return {name: constant_text(module, name)}
    members = vars(thing).items() if inspect.isclass(thing) else ()
    public = [member for member in members if member[0][0] != "_"]
    told = [
        member for member in public if inspect.isfunction(member[1]) or isinstance(member[1], property | classmethod)
    ]
    return {name: inspect.getdoc(thing), **{member: inspect.getdoc(value) for member, value in told}}


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_every_public_name_has_a_docstring(module, name):
    if library := {"open_spiel": "pyspiel", "jax": "jax"}.get(module.split(".")[1] if "." in module else ""):
        pytest.importorskip(library)
    for member, text in texts(module, name).items():
        assert re.match(r"\S.*[.:]($|\n)", text or ""), member


def test_every_public_name_has_a_place():
    assert len(SHOWN) == PAGE.count("automodule::") == PAGE.count("## ")
    assert {*diamant_env.__all__, *opponents.__all__} <= {name for _, name in NAMES}


def test_what_the_documents_import_is_public():
    known = {*NAMES, ("diamant_env", "diamant_v0"), ("diamant_env", "exact")}
    for document in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.*"))):
        if document.suffix in (".md", ".txt"):
            text = document.read_text(encoding="utf-8")
            for module, names in re.findall(r"(?:^|`)from (diamant_env[\w.]*) import ([^;`\n]+)", text, re.MULTILINE):
                assert {(module, name.strip()) for name in names.split(",")} <= known, document.name
