"""Menu of the page: named agents and editions, nothing opened or imported by requests."""

import json

import numpy as np
import pytest

from diamant_env import Edition
from diamant_env.opponents.registry import SHIPPED
from diamant_env.records import GameRecord
from tests.support.asking import Asker

pytest.importorskip("starlette", reason='the page needs the extra "web"')
from diamant_env.page.menu import AGENTS, Menu
from diamant_env.page.server import MOST_BYTES, make_app

CHAMPION = SHIPPED["champion"].read_bytes()
BOX = {"name": "mine", "treasures": [5, 7, 9], "traps": ["snake", "gas"], "expeditions": 2}


class Remembering:
    """Leaves at its third decision of a game, by its own memory."""

    def __init__(self):
        self.asked = 0

    def act(self, obs, first):
        self.asked = 0 if first.any() else self.asked + 1
        return np.full(len(first), float(self.asked == 2), np.float32)


def patient(obs):
    return obs["bag"] >= 1


HERE = [f"{__name__}:{each.__name__}" for each in (Remembering, patient)]


@pytest.fixture
def box(tmp_path):
    path = tmp_path / "box.toml"
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in BOX.items()), encoding="utf-8")
    return str(path)


def test_command_line_agents_are_on_menu_and_play(tmp_path):
    (tmp_path / "policy.safetensors").write_bytes(CHAMPION)
    asker = Asker(make_app(Menu([*HERE, str(tmp_path), "hunter", "hunter"])))
    menu = asker.get("/menu").json
    assert menu["default"] == {"edition": "iello-2016", "agents": ["you", *HERE, str(tmp_path), "hunter"]}
    labels = {agent["text"]: agent["label"] for agent in menu["agents"]}
    assert list(labels) == [*AGENTS, *HERE, str(tmp_path)]
    assert labels[HERE[0]] == HERE[0]
    assert labels["hunter"] == "The hunter"
    view = asker.new(*menu["default"]["agents"])
    assert [seat["name"] for seat in view["seats"]] == ["You", *HERE, str(tmp_path), "Hunter"]
    last = asker.to_the_end(view)[-1]
    assert {signs[2] for signs in last["game"]["decisions"]} > {"0"}
    assert asker.post("/record", game=last["game"]).status == 200


def test_custom_edition_is_selected_and_played(box):
    asker = Asker(make_app(Menu(edition=box)))
    menu = asker.get("/menu").json
    assert menu["default"]["edition"] == "mine"
    assert menu["editions"][-1]["name"] == "mine"
    last = asker.to_the_end(asker.new("you", "champion", edition="mine"))[-1]
    assert last["expeditions"] == 2
    record = GameRecord.from_text(asker.post("/record", game=last["game"]).json["text"])
    assert record.edition == Edition.load(box)


def test_request_opens_no_file_and_imports_nothing(box, tmp_path, monkeypatch):
    """Existing files and agents named by another text included."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.safetensors").write_bytes(CHAMPION)
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    asker = Asker(make_app(Menu(["policy.safetensors"], edition="box.toml")))
    for agent in ["trap:agent", "./policy.safetensors", str(tmp_path), ".", "search:2:trap:agent", "text:trap:agent"]:
        answer = asker.post("/new", edition="mine", hidden_chests=None, agents=["you", agent], seed=1)
        assert answer.status == 400
        assert answer.json["error"].startswith("unknown agent")
    for edition in ["box.toml", box, "./box.toml"]:
        answer = asker.post("/new", edition=edition, hidden_chests=None, agents=["you"], seed=1)
        assert answer.status == 400
        assert answer.json["error"].startswith("unknown edition")
        assert asker.post("/open", text=f"diamant record 1\nedition: {edition}").status == 400


def test_body_size_is_limited():
    asker = Asker(make_app())
    assert asker.send("/view", b'"' + b"x" * (MOST_BYTES // 2) + b'"').status == 400
    assert asker.send("/view", b'"' + b"x" * MOST_BYTES + b'"').status == 413
