"""Metadata of the package; `make package` builds, checks and installs it."""

import re
import tomllib
from pathlib import Path

import diamant_env

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_version_is_consistent():
    cited = re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert PROJECT["version"] == diamant_env.__version__ == cited[1]
    assert PROJECT["version"] in CHANGES


def test_package_data_is_complete():
    package = ROOT / "diamant_env"
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
        "package-data"
    ]
    shipped = {path for pattern in patterns["diamant_env"] for path in package.glob(pattern)}
    files = (path for path in package.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
    there = {path for path in files if path.suffix != ".py"}
    assert there == shipped
