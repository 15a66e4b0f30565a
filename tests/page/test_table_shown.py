"""The table of the page in headless Chromium: log, deck, names, help."""

import pytest

from tests.support.asgi_client import Client

pytest.importorskip("starlette", reason='the page needs the extra "web"')
from diamant_env import EDITIONS
from diamant_env.page.server import make_app

HEADINGS = "return [...document.querySelectorAll('#story h3')].map((each) => each.textContent)"
DECK = "return [...document.querySelectorAll('#deck-cards span')].map((each) => Number(each.textContent.slice(2)))"
DRAW = """
    const [view, done] = arguments;
    import("/static/table.js").then(({ drawTable }) => { drawTable(view); done(true); });
"""


def test_deck_is_exposed_once_to_screen_readers(browser):
    browser.click("play")
    browser.shows("continue")
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    texts = [
        node[part]["value"] for node in nodes if not node["ignored"] for part in ("name", "description") if part in node
    ]
    kinds = browser.run("return document.querySelectorAll('#deck-cards li').length")
    assert sum(" left" in text and ": " in text and "cards" not in text for text in texts) == kinds
    assert not any("relic relic" in text for text in texts)


def go_bust(browser):
    """Begin a game and continue until the bust is shown."""
    browser.click("play")
    while browser.shows("continue", "go-on") == "continue" or "bust" not in browser.title():
        browser.click(browser.shows("continue", "go-on"))


def test_bust_is_shown_before_anything_of_the_next_expedition(browser):
    go_bust(browser)
    ended = int(browser.title().split()[1].strip(":"))
    assert browser.run(HEADINGS) == [f"Expedition {number}" for number in range(ended, 0, -1)]
    cards = browser.run("return document.querySelectorAll('#path li').length")
    assert browser.run("return document.querySelector('#story ol').children.length") == cards
    assert "A second" in browser.run("return document.querySelector('#story li .bad').textContent")
    assert browser.run("return document.getElementById('expeditions').ariaLabel") == browser.title()
    assert browser.run("return document.querySelector('#deck-cards .warned')") is None
    before = browser.run(DECK)
    assert browser.text("#deck-title") == f"The deck: {sum(before)} cards left"
    assert "Out of the game: " in browser.text("#deck-about")
    browser.click("go-on")
    browser.shows("continue")
    assert browser.run(HEADINGS)[0] == f"Expedition {ended + 1}"
    after = browser.run(DECK)
    assert sorted(old - new for old, new in zip(before, after, strict=True)) == [0] * (len(after) - 1) + [1]


@pytest.fixture(scope="module")
def full_table():
    """Return a view of eight players, the last one with the longest name of a policy."""
    client = Client(make_app())
    views = client.to_the_end(client.new("you", *["search:64:champion"] * 2, *["bag:18"] * 5), bag=99)
    view = next(view for view in views if len(view["path"]) == 9)
    view["seats"][7]["name"] = "a policy of forty letters, longest name."
    return view


@pytest.mark.parametrize(("width", "height"), [(1280, 657), (390, 844)])
def test_full_table_fits_and_names_are_whole(browser, full_table, width, height):
    browser.click("play")
    browser.shows("continue")
    browser.resize(width, height)
    assert browser.driver.execute_async_script(DRAW, full_table)
    whole = (
        "[...document.querySelectorAll('#seats .name span')].every((each) => each.scrollHeight <= each.clientHeight)"
    )
    assert browser.run(f"return {whole}")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_start_screen_shows_titles_and_help_of_the_chosen_edition(browser):
    titles = browser.run("return [...document.querySelectorAll('#edition option')].map((each) => each.textContent)")
    assert len(set(titles) - set(EDITIONS)) == len(EDITIONS)
    browser.run("""
        const select = document.getElementById("edition");
        select.value = "incan-gold-2020";
        select.dispatchEvent(new Event("change"));
    """)
    assert browser.text("#chests").splitlines()[0] == "as in this edition: hidden"
    browser.press("?")
    assert "INCAN GOLD (2020)" in browser.text("#help")
    assert "5, 7, 8, 10 and 12 gems, as printed on them" in browser.text("#edition-rules")
    assert "most relics first" in browser.text("#edition-rules")
