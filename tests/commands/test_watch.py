"""Command `diamant watch`: whole games, odds and probabilities."""

import re

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch
from diamant_env.commands import diamant
from diamant_env.observation import Observations
from diamant_env.opponents import Table, make
from diamant_env.records import GameRecord

GAME = ["ev", "bag:18", "random:0.3", "--seed", "3"]


def summary(output: str) -> list[list[str]]:
    lines = output.split("=== The game is over")[1].splitlines()[2:]
    return [re.split(r"\s{2,}", line.strip()) for line in lines[: lines.index("")]]


@pytest.mark.parametrize("edition", ["iello-2016", "incan-gold", "schmidt-2005"])
def test_watched_game(edition, tmp_path, capsys):
    path = tmp_path / "game.txt"
    agents = ["ev", "random:0.3", "mixture", "mixture"]
    options = ["--edition", edition, "--seed", "5", "--record", str(path)]
    assert diamant.main(["watch", *agents, *options]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    record = GameRecord.read(path)
    assert record.names == tuple(agents)
    assert (record.edition, record.seed) == (EDITIONS[edition], 5)
    assert output.count("=== Expedition ") == 5
    assert output.count(">> ") == sum(not turn.bust for turn in record.turns)
    assert len(re.findall(r"^A second .*!", output, re.MULTILINE)) == sum(turn.bust for turn in record.turns)
    rows = sorted(row[0] for row in summary(output))
    assert rows == ["ev", "mixture #1", "mixture #2", "random:0.3"]
    assert not re.search(r"\b[Yy]ou", output)


def test_watched_game_fits_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    assert diamant.main(["watch", "ev", "bag:18", "bag-or-traps:20,3", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 44
    assert lines.count(f"{'=== The game is over ':=<44}") == 1


def test_odds_and_probabilities_equal_table(capsys):
    assert diamant.main(["watch", *GAME]) == 0
    output = capsys.readouterr().out
    batch = Batch(1, 3)
    table = Table(batch, [make(text) for text in GAME[:3]], [range(3)])
    obs, actions = batch.reset(seed=3), np.zeros((1, 3), np.int8)
    views = re.findall(r"  bust   ([\d.]+%) .*\n  share  ([\d.]+) .*\n.*P\(LEAVE\)\n((?:  .*\n){3})", output)
    for chance, share, rows in views:
        seen = Observations(obs[0, 0])
        assert (chance, share) == (f"{float(seen['bust_chance']):.1%}", f"{float(seen['expected_share']):.2f}")
        leave = table.leave_probabilities(obs)
        shown = [re.search(r"[\d.]+%", row) for row in rows.splitlines()]
        for seat, inside in enumerate(batch.must_decide[0]):
            assert (shown[seat] and shown[seat][0]) == (f"{leave[0, seat]:.1%}" if inside else None)
        table.batch.draw_decisions(leave, actions)
        batch.step(actions, obs)
    assert views
    assert batch.over[0]
