"""Records of games: replay, round trips, damage; games played turn by turn."""

import json
from dataclasses import replace

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Observations
from diamant_env.opponents import make_agent
from diamant_env.records import GameRecord, GameSession
from tests.support.play import BASE, INVENTED, PUBLISHED, every

# After the examples of text 004: 11 gems among 5 players are 2 each, and 1 stays on the path; 17 among the 3 left are 5
# each, and 2 stay; the second gas and the second rockfall end an expedition.
BY_HAND = {
    "edition": "schmidt-2005",
    "players": 5,
    "names": [],
    "cards": ["11", "scorpion", "17", "17", "gas", "gas", "11", "explosion", "rockfall", "3", "1", "rockfall"],
    "turns": [[], [0, 1], [2, 3, 4], [0], [], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [], [1], [0]],
}


def test_game_by_hand():
    record = GameRecord.from_json(json.dumps(BY_HAND))
    *_, last = record.states()
    assert last["chest"][:5].tolist() == [10, 7, 10, 10, 10]
    assert [(int(game.expedition), int(game.turn)) for game in record.states()[1:4]] == [(1, 2), (1, 3), (2, 1)]
    assert json.loads(record.to_json()) == BY_HAND


@every(PUBLISHED + INVENTED)
def test_any_game_round_trips(edition, tmp_path):
    for seed in range(8):
        hidden = [None, True, False][seed % 3]
        session = GameSession(edition.replace(hidden_chests=hidden), ["random:0.3"] * (1 + seed % 8), seed)
        record = session.play_out()
        record.write(tmp_path / "game.json")
        assert GameRecord.read(tmp_path / "game.json") == record
        assert record.edition == session.edition
        names = [name for name in session.now.dtype.names if name != "edition"]
        for shown, state in zip(record.states(), session.games, strict=True):
            assert all(np.array_equal(shown[name], state[name]) for name in names)


def test_unfinished_game_round_trips():
    session = GameSession(BASE, ["bag:9", None], 0, ["Ada", "Bo"])
    for turn in range(8):
        assert GameRecord.from_json(session.record().to_json()) == session.record()
        assert len(session.record().states()) == turn + 1
        session.play(session.decisions())


def test_edition_of_a_published_name_keeps_its_fields():
    record = replace(GameSession(BASE, ["bag:9"], 0).play_out(), edition=replace(BASE, treasures=(5, 7, 9, 17)))
    again = GameRecord.from_json(record.to_json())
    assert again.edition.treasures == (5, 7, 9, 17)
    assert again.edition != EDITIONS["iello-2016"]


@pytest.mark.parametrize(
    "changed",
    [
        {"edition": "box.toml"},  # a record opens no file
        {"edition": {"name": "own", "treasures": [-1], "traps": ["gas"]}},
        {"edition": "schmidt-2005/box.toml"},
        {"edition": "schmidt-2005/hidden_chests:2"},
        {"players": 9},
        {"names": ["Ada"]},
        {"names": [1, 2, 3, 4, 5]},
        {"seed": -1, "cards": []},
        *({"cards": wrong} for wrong in (["12"], ["17", "17"], ["11", "scorpion"], [*BY_HAND["cards"], "3"])),
        *({"turns": wrong} for wrong in ([[], [0, 1], [0]], [*BY_HAND["turns"], []], [[[]]], 3)),
        *("", "[]", "{}"),
    ],
)
def test_record_that_cannot_be_replayed_is_refused(changed, tmp_path):
    path = tmp_path / "damaged.json"
    text = changed if isinstance(changed, str) else json.dumps(BY_HAND | changed)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=str(path)):
        GameRecord.read(path)


def test_session_ends_with_its_game():
    session = GameSession(BASE, ["bag:9", None], 0)
    session.play_out()
    with pytest.raises(RuntimeError, match="over"):
        session.play([0, 0])


def test_seats_have_own_agents_and_seeds():
    assert GameSession(BASE, [None, "random:1", make_agent("random:0.5")], 0).leave == [0, 1, 0.5]
    agents = GameSession(BASE, ["mixture:1,30", None, "mixture:1,30"], 1).seated.agents
    for agent in agents:
        agent.act(Observations(Batch(8, 3).reset(0)[:, 0]), np.ones(8, bool))
    assert agents[0].thresholds.tolist() != agents[1].thresholds.tolist()
