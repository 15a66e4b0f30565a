"""Records of games: recorded ones, round trips, damage, logs."""

import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Observations, diamant_v0
from diamant_env.opponents import make
from diamant_env.records import GameLog, GameRecord, GameSession
from diamant_env.records.log import DamagedRecord
from tests.support.play import BASE, INVENTED, PUBLISHED, every, games

FOLDER = Path(__file__).parent / "games"
FILES = sorted(FOLDER.glob("*.txt"))
TEXT = """diamant record 1
note: for damaging | öl: 2
edition: iello-2016
hidden chests: no
players: 3
seed: none
player_0: Ada
player_1: Bo
player_2: Cy

1.1 9 | continue 0 1 2
1.2 lava pit | continue 1 2, leave 0
1.3 lava pit | bust

2.1 relic | continue 1 2, leave 0

2.2 5 | leave 1 2

3.1 17 | leave 0 1 2

4.1 boulder | leave 0 1 2

5.1 7 | continue 1, leave 0 2
5.2 boulder | leave 1

result
player_0: chest 15, relics 1
player_1: chest 10, relics 0
player_2: chest 9, relics 0
winners: 0
"""
OWN = '{"name": "own", "treasures": [1, 2, 5, 7, 9, 17], "traps": ["lava pit", "boulder", "wind"], "relics": [5]}'


@pytest.mark.parametrize("path", FILES, ids=[file.stem for file in FILES])
def test_recorded_game_round_trips(path, tmp_path):
    record, by_hand = GameRecord.read(path), path.stem.startswith("by-hand")
    game = record.replay()
    assert game.phase == "over"
    assert game.edition == record.edition
    assert {record.chests[seat] for seat in record.winners} == {max(record.chests)}
    record.write(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == path.read_bytes()
    from_cards = replace(record, seed=None)
    assert GameRecord.from_text(from_cards.to_text()) == from_cards
    assert (record.seed is None) == by_hand
    if not by_hand:
        agents = [make(name, record.seed) for name in record.names]
        assert GameSession(record.edition, agents, record.seed, record.names).play_out() == record


@every(PUBLISHED + INVENTED)
def test_any_game_round_trips(edition, tmp_path):
    for seed in range(games(8)):
        hidden = [None, True, False][seed % 3]
        record = GameSession(edition, ["random:0.3"] * (1 + seed % 8), seed, hidden_chests=hidden).play_out()
        record.write(tmp_path / "game.txt")
        assert GameRecord.read(tmp_path / "game.txt") == record


def test_fields_of_a_record():
    record = GameRecord.from_text(TEXT)
    assert record.edition == EDITIONS["iello-2016"]
    assert (record.num_players, record.seed, record.names) == (3, None, ("Ada", "Bo", "Cy"))
    assert [str(turn) for turn in record.turns][1:3] == ["1.2 lava pit | continue 1 2, leave 0", "1.3 lava pit | bust"]
    assert [turn.bust for turn in record.turns].count(True) == 1
    assert (record.chests, record.relics, record.winners) == ((15, 10, 9), (1, 0, 0), (0,))
    rows = TEXT.splitlines()
    head = [*rows[:2], *reversed(rows[2:9])]  # blank lines, the order of the head and foreign line ends do not matter
    assert GameRecord.from_text("\r\n\r\n".join([*head, *rows[9:]])) == record


def test_record_holds_its_edition():
    hidden = GameRecord.from_text(TEXT.replace("chests: no", "chests: yes"))
    assert hidden.replay().edition == replace(EDITIONS["iello-2016"], hidden_chests=True)
    assert "\nedition: iello-2016\nhidden chests: yes\n" in hidden.to_text()
    own = GameRecord.from_text(TEXT.replace("edition: iello-2016", f"own edition: {OWN}"))
    assert (own.edition.treasures, own.edition.expeditions) == ((1, 2, 5, 7, 9, 17), 5)
    namesake = replace(own, edition=replace(EDITIONS["iello-2016"], treasures=(5, 7, 9, 17)))
    assert GameRecord.from_text(namesake.to_text()) == namesake


# Old text, new text, refused line, reason.
DAMAGE = [
    ("diamant record 1", "diamant record 2", 1, "the first line must be 'diamant record 1'"),
    (TEXT, "", 1, "the text ends here: an empty file"),
    ("edition: iello-2016", "edition: iello-2061", 3, "unknown edition 'iello-2061'; did you mean iello-2016"),
    ("edition: iello-2016", f"own edition: {OWN}".replace("17]", "-17]"), 3, "a treasure below 1: -17"),
    ("chests: no", "chests: maybe", 4, "hidden chests 'maybe': yes or no"),
    ("players: 3", "players: 4", 7, "names of player_0, player_1, player_2; all 4 or none must be named"),
    ("player_1: Bo", "player_2: Bo", 9, "a second 'player_2'"),
    ("seed: none", "seed: 3", 11, "in the replay, not 1.1 9"),
    ("1.1 9 ", "1.1 8 ", 11, "'8' is not in the deck, which holds 1, 2, 3"),
    ("1.3 lava pit", "1.3 spider", 13, "1.3 spider | undecided in the replay, not 1.3 spider | bust"),
    ("1.2 lava pit", "1.2 9", 12, "'9' is not in the deck, which holds 1, 2"),
    ("2.2 5 | leave 1 2", "2.2 5 | leave 0 1 2", 17, "the seats inside, 1, 2, decide once each"),
    ("2.2 5 | leave 1 2", "2.2 5 | continue 1 2, leave 2", 17, "the seats inside, 1, 2, decide once each"),
    ("2.2 5 | leave 1 2", "2.2 5 | undecided", 19, "text after the end: '3.1 17"),
    ("5.2 boulder | leave 1\n", "", 25, "the turns end here, but the game goes on"),
    ("5.2 boulder | leave 1", "5.2 boulder | leave 1\n5.3 1 | leave 1", 25, "the game is over before this turn"),
    ("chest 15", "chest 16", 26, "the replay ends with player_0: chest 15, relics 1; "),
    (TEXT[TEXT.index("\nresult") :], "", 24, "the text ends here: there is no result"),
    ("winners: 0\n", "", 29, "the text ends here: there are no winners"),
    ("winners: 0\n", "winners: 0\nand so on\n", 31, "text after the end: 'and so on'"),
]


@pytest.mark.parametrize(("old", "new", "line", "reason"), DAMAGE)
def test_damaged_record_names_line_and_reason(old, new, line, reason, tmp_path):
    assert TEXT.count(old) == 1
    path = tmp_path / "damaged.txt"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(reason)) as error:
        GameRecord.read(path)
    assert str(error.value).startswith(f"{path}, line {line}: ")
    assert "\n" not in str(error.value)


def test_deeply_nested_edition_is_one_error():
    deep = TEXT.replace("edition: iello-2016", f"own edition: {'[' * 300_000}")
    with pytest.raises(ValueError, match=r"^record, line 3: own edition: it is nested too deeply$"):
        GameRecord.from_text(deep)


def test_unreadable_record_is_not_written(tmp_path):
    good = GameRecord.from_text(TEXT)
    wrong = [
        replace(good, notes=("two\nlines",)),
        replace(good, notes=("an edge ",)),
        replace(good, notes=("sly\nnote: two",)),
        replace(good, names=("Ada", "Bo", "")),
        replace(good, names=("Ada", "Bo")),
        replace(good, winners=(1,)),
        replace(good, turns=good.turns[:-1]),
        replace(good, chests=(1,), relics=(0,)),
    ]
    for record in wrong:
        with pytest.raises(ValueError, match=r"record for .*txt|argument 2 is"):
            record.write(tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())


def test_damage_survives_processes():
    damage = pickle.loads(pickle.dumps(DamagedRecord(3, "the reason", "turn 1.4")))
    assert (damage.place, damage.reason, str(damage)) == (3, "the reason", "turn 1.4: the reason")


def test_session_ends_with_its_game(tmp_path):
    session = GameSession(BASE, ["bag:9", None], 0, ["Ada", "Bo"])
    session.play_out()
    with pytest.raises(RuntimeError, match="the game is over"):
        session.play([0, 0])
    with pytest.raises(ValueError, match="the game of this log is over"):
        session.log.follow(session.now)
    session.log.record().write(tmp_path / "x.txt")


@pytest.mark.parametrize("names", ["AB", ["Ada"], ["Ada", ""], ["Ada", " Bo"], ["Ada", "B\no"], [1, 2]])
def test_names_that_a_record_cannot_hold_are_refused_at_once(names):
    with pytest.raises(ValueError, match="a line of text for each of 2 players, or none, is expected"):
        GameSession(BASE, ["bag:9", None], 0, names)


def test_seats_have_own_agents_and_seeds():
    assert GameSession(BASE, [None, "random:1", make("random:0.5")], 0).leave == [0, 1, 0.5]
    agents = GameSession(BASE, ["mixture:1,30", None, "mixture:1,30"], 1).table.agents
    for agent in agents:
        agent.act(Observations(Batch(8, 3).reset(0)[:, 0]), np.ones(8, bool))
    assert agents[0].thresholds.tolist() != agents[1].thresholds.tolist()


@pytest.mark.parametrize("seed", [5, None])
def test_log_of_an_environment_round_trips_at_each_turn(seed, tmp_path):
    env = diamant_v0.parallel_env(3)
    env.reset(seed=5)
    log, states = GameLog(env.edition.name, 3, seed, ("A", "B", "C")), [env.game]
    with pytest.raises(RuntimeError, match="no game has begun"):
        log.record()
    with pytest.raises(ValueError, match="a game of 2 players in a log of 3"):
        log.follow(diamant_v0.parallel_env(2).game)
    log.follow(env.game)
    while env.agents:
        record, path = log.record(), tmp_path / f"{len(states)}.txt"
        assert not record.finished
        assert (record.chests, record.relics, record.winners) == ((), (), ())
        record.write(path)
        assert path.read_text(encoding="utf-8").endswith(f"{str(record.turns[-1]).partition(' |')[0]} | undecided\n")
        assert GameRecord.read(path) == record
        for shown, state in zip(record.watch(), states, strict=True):
            names = [name for name in state.dtype.names if seed is not None or name != "key"]
            assert all(np.array_equal(shown.state[name], state[name]) for name in names)
        assert record.replay().phase == "decide"
        env.step({agent: (seat + len(states)) % 5 == 0 for seat, agent in enumerate(env.agents)})
        states.append(env.game)
        log.follow(env.game)
    record = log.record()
    assert (record.finished, record.seed, record.names) == (True, seed, ("A", "B", "C"))
    assert record.chests == tuple(env.game["chest"][:3].tolist())
    assert any(turn.bust for turn in log.turns)
