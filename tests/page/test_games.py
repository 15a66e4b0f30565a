"""Games of the page's server against batches; views, advice, records."""

import itertools
import json
import re

import numpy as np
import pytest

from diamant_env import EDITIONS
from diamant_env.advice.hint import observations_of
from diamant_env.engine.edition_params import edition_params
from diamant_env.engine.observation_writer import bust_chance, expected_share
from diamant_env.opponents import make_agent
from diamant_env.records import GameRecord, GameSession
from diamant_env.state import OVER
from tests.support.asgi_client import Client
from tests.support.play import Play

pytest.importorskip("starlette", reason='the page needs the extra "web"')
from diamant_env.page import game as page_game
from diamant_env.page.edition_text import relics_now
from diamant_env.page.menu import Menu
from diamant_env.page.server import make_app

TABLE = ["champion", "ev:0.75", "bag:18", "random", "follow"]


@pytest.fixture
def client():
    return Client(make_app())


@pytest.mark.parametrize(("edition", "seed"), list(zip(EDITIONS, itertools.cycle([0, 2**53 - 1]), strict=False)))
def test_page_game_equals_batch_game(client, edition, seed):
    last = client.to_the_end(client.new(*TABLE, seed=seed, edition=edition))[-1]
    record = GameSession(edition, [make_agent(text) for text in TABLE], seed).play_out()
    assert GameRecord.from_json(last["game"]).turns == record.turns
    assert [seat["chest"] for seat in last["seats"]] == record.states()[-1]["chest"][: len(TABLE)].tolist()


def test_view_shows_own_decisions_and_result(client):
    views = client.to_the_end(client.new("ev:0.75", "you", "champion"))
    assert {view["mode"] for view in views} == {"play"}
    for before, after in itertools.pairwise(views):
        *earlier, leaving = GameRecord.from_json(after["game"]).turns
        assert GameRecord.from_json(before["game"]).turns == tuple(earlier)
        assert all(before["seats"][seat]["inside"] for seat in leaving)
        if before["must_decide"]:
            assert (1 in leaving) == (before["seats"][1]["bag"] >= 8)
            output = after["seats"][1]["last_decision"]
            bust = after["ended"] is not None and after["ended"]["bust"]
            assert output.split()[0] == ("leave" if 1 in leaving else "bust" if bust else "continue")
        assert all(seat["leave"] is None for seat in after["seats"])
    for view in views:
        assert client.post("/view", game=views[-1]["game"], turns=view["turns"]).json == view
    result = views[-1]["result"]
    assert [row["chest"] for row in result["rows"]] == sorted((row["chest"] for row in result["rows"]), reverse=True)
    for row in result["rows"]:
        assert sum(gems for gems in row["banked"] if gems != "bust") == row["chest"]
        assert row["winner"] == views[-1]["seats"][row["seat"]]["winner"]


def test_view_equals_state(client):
    seen = set()
    for view in client.to_the_end(client.new("champion", "bag:8", "oppose", seed=11)):
        played = page_game.replayed(Menu(), view["game"]).session
        now = played.now
        assert view["over"] == (now.phase == OVER)
        if not view["over"]:
            assert view["path"][-1]["new"]
            assert view["path"][-1]["name"] == played.edition.card_name(now.last_card)
            assert len(view["path"]) == now.turn
            assert view["bust"] == pytest.approx(float(bust_chance(now)))
            assert view["path_contents"].startswith(f"{now.path_gems} gem")
            chances = [seat["leave"] for seat in view["seats"]]
            if now.inside[0]:
                champion = make_agent("champion").leave_probability(observations_of(0, [now], played.edition))
                assert chances[0] == pytest.approx(float(champion[0]))
            assert [chance is not None for chance in chances] == (now.inside[:3] == 1).tolist()
        if view["ended"]:
            fatal = [card["name"] for card in view["ended"]["path"] if card["fatal"]]
            assert len(fatal) == 2 * view["ended"]["bust"]
            assert len(set(fatal)) <= 1
            seen.add(view["ended"]["bust"])
    assert seen == {True, False}


def test_log_is_complete_at_each_turn(client):
    """Also of decisions at a bust, and before a resumed game."""
    views = client.to_the_end(client.new("champion", "you", "bag:8", "oppose", seed=11), bag=15)
    whole = views[-1]["story"]
    for view in views:
        assert view["story"] == [line for line in whole if line["turn"] <= view["turns"]]
        assert client.post("/view", game=view["game"], turns=None).json["story"] == view["story"]
    ends = [(line["turn"], line["card"]) for line in whole if line["bad"]]
    assert ends == [(view["turns"], len(view["ended"]["path"])) for view in views if (view["ended"] or {}).get("bust")]
    assert client.post("/open", text=views[-1]["game"]).json["views"][-1]["story"] == whole


@pytest.mark.parametrize("edition", EDITIONS)
def test_deck_of_view_equals_state(client, edition):
    removed, relics = 0, set()
    for view in client.to_the_end(client.new("you", "bag:8", "bag:18", edition=edition), bag=99)[:-1]:
        played = page_game.replayed(Menu(), view["game"]).session
        cards = view["deck"]["cards"]
        words = {"treasure": "treasure {}", "trap": "trap {}", "relic": "{}"}
        assert all(card["words"] == words[card["kind"]].format(card["name"]) for card in cards)
        assert sum(card["left"] for card in cards) == played.now.deck_size
        assert sum(card["path"] for card in cards) == len(view["path"])
        out = view["deck"]["about"][0]
        removed += bool(view["ended"] and view["ended"]["bust"])
        assert sum(map(int, re.findall(r"× (\d)", out))) == removed
        assert ("most relics first" in view["deck"]["about"][-1]) == (played.edition.tie_break == "relics")
        relics.update(re.findall(r"Relics: (\d taken[^.]*)", " ".join(view["deck"]["about"])))
    assert removed > 1
    assert len(relics) == 0 if not played.edition.relics else len(relics) > 1


@pytest.mark.parametrize(
    ("edition", "relic", "turns", "fate", "coming"),
    [
        ("incan-gold", "relic", "-", "0 taken, 0 lost", "5, 5, 5, 10 and 10"),
        ("incan-gold", "relic", "0 -", "1 taken, 0 lost", "5, 5, 10 and 10"),
        ("incan-gold", "relic", "- -", "0 taken, 1 lost", "5, 5, 5 and 10"),
        ("incan-gold-bga-classic", "relic", "- -", "1 taken or lost", "5, 5, 10 and 10"),
        ("incan-gold-2020", "relic 5", "- -", "0 taken, 1 lost", None),
    ],
)
def test_relics_in_words(edition, relic, turns, fate, coming):
    trap = EDITIONS[edition].traps[0]
    game = Play([relic, trap, trap, 5], 3, edition).play(turns).position.state
    worth = [f"The next ones taken are worth {coming} gems."] if coming else []
    assert relics_now(game, EDITIONS[edition]) == [f"Relics: {fate}.", *worth]


@pytest.mark.parametrize("agents", [("you", "bag:8"), ("bag:8", "random")])
def test_table_of_view_begins_a_like_game(client, agents):
    view = client.new(*agents, edition="incan-gold/hidden_chests:0")
    again = client.post("/new", **view["table"], seed=None).json
    assert again["table"] == view["table"]
    assert again["mode"] == view["mode"]


class Counter:
    def act(self, obs, episode_start):
        self.asked = np.where(episode_start, 0, getattr(self, "asked", 0)) + 1
        return (self.asked >= 4).astype(np.float32)


class Flaky:
    asked = 0
    stateless = True

    def act(self, obs, episode_start):
        Flaky.asked += 1
        if Flaky.asked == 2:
            raise OSError("no answer")
        return np.zeros(len(episode_start), np.float32)


def test_turn_after_an_error_of_an_agent_is_that_of_the_record():
    texts = [f"{__name__}:Counter", f"{__name__}:Flaky"]
    views, errors = [], []
    for Flaky.asked in (100, 0):  # the second game has the error
        client = Client(make_app(Menu(texts)))
        view = client.new("you", *texts, seed=5)
        while not view["over"]:
            try:
                view = client.turn(view)
            except page_game.AgentError as error:  # the server prints it and answers 500
                errors.append(str(error))
        views.append(view)
    assert views[0] == views[1]
    (error,) = errors
    assert f"{texts[1]} in seat 3" in error


def test_game_continues_on_a_new_server():
    """Agents' random numbers and memories depend on the game only, so servers are stateless."""
    menu = Menu(["search:4:champion", "mixture"])
    client = Client(make_app(menu))
    view = client.new("you", "search:4:champion", "random", "mixture", "ev:0.75", seed=8)
    for _ in range(5):
        view = client.turn(view)
    stays, again = client.to_the_end(view)[-1], Client(make_app(menu))
    assert again.post("/view", game=view["game"], turns=None).json == view
    assert again.post("/view", game=stays["game"], turns=view["turns"]).json == view
    while not view["over"]:
        leaves = view["must_decide"] and view["seats"][0]["bag"] >= 8
        view = Client(make_app(menu)).turn(view, int(leaves))
    assert view == stays


@pytest.mark.parametrize("edition", ["incan-gold", "iello-2016/hidden_chests:1"])
def test_hidden_chests_are_hidden_until_the_end(client, edition):
    view = client.new("bag:8", "you", "bag:18", edition=edition)
    *during, last = client.to_the_end(view)
    assert json.loads(view["game"])["edition"] == edition
    for each in during:
        assert [seat["chest"] is None for seat in each["seats"]] == [True, False, True]
        assert all(seat["relics"] is not None for seat in each["seats"])
    assert all(seat["chest"] is not None for seat in last["seats"])
    watched = client.new("bag:8", "bag:18", edition=edition)
    assert [seat["chest"] for seat in watched["seats"]] == [0, 0]


def test_odds_hint_record_and_review(client):
    view = client.new("you", "champion", "bag:18", seed=4)
    odds, hint = (client.post(path, game=view["game"]).json for path in ("/odds", "/hint"))
    assert odds["next"][0]["chance"] == pytest.approx(view["bust"])
    assert sum(row["chance"] for row in odds["next"] if not row["part"]) == pytest.approx(1)
    assert len(odds["leaving"]) == 3
    game = page_game.replayed(Menu(), view["game"]).session
    share = float(expected_share(game.now, edition_params(game.edition)))
    assert odds["on_average"].startswith(f"On average it brings you {share:.2f} gems if all stay; ")
    champion = make_agent("champion").leave_probability(observations_of(0, [game.now], game.edition))
    assert hint["leave"] == float(champion[0])
    assert hint["basis"].startswith(f"{hint['outlook']['games']} games with each choice, ")
    assert [choice["share"] for choice in hint["choices"]] == hint["outlook"]["shares"]
    views = client.to_the_end(view)
    review = client.post("/review", game=views[-1]["game"]).json
    assert len(review["chances"]) == len(review["labels"]) == len(views)
    assert review["chances"][-1] == [float(row["winner"]) for row in views[-1]["seats"]]
    assert all(views[each["turn"]]["must_decide"] and each["interval"][0] > 0 for each in review["decisions"])
    assert views[-1]["file"] == "diamant-iello-2016-4.json"
    opened = client.post("/open", text=views[-1]["game"]).json["views"]
    for shown, played in zip(opened, views, strict=True):
        assert shown["mode"] == "record"
        assert all(shown[name] == played[name] for name in ("path", "ended", "title", "headlines"))
        assert [seat["chest"] for seat in shown["seats"]] == [seat["chest"] for seat in played["seats"]]


def test_record_of_custom_edition_shows_escaped_cards(client):
    printed = {"name": "mine", "treasures": [5, 7], "traps": ["<a/b>", "snake"], "expeditions": 1}
    record = {"edition": printed, "players": 1, "cards": ["<a/b>"], "turns": [[0]]}
    view = client.post("/open", text=json.dumps(record)).json["views"][0]
    assert view["path"][0]["name"] == "<a/b>"
    face = client.get("/card/16/<a/b>.svg")  # decoded, as a server passes it
    assert view["path"][0]["svg"] == "card/16/%3Ca%2Fb%3E.svg"
    assert b"&lt;a/b&gt;" in face.body
