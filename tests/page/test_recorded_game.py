"""The recorded game of the site: its views, its files, and the page without a server."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import watch  # docs/watch.py

from diamant_env.page.game import PlayedGame
from diamant_env.page.menu import Menu
from diamant_env.page.view import view_of
from diamant_env.records import GameRecord

TEXT = watch.RECORD.read_text(encoding="utf-8")


def test_views_are_those_of_a_watched_game():
    record = GameRecord.from_json(TEXT)
    start = view_of(PlayedGame(Menu(), record.edition, record.names, record.seed))
    views = watch.views(TEXT)
    assert len(views) == len(record.turns) + 1
    assert {frozenset(view) for view in views} == {frozenset(start)}
    assert views[0] | {name: start[name] for name in ("story", "edition")} == start
    for view in views:
        for seat in view["seats"]:
            assert 0 <= seat["leave"] <= 1 if seat["inside"] else seat["leave"] is None
    assert views[-1]["over"]
    assert views[-1]["edition"] == start["edition"]
    assert views[-1]["story"][: len(start["story"])] == start["story"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the address of a plain file server whose page frames the game."""
    folder = tmp_path_factory.mktemp("site")
    watch.write_game(folder / "watch")
    frame = '<link rel="icon" href="data:,"><iframe src="watch/index.html" width="736" height="620"></iframe>'
    (folder / "index.html").write_text(frame)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_game_is_stepped_through_by_keyboard(chromium, site):
    chromium.resize(1280, 657)
    chromium.driver.get(f"{site}/watch/index.html")
    chromium.shows("step")
    for key, place in [("\ue014", "2 of 32"), ("n", "3 of 32"), ("\ue012", "2 of 32")]:
        chromium.press(key)
        assert chromium.text("#where") == place
    assert chromium.run("return document.querySelectorAll('#seats .bar').length") == 4
    chromium.press("p")
    chromium.until("return document.getElementById('where').textContent === '3 of 32'")
    chromium.click("last")
    assert chromium.title() == "Game over"
    chromium.click("home")
    chromium.until("return location.pathname === '/index.html'")
    chromium.driver.switch_to.frame(0)
    chromium.shows("step")
    assert chromium.run("return document.documentElement.scrollHeight <= innerHeight")
    chromium.driver.switch_to.default_content()
    assert chromium.run("return document.activeElement === document.body")
    assert chromium.console() == []
