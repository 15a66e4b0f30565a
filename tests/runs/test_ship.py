"""Shipped policies and their model cards."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Observations
from diamant_env.judging.evaluation import judge
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.lineups import intruder_line_ups
from diamant_env.opponents import make
from diamant_env.opponents.registry import SHIPPED
from diamant_env.storage.results import save_json
from train.learning.league import tables_of
from train.ppo import train
from train.runs.config import Config
from train.runs.model_card import card_text, record_of
from train.runs.run_folder import new_run_folder
from train.ship import LARGEST, Arguments, judge_everywhere, ship

CARDS = Path(__file__).parents[2] / "agents" / "policies"
SMALL = {
    "name": "small",
    "threads": 1,
    "game": {"num_players": [3, 4, 4], "editions": ["everdeck", "incan-gold"]},
    "ppo": {"decisions": 2_000, "games": 12, "turns": 16, "minibatch": 256},
    "network": {"hidden": [8]},
    "judge": {"curve_points": 0},
}


def test_editions_alternate_at_each_table_size():
    players, editions = tables_of(Config.model_validate(SMALL))
    assert players.tolist() == [3] * 4 + [4] * 8
    assert [edition.name for edition in editions] == ["everdeck", "incan-gold"] * 6
    assert tables_of(Config())[1] == [EDITIONS["iello-2016"]] * 750


def test_ship_judges_runs_and_writes_card(tmp_path, monkeypatch):
    monkeypatch.setattr("train.ship.RULEBOOK_PLAYERS", (3, 4))
    runs = [Config.model_validate({**SMALL, "seed": seed}) for seed in (0, 1)]
    folders = [new_run_folder(tmp_path, config) for config in runs]
    with pytest.raises(FileNotFoundError):
        ship(Arguments(folders[0], out=tmp_path / "shipped"))
    for config, folder in zip(runs, folders, strict=True):
        train(config, folder)
    few = {"games": 40, "intruder_games": 8, "out": tmp_path / "shipped"}
    found = {
        "players": 4,
        "agent": str(folders[0]),
        "can_be_gained_by": f"PPO warm 0 of {folders[0]}",
        "can_be_gained": Estimate(0.05, 0.04, 0.06),
        **{"edition": "iello-2016", "reward": "win"},
    }
    save_json({"found": found}, tmp_path / "response.json")
    other = {**found, "agent": str(folders[1]), "can_be_gained": Estimate(0.07, 0.06, 0.08)}
    save_json({"found": other}, tmp_path / "of_the_other.json")
    save_json({}, tmp_path / "nothing.json")
    with pytest.raises(ValueError, match=r"nothing\.json has no results of python -m train\.best_response"):
        ship(Arguments(folders[0], responses=(tmp_path / "nothing.json",), **few))
    save_json({"found": {**found, "agent": "champion"}}, tmp_path / "of_another.json")
    with pytest.raises(ValueError, match=r"another\.json has a response to champion, which is none of the given runs"):
        ship(Arguments(folders[0], responses=(tmp_path / "of_another.json",), **few))
    for wrong in ({"reward": "score"}, {"edition": "everdeck"}):
        save_json({"found": {**found, **wrong}}, tmp_path / "of_another.json")
        with pytest.raises(ValueError, match=r"another\.json is of another game than the wins in iello-2016"):
            ship(Arguments(folders[0], responses=(tmp_path / "of_another.json",), **few))
    with pytest.raises(ValueError, match="two responses to one run have the same table size"):
        ship(Arguments(folders[0], responses=(tmp_path / "response.json",) * 2, **few))
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        ship(Arguments(folders[0], **few | {"out": tmp_path / "file"}))
    responses = {"responses": (tmp_path / "response.json", tmp_path / "of_the_other.json"), "about": "For a test."}
    card = ship(Arguments(folders[0], (folders[1],), **responses, **few))
    text = card.read_text(encoding="utf-8")
    assert card.name == "small.md"
    assert "For a test." in text
    assert text.count("PPO warm 0 of small: 0.050 (0.040 to 0.060) |") == 1
    assert "| 0.060 (0.050 to 0.070) |" in text
    assert text.count("| not measured |") == 1 + 1
    assert "seed 0" in text
    assert "## Over 2 seeds" in text
    assert text.count("| 3 | 0.333 |") == 2
    assert text == card_text(json.loads(card.with_suffix(".json").read_text(encoding="utf-8")))
    assert str(make(str(card.with_suffix(".safetensors")))).endswith("small.safetensors")


def test_games_are_those_of_the_arguments(monkeypatch):
    calls = []

    def stub(network, line_ups, games, **settings):
        calls.append((games, settings["seed"], settings["players"], settings["edition"]))
        return []

    monkeypatch.setattr("train.ship.judge", stub)
    arguments = Arguments(Path(), games=40, intruder_games=8, seed=9)
    config = Config.model_validate({"game": {"num_players": [2]}})
    assert not list(judge_everywhere(make("ev"), config, arguments, ["everdeck"]))
    tables = [(9, players, "iello-2016") for players in range(2, 9)]
    assert calls == [*((40, *table) for table in tables), (40, 9, 2, "everdeck"), *((8, *table) for table in tables)]


def test_strong_intruders_are_named_by_table_size():
    strong = judge("continue", intruder_line_ups(["bag:8"]), 60, players=3)
    weak = judge("bag:8", intruder_line_ups(["continue"]), 60, players=4)
    run = {"config": {"seed": 0, "game": {"edition": "iello-2016"}}}
    record = record_of(run, [("iello-2016", result) for result in strong + weak])
    found = [(row["players"], row["agent"], row["above"]) for row in record["strongest_intruders"]]
    assert found == [(3, "bag:8", ["bag:8"]), (4, "continue", [])]


def test_runs_must_be_of_an_edition_and_differ_in_seed_only(tmp_path):
    runs = [SMALL, {**SMALL, "seed": 1, "network": {"hidden": [9]}}, {**SMALL, "name": "same"}]
    configs = [Config.model_validate(run) for run in runs]
    folders = [new_run_folder(tmp_path, config) for config in configs]
    train(configs[0], folders[0])
    for other in folders[1:]:
        with pytest.raises(ValueError, match="in its seed only"):
            ship(Arguments(folders[0], (other,), out=tmp_path / "shipped"))
    shorter = new_run_folder(tmp_path, Config.model_validate({**SMALL, "game": {"expeditions": 1}}))
    with pytest.raises(ValueError, match=r"is of another game than an edition's: game.blank or game.expeditions"):
        ship(Arguments(shorter, out=tmp_path / "shipped"))
    assert not (tmp_path / "shipped").exists()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_policy_plays_every_table_and_has_current_card(name):
    file = SHIPPED[name]
    assert file.stat().st_size < LARGEST
    card = CARDS / f"{name}.md"
    record = json.loads(card.with_suffix(".json").read_text(encoding="utf-8"))
    assert card.read_text(encoding="utf-8") == card_text(record)
    trained = record["config"]
    assert Config.model_validate(make(name).metadata["config"]) == Config.model_validate(trained)

    assert str(make(name)) == name
    for edition, players in itertools.product(EDITIONS, range(3, 9)):
        seen = Batch(2, players, edition).reset(0).reshape(2 * players, -1)
        leave = make(name).act(Observations(seen), np.ones(2 * players, bool))
        assert ((leave > 0) & (leave < 1)).all()
