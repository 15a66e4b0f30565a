"""Configuration files in TOML, and command lines whose options override them."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import tomli_w
import tyro
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from diamant_env.storage.files import nearest
from train.runs.config import Config, Run

CONFIGS = Path(__file__).parents[2] / "configs"
AnyConfig = TypeVar("AnyConfig", bound=Run)
AnyArguments = TypeVar("AnyArguments")
Settings = Annotated[AnyConfig, tyro.conf.arg(name="")]
"""Type of the field `settings` of a command's arguments, whose keys become options."""


def optional(metavar: str) -> Any:
    """Return the tyro annotation of an option without a default."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint="")


ConfigFile = Annotated[Path | None, optional("FILE.toml")]


@dataclass
class _File:
    config: ConfigFile = None


def read_config(
    path: str | Path,
    kind: type[AnyConfig] = Config,  # type: ignore[assignment]
    trusted: Sequence[str] = (),
) -> AnyConfig:
    """Read a configuration file, which may name agents that run code only if they are in `trusted`."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"no configuration file {path}")
    try:
        values = tomllib.loads(Path(path).read_text("utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from None
    try:
        return kind.model_validate(values, context=trusted)
    except ValidationError as error:
        raise ValueError(f"{path}: {'; '.join(_problem(item, kind) for item in error.errors())}") from None


def _problem(error: ErrorDetails, kind: type[BaseModel]) -> str:
    message, name = error["msg"].removeprefix("Value error, "), ".".join(map(str, error["loc"]))
    if not name:  # of several keys, which the message names
        return message
    if error["type"] != "extra_forbidden":
        return f"{name} = {error['input']!r}: {message}"
    *sections, key = map(str, error["loc"])
    for section in sections:
        kind = kind.model_fields[section].annotation  # type: ignore[assignment]
    allowed = f"keys: {', '.join(kind.model_fields)}"
    return f"unknown key {name}; {nearest(key, kind.model_fields, allowed)}"


def config_text(config: Run) -> str:
    return tomli_w.dumps(config.model_dump(mode="json", exclude_none=True))


def parse_arguments(
    kind: Callable[..., AnyArguments], argv: Sequence[str] | None, command: str, standard: Path
) -> AnyArguments:
    """Parse a command line, by default that of the process, whose options override a TOML file.

    `kind` has the fields `settings`, `config` (the file, by default `standard`) and optionally `resume`, which excludes
    settings.
    """
    file, _ = tyro.cli(_File, args=argv, return_unknown_args=True, add_help=False)
    settings = read_config(file.config or standard, get_type_hints(kind)["settings"])
    try:
        arguments: Any = tyro.cli(kind, prog=command, args=argv, default=kind(settings))  # type: ignore[call-overload]
    except ValidationError as error:
        raise ValueError("; ".join(_problem(item, type(settings)) for item in error.errors())) from None
    if getattr(arguments, "resume", None) and (typed := _settings_in(argv, kind)):
        raise ValueError(f"--resume keeps the run's settings and folder: {', '.join(typed)} can't be given")
    return arguments


def _settings_in(argv: Sequence[str] | None, kind: Callable[..., Any]) -> list[str]:
    """Return the options in a command line that a resumed run has already."""
    words = [word for word in (sys.argv[1:] if argv is None else argv) if word.startswith("--")]
    others = get_type_hints(kind).keys() - {"settings", "config", "out"}
    names = {word: word[2:].partition("=")[0].replace("-", "_").removeprefix("no_") for word in words}
    return [word for word, name in names.items() if name not in others]
