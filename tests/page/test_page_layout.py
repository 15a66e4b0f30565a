"""What the page weighs and how it fits: a narrow window, fingers, ears, and a wish for less motion."""

from pathlib import Path

import pytest

import diamant_env
from tests.page.test_robustness import some_turns

STATIC = Path(diamant_env.__file__).parent / "page" / "static"
FINGER = 44
SHOWN = "[...document.querySelectorAll(arguments[0])].filter((each) => each.offsetParent !== null)"
TOO_WIDE = """
    const right = document.documentElement.clientWidth;
    return [...document.querySelectorAll('body *')]
      .filter((each) => each.offsetParent !== null && !each.closest('.scroll, .fan, .picture'))
      .filter((each) => each.getBoundingClientRect().right > right + 0.5 || each.getBoundingClientRect().left < -0.5)
      .filter((each) => !each.classList.contains('unseen'))
      .map((each) => each.outerHTML.slice(0, 80));
"""


def fits(browser):
    assert browser.run(TOO_WIDE) == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    small = f"return {SHOWN}.filter((each) => Math.min(each.offsetWidth, each.offsetHeight) < arguments[1])"
    assert browser.run(f"{small}.map((each) => each.outerHTML)", "button, select", FINGER) == []
    nameless = f"return {SHOWN}.filter((each) => !(each.ariaLabel || each.innerText.trim() || each.labels?.length))"
    assert browser.run(f"{nameless}.map((each) => each.outerHTML)", "button, select") == []
    assert len(browser.run(f"return {SHOWN}", "h1")) == 1


@pytest.mark.parametrize("players", [1, 8])
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
