"""Lazy submodules at the prompt."""

import subprocess
import sys

import pytest

import diamant_env


def test_submodules_are_imported_lazily():
    code = (
        "import sys, diamant_env; assert {'judging', 'exact', 'sb3'} <= set(dir(diamant_env)); "
        "assert 'diamant_env.judging' not in sys.modules; print(diamant_env.judging.evaluate.__name__)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "evaluate\n"
    with pytest.raises(AttributeError, match="has no attribute 'judgin'"):
        diamant_env.judgin  # noqa: B018
