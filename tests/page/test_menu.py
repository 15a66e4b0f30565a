"""Menu of the page: named agents and editions, nothing opened or imported by requests."""

import json

import pytest

from diamant_env import Edition
from diamant_env.opponents.registry import SHIPPED
from diamant_env.records import GameRecord
from tests.support.asgi_client import Client

pytest.importorskip("starlette", reason='the page needs the extra "web"')
from diamant_env.page.menu import AGENTS, Menu
from diamant_env.page.server import make_app

CHAMPION = SHIPPED["champion"].read_bytes()
BOX = {"name": "mine", "treasures": [5, 7, 9], "traps": ["snake", "gas"], "expeditions": 2}


def patient(obs):
    return obs["bag"] >= 1


HERE = f"{__name__}:patient"


@pytest.fixture
def box(tmp_path):
    path = tmp_path / "box.toml"
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in BOX.items()), encoding="utf-8")
    return str(path)


def test_command_line_agents_are_on_menu_and_play(tmp_path):
    (tmp_path / "policy.safetensors").write_bytes(CHAMPION)
    client = Client(make_app(Menu([HERE, str(tmp_path), "hunter", "hunter"])))
    menu = client.get("/menu").json
    assert menu["default"] == {"edition": "iello-2016", "agents": ["you", HERE, str(tmp_path), "hunter"]}
    labels = {agent["text"]: agent["label"] for agent in menu["agents"]}
    assert list(labels) == [*AGENTS, HERE, str(tmp_path)]
    assert labels[HERE] == HERE
    assert labels["hunter"] == "The hunter"
    view = client.new(*menu["default"]["agents"])
    assert [seat["name"] for seat in view["seats"]] == ["You", HERE, str(tmp_path), "Hunter"]
    last = client.to_the_end(view)[-1]
    assert any(1 in leaving for leaving in GameRecord.from_json(last["game"]).turns)


def test_minimax_is_offered_where_its_solution_is_shipped():
    client = Client(make_app(Menu()))
    offered = {agent["text"]: agent["editions"] for agent in client.get("/menu").json["agents"]}
    assert offered["minimax"] == ["iello-2016-fr", "schmidt-2005"]
    assert offered["champion"] is None
    assert client.post("/new", edition="iello-2016", agents=["you", "minimax"], seed=1).status == 400
    game = client.new("you", "minimax", edition="schmidt-2005")["game"]
    assert client.post("/hint", game=game).json["adviser"] == "Perfect play"


def test_custom_edition_is_selected_and_played(box):
    client = Client(make_app(Menu(edition=box)))
    menu = client.get("/menu").json
    assert menu["default"]["edition"] == "mine"
    assert menu["editions"][-1]["name"] == "mine"
    assert menu["editions"][-1]["description"] == "your own edition mine"
    assert not any("/" in edition["description"] for edition in menu["editions"])
    assert menu["editions"][-1]["chests"] == {"hidden": "mine/hidden_chests:1", "open": "mine"}
    hidden = client.new("you", "champion", edition="mine/hidden_chests:1")
    assert GameRecord.from_json(hidden["game"]).edition == Edition.load(box).replace(hidden_chests=True)
    last = client.to_the_end(client.new("you", "champion", edition="mine"))[-1]
    assert last["expeditions"] == 2
    assert GameRecord.from_json(last["game"]).edition == Edition.load(box)


def test_request_opens_no_file_and_imports_nothing(box, tmp_path, monkeypatch):
    """Paths of existing files and other spellings of a path on the menu included."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.safetensors").write_bytes(CHAMPION)
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    client = Client(make_app(Menu(["policy.safetensors"], edition="box.toml")))
    for agent in ["trap:agent", "./policy.safetensors", str(tmp_path), ".", "search:2:trap:agent"]:
        response = client.post("/new", edition="mine", agents=["you", agent], seed=1)
        assert response.status == 400
        assert response.json["error"].startswith("unknown agent")
    for edition in ["box.toml", box, "./box.toml"]:
        response = client.post("/new", edition=edition, agents=["you"], seed=1)
        assert response.status == 400
        assert response.json["error"].startswith("unknown edition")
        assert client.post("/open", text=json.dumps({"edition": edition})).status == 400
