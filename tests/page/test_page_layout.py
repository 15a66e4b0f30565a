"""What the page weighs and how it fits: a narrow window, fingers, ears, and a wish for less motion."""

from pathlib import Path

import pytest

import diamant_env
from tests.page.test_robustness import some_turns

STATIC = Path(diamant_env.__file__).parent / "page" / "static"
MOST_BYTES, MOST_LINES, FINGER = 150_000, 300, 44
SHOWN = "[...document.querySelectorAll(arguments[0])].filter((each) => each.offsetParent !== null)"
TOO_WIDE = """
    const right = document.documentElement.clientWidth;
    return [...document.querySelectorAll('body *')]
      .filter((each) => each.offsetParent !== null && !each.closest('.scroll, .fan, .picture'))
      .filter((each) => each.getBoundingClientRect().right > right + 0.5 || each.getBoundingClientRect().left < -0.5)
      .filter((each) => !each.classList.contains('unseen'))
      .map((each) => each.outerHTML.slice(0, 80));
"""


def test_the_files_are_small():
    files = [path.read_bytes() for path in STATIC.iterdir()]
    assert sum(map(len, files)) <= MOST_BYTES
    assert max(content.count(b"\n") for content in files) <= MOST_LINES


def fits(browser):
    assert browser.run(TOO_WIDE) == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    small = f"return {SHOWN}.filter((each) => Math.min(each.offsetWidth, each.offsetHeight) < arguments[1])"
    assert browser.run(f"{small}.map((each) => each.outerHTML)", "button, select", FINGER) == []
    nameless = f"return {SHOWN}.filter((each) => !(each.ariaLabel || each.innerText.trim() || each.labels?.length))"
    assert browser.run(f"{nameless}.map((each) => each.outerHTML)", "button, select") == []
    assert len(browser.run(f"return {SHOWN}", "h1")) == 1


@pytest.mark.parametrize("players", [1, 4, 8])
def test_a_narrow_window(browser, players):
    browser.resize(390, 844)
    while (shown := int(browser.text("#player-count").split()[0])) != players:
        browser.click("fewer" if shown > players else "more")
    fits(browser)
    some_turns(browser)
    browser.click("hint")
    browser.until("return document.querySelector('#hint-panel .bar') !== null")
    browser.shows("continue")
    browser.click("odds")
    browser.until("return document.querySelector('#odds-panel .bar') !== null")
    fits(browser)
    assert all(browser.run("return [...document.querySelectorAll('#path img')].map((each) => each.alt)"))
    assert browser.run("return document.querySelectorAll('#seats .told').length") == players


def test_a_wide_window_and_watching(browser):
    fits(browser)
    browser.click("watch")
    browser.shows("run")
    fits(browser)
    browser.resize(390, 844)
    fits(browser)


COVERED = """
    const bar = document.getElementById('actions').getBoundingClientRect();
    return [...document.querySelectorAll('.seat')].filter((each) => each.getBoundingClientRect().bottom > bar.top + 0.5)
      .map((each) => each.innerText);
"""


@pytest.mark.parametrize(("width", "height", "players"), [(1280, 657, 4), (1280, 657, 8), (390, 844, 4), (390, 844, 8)])
def test_the_buttons_cover_no_player(browser, width, height, players):
    """In play and in watch mode, where each has a probability below the name."""
    browser.resize(width, height)
    while int(browser.text("#player-count").split()[0]) < players:
        browser.click("more")
    some_turns(browser)
    assert browser.run(COVERED) == []
    browser.click("home")
    browser.click("watch")
    browser.shows("run")
    browser.press("p")
    assert browser.run(COVERED) == []
    assert len(browser.run(f"return {SHOWN}.map((each) => each.innerText)", ".chance b")) == players


def test_two_agents_of_one_name_are_told_apart_and_what_is_at_risk_has_words(browser):
    browser.resize(390, 844)
    browser.click("more")
    some_turns(browser)
    names = "return [...document.querySelectorAll('.seat .name span')].map((each) => each.innerText)"
    first, second = "Champion\N{NO-BREAK SPACE}1", "Champion\N{NO-BREAK SPACE}2"
    assert browser.run(names) == ["You", first, "Calculator", "Patient", second]
    cut = f"return {SHOWN}.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert browser.run(cut, ".seat .name span") == 0
    assert browser.run(f"return {SHOWN}[0].innerText", ".you .bag small") == "at risk"
    assert browser.run(f"return {SHOWN}[0].innerText", ".you .chest small") == "safe"
    assert not browser.run("return document.getElementById('story-panel').open")
    browser.click("home")
    assert second in browser.text("#stored-list")
    browser.resize(1280, 657)
    browser.until("return document.getElementById('story-panel').open")


def test_cards_turn_over_unless_the_reader_wants_no_motion(browser):
    turning = "return document.getAnimations().filter((each) => each.animationName === 'turn').length"
    media = "Emulation.setEmulatedMedia"
    browser.driver.execute_cdp_cmd(media, {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    some_turns(browser)
    assert browser.run("return document.querySelectorAll('.turning').length") > 0
    assert browser.run(turning) == 0
    browser.driver.execute_cdp_cmd(media, {"features": []})
    assert browser.run(turning) > 0
