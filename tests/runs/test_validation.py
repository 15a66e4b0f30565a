"""Responders where the gain of a best response is known: what they find is shown beside it and does not exceed it."""

import json

import numpy as np

from diamant_env import Batch
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents import make
from train.responding.config import SearchConfig
from train.responding.lookahead import Blind
from train.validate_responses import learned, main, validate

PPO = {"decisions": 20_000, "games": 64, "turns": 16, "minibatch": 256}
SEARCH = {"full_games": 60, "pairs": 16, "value_pairs": 8}
CONFIG = SearchConfig(seeds=1, checkpoints=2, pick_games=200, report_games=1500, ppo=PPO, search=SEARCH)


class Seen:
    """Keeps what it is shown."""

    def act(self, obs, first):
        self.flat = obs.flat
        return np.zeros(len(first), np.float32)


def test_who_is_blind_sees_what_a_table_with_blank_rivals_shows():
    tables = [Batch(40, 3, "iello-2016-fr", "score", blank_rivals=blank) for blank in (False, True)]
    rows = [table.reset(1).reshape(-1, NUM_FEATURES) for table in tables]
    random, seen = np.random.default_rng(0), Seen()
    for _ in range(25):
        Blind(seen).act(Observations(rows[0]), np.zeros(len(rows[0]), bool))
        deciding = rows[1][:, 0] > 0
        assert np.array_equal(seen.flat[deciding], rows[1][deciding])
        actions = (random.random((40, 3)) < 0.3).astype(np.int8)
        rows = [table.step(actions * table.must_decide)[0].reshape(-1, NUM_FEATURES) for table in tables]


def test_no_responder_finds_more_than_there_is():
    row = validate(make("random:0.3"), "random:0.3", 2, CONFIG)
    assert list(row["found"]) == ["scripted", "PPO from scratch", "search"]
    assert all(found.low < row["exact"] for found in row["found"].values())
    assert max(found.mean for found in row["found"].values()) > 0.5 * row["exact"]


def test_a_network_is_answered_from_its_own_weights_too(monkeypatch):
    monkeypatch.setattr("train.validate_responses.exploitability", lambda *_: {"exploitability": 1.0})
    row = validate(learned(4000, 2, 0), "network", 2, CONFIG)
    assert list(row["found"]) == ["scripted", "PPO from scratch", "PPO from the agent", "search"]


def test_the_command_prints_and_saves(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("train.validate_responses.SCRIPTED", ("random:0.3",))
    monkeypatch.setattr("train.validate_responses.LEARNED", {})
    monkeypatch.setattr("train.validate_responses.exploitability", lambda *_: {"exploitability": 2.345})
    small = ["ppo.decisions=4000", "ppo.games=40", "ppo.turns=16", "ppo.minibatch=256", "checkpoints=2"]
    small += ["pick_games=200", "report_games=400", "search.full_games=20", "search.pairs=4", "search.value_pairs=2"]
    out = tmp_path / "found.json"
    assert main(["--players", "2", "--set", *small, "--out", str(out)]) == 0
    rows = json.loads(out.read_text())["rows"]
    assert [row["agent"] for row in rows] == ["random:0.3"]
    assert f"{rows[0]['exact']:.3f}" == "2.345"
    assert f"{rows[0]['exact']:.3f}" in capsys.readouterr().out
