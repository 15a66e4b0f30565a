"""Help and symbols at terminals of 80 columns and of ASCII."""

import io
import sys

import pytest

from diamant_env.commands import diamant
from diamant_env.commands.terminal import run_command
from diamant_env.editions import EDITIONS, RESEARCH
from diamant_env.opponents.registry import FAMILIES, describe


@pytest.mark.parametrize("command", ["", *diamant.SUBCOMMANDS])
def test_help_fits_80_columns(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match=r"^0$"):
        diamant.main([*filter(None, [command]), "--help"])
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 80
    if "--edition" in output:
        assert all(name in output for name in [*EDITIONS, *RESEARCH])
    if "AGENT" in output:
        assert all(describe(family) in " ".join(output.split()) for family in FAMILIES.values())


def test_symbols_at_an_ascii_terminal(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert run_command("diamant", lambda: print("0.995 ± 0.023, 2 × ev … −1 é")) == 0
    assert stream.buffer.getvalue().decode().strip() == "0.995 +- 0.023, 2 x ev ... -1 ?"
