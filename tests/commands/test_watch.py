"""Command `diamant watch`: whole games, probabilities, interruption."""

import re

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch
from diamant_env.commands import diamant, watch
from diamant_env.editions import NO_CARD
from diamant_env.observation import Observations
from diamant_env.opponents import SeatedAgents, make_agent
from diamant_env.records import GameRecord

GAME = ["ev", "bag:18", "random:0.3", "--seed", "3"]


@pytest.mark.parametrize("edition", ["iello-2016", "incan-gold", "schmidt-2005"])
def test_watched_game(edition, tmp_path, capsys):
    path = tmp_path / "game.json"
    agents = ["ev", "random:0.3", "mixture", "mixture"]
    options = ["--edition", edition, "--seed", "5", "--record", str(path)]
    assert diamant.main(["watch", *agents, *options]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    record = GameRecord.read(path)
    assert record.names == tuple(agents)
    assert (record.edition, record.seed) == (EDITIONS[edition], 5)
    states = record.states()
    assert output.count("\nExpedition ") == len(record.turns)
    assert len(re.findall(r"^A second .*!", output, re.MULTILINE)) == sum(s["bust_card"] != NO_CARD for s in states)
    rows = [re.split(r"\s{2,}", line.strip()) for line in output.splitlines()[-5:-1]]
    assert [row[0] for row in rows] == ["ev", "random:0.3", "mixture #1", "mixture #2"]
    assert [int(row[-2]) for row in rows] == states[-1]["chest"][:4].tolist()


def test_probabilities_equal_table(capsys):
    assert diamant.main(["watch", *GAME]) == 0
    output = capsys.readouterr().out
    batch = Batch(1, 3)
    seated = SeatedAgents(batch, [make_agent(text) for text in GAME[:3]], [range(3)])
    obs, actions = batch.reset(seed=3), np.zeros((1, 3), np.int8)
    views = re.findall(r"  bust   ([\d.]+%) .*\n.*P\(LEAVE\)\n((?:  .*\n){3})", output)
    for chance, rows in views:
        assert chance == f"{float(Observations(obs[0, 0])['bust_chance']):.1%}"
        leave = seated.leave_probabilities(obs)
        shown = [re.search(r"[\d.]+%", row) for row in rows.splitlines()]
        for seat, inside in enumerate(batch.must_decide[0]):
            assert (shown[seat] and shown[seat][0]) == (f"{leave[0, seat]:.1%}" if inside else None)
        seated.batch.draw_decisions(leave, actions)
        batch.step(actions, obs)
    assert views
    assert batch.over[0]


def test_stopped_game_is_recorded(tmp_path, monkeypatch, capsys):
    def interrupted(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(watch.time, "sleep", interrupted)
    assert diamant.main(["watch", *GAME, "--record", str(tmp_path / "game.json")]) == 130
    assert GameRecord.read(tmp_path / "game.json").turns == ()
