"""The API reference, made from docstrings and signatures: what ``python docs/update.py`` writes into docs/api.md.

A constant's docstring is the string below its assignment.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np


class Section(NamedTuple):
    """A heading of the page: public names of a module, all of its ``__all__`` if none are named."""

    title: str
    module: str
    names: tuple[str, ...] = ()


SECTIONS = [
    Section("Games and observations", "diamant_env"),
    Section("PettingZoo", "diamant_env.diamant_v0", ("parallel_env", "env", "raw_env")),
    Section("Gymnasium", "diamant_env.gym_env", ("DiamantEnv",)),
    Section("Gymnasium, many games", "diamant_env.gym_vector", ("DiamantVectorEnv",)),
    Section("stable-baselines3", "diamant_env.sb3", ("DiamantVecEnv", "GymnasiumVecEnv")),
    Section("Rewards of your own", "diamant_env.rewards", ("own_rewards",)),
    Section("Registered tasks", "diamant_env.tasks", ("Task",)),
    Section("Agents", "diamant_env.opponents"),
    Section("Judging agents", "diamant_env.judging"),
    Section("Exact figures", "diamant_env.exact"),
    Section("Trained networks", "diamant_env.opponents.network", ("NetworkAgent",)),
    Section("Records", "diamant_env.records"),
    Section("The text of a record", "diamant_env.records.text", ("Turn",)),
    Section("On a GPU", "diamant_env.cuda", ("CudaBatch",)),
]
_HEADING = re.compile(r"^#+ (.+)$")
_PART = re.compile(r"^(Args|Attributes|Returns|Raises):$")
_REFERRAL = re.compile(r"See `[\w.]+`\.")  # all that an overridden method says
_ENTRY = re.compile(r"^ {4}(\w[\w.]*): (.*)$")


def reference() -> str:
    """Return the whole page but its head."""
    links = {title: re.sub("[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title, *_ in SECTIONS}
    contents = "\n".join(f"- [{title}](#{link})" for title, link in links.items())
    return "\n\n".join([contents, *map(_section, SECTIONS)])


def public(section: Section) -> Iterator[tuple[str, Any, str]]:
    """Yield name, object and docstring of all that a section is about, methods and properties included."""
    module = import_module(section.module)
    for name in section.names or module.__all__:
        thing = getattr(module, name)
        yield name, thing, _docstring(module, name)
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            function = value.__func__ if isinstance(value, classmethod) else value
            text = inspect.getdoc(function) or ""
            known = inspect.isfunction(function) or isinstance(value, property)
            if known and not member.startswith("_") and not _REFERRAL.fullmatch(text):
                yield f"{name}.{member}", value, text


def _section(section: Section) -> str:
    doc = inspect.getdoc(import_module(section.module)) or ""
    texts = [f"## {section.title}", f"`{section.module}`", as_markdown(doc)]
    for name, thing, text in public(section):
        texts += ["#" * (4 if "." in name else 3) + f" `{name}`", *_facts(name, thing), as_markdown(text)]
    return "\n\n".join(text for text in texts if text)


def _facts(name: str, thing: Any) -> list[str]:
    """What is known without a docstring: how it is called, or what it holds."""
    if isinstance(thing, np.dtype):
        return ["Fields: " + ", ".join(f"`{field}` {_type_of(thing[field])}" for field in thing.names or ()) + "."]
    if isinstance(thing, dict):
        return ["Keys: " + ", ".join(f"`{key}`" for key in thing) + "."]
    if isinstance(thing, int):
        return [f"`{name} = {thing}`"]
    if getattr(thing, "_is_protocol", False) or isinstance(thing, property | tuple):
        return []
    function = thing.__func__ if isinstance(thing, classmethod) else thing
    text = name + _signature(function)
    return [textwrap.indent("\n".join(textwrap.wrap(text, 108, subsequent_indent="    ")), "    ")]


def _type_of(dtype: np.dtype) -> str:
    base, shape = dtype.subdtype or (dtype, ())
    return f"{'records' if base.names else base.name} {shape}" if shape else base.name


def _signature(function: Any) -> str:
    """Return the arguments in brackets with their types, and what is returned."""
    signature, texts = inspect.signature(function), []
    keyword = False
    for name, parameter in signature.parameters.items():
        if name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword:
            keyword = True
            texts.append("*")
        name = "**" + name if parameter.kind is parameter.VAR_KEYWORD else name
        # A NamedTuple's annotations are wrapped.
        text = f"{name}: {getattr(parameter.annotation, '__forward_arg__', parameter.annotation)}"
        texts.append(f"{text} = {_default(parameter)}" if parameter.default is not parameter.empty else text)
    returned = signature.return_annotation
    arrow = inspect.isroutine(function) and returned is not signature.empty
    return f"({', '.join(texts)})" + (f" -> {returned}" if arrow else "")


def _default(parameter: inspect.Parameter) -> str:
    """Return a default as it is written in code, or dots where it is no literal."""
    default = parameter.default
    return repr(default) if default is None or isinstance(default, bool | int | float | str | tuple) else "…"


def _docstring(module: ModuleType, name: str) -> str:
    thing = getattr(module, name)
    if callable(thing) and not isinstance(thing, np.dtype):
        return inspect.getdoc(thing) or ""
    return _constant_docstring(module, name)


def _constant_docstring(module: ModuleType, name: str) -> str:
    """Return the string below a constant's assignment, in the module that it comes from."""
    statements = ast.parse(inspect.getsource(module)).body
    for statement, following in zip(statements, [*statements[1:], None], strict=True):
        if isinstance(statement, ast.ImportFrom) and name in [alias.name for alias in statement.names]:
            return _constant_docstring(import_module(str(statement.module)), name)
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(following, "value", None)
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
    return ""


def as_markdown(doc: str) -> str:
    """Return a docstring in Google's form as Markdown."""
    lines, part = [], ""
    for line in _plain(doc).splitlines():
        found = _PART.match(line)
        if found:
            part = found[1]
            lines += [f"**{part}**", ""]
        elif part and line.startswith("    "):
            entry = _ENTRY.match(line) if part != "Returns" else None
            lines.append(f"- `{entry[1]}`: {entry[2]}" if entry else line[6:] if part != "Returns" else line[4:])
        else:
            part = part if not line else ""
            lines.append(re.sub("::$", ":", _HEADING.sub(r"**\1**", line)))
    return "\n".join(lines).strip()


def _plain(doc: str) -> str:
    """Return a docstring's text with Markdown's code marks, and stars that mean powers."""
    text = re.sub(r"``([^`]+)``", r"`\1`", doc)
    return re.sub(r"\b2\*\*64\b", "2⁶⁴", text)
