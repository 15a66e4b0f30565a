"""Help and symbols at terminals of 80 columns and of ASCII."""

import io
import re
import sys

import pytest

from diamant_env.commands import diamant
from diamant_env.commands.terminal import run_command
from diamant_env.editions import EDITIONS, RESEARCH
from diamant_env.opponents.registry import FAMILIES, SHIPPED, SOLVED


@pytest.mark.parametrize("command", ["", *diamant.SUBCOMMANDS])
def test_help_fits_a_screen(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match=r"^0$"):
        diamant.main([*filter(None, [command]), "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_list_names_all_agents_and_editions(capsys):
    assert diamant.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    listed = {line.split()[0] for line in lines if re.match(r"  \S", line)}
    scripted = {str(family()) for family in FAMILIES.values()}
    assert listed >= scripted | {*SHIPPED, *SOLVED, *EDITIONS, *RESEARCH}


def test_symbols_at_an_ascii_terminal(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert run_command("diamant", lambda: print("0.995 ± 0.023, 2 × ev … −1 é")) == 0
    assert stream.buffer.getvalue().decode().strip() == "0.995 +- 0.023, 2 x ev ... -1 ?"
