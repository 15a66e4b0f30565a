"""Reloads, history, second tabs, files and blocked storage of the page."""

import json
from datetime import datetime

PARTS = ("#title", "#path", "#story", "#deck-panel")
LOG = "return document.getElementById('story').textContent"  # also where it is folded


def some_turns(browser):
    """Begin a game and continue a few times; return the game."""
    browser.click("play")
    for _ in range(3):
        must_decide(browser)
        browser.click("continue")
    must_decide(browser)
    return browser.stored_games()[0]["game"]


def must_decide(browser):
    """Wait for the next decision, in the next expedition if this one has ended."""
    if browser.shows("continue", "go-on") == "go-on":
        browser.click("go-on")
        browser.shows("continue")


def turns(browser):
    return turns_in(browser.stored_games()[0]["game"])


def turns_in(game):
    return len(json.loads(game)["turns"])


def test_reload_resumes_game(browser):
    game = some_turns(browser)
    shown = [browser.text(part) for part in PARTS]
    browser.driver.refresh()
    browser.shows("continue")
    assert [browser.text(part) for part in PARTS] == shown
    assert browser.stored_games()[0]["game"] == game
    browser.click("continue")
    browser.shows("continue", "go-on")
    assert turns(browser) == turns_in(game) + 1
    game = browser.stored_games()[0]["game"]
    browser.driver.back()
    browser.shows("play")
    offered = browser.text("#stored-list")
    assert "Against Champion, Calculator, Patient" in offered
    assert " · you: " in offered
    assert f"{datetime.now().year}" in offered
    browser.driver.forward()
    browser.shows("continue", "go-on")
    browser.click("home")
    browser.shows("play")
    browser.run("document.querySelector('#stored-list button').click()")
    browser.shows("continue", "go-on")
    assert browser.stored_games()[0]["game"] == game


def test_refused_requests_are_shown(browser):
    browser.click("play")
    browser.shows("continue")
    browser.run("window.fetch = async () => new Response(JSON.stringify({error: 'refused'}), {status: 400})")
    for button in ("continue", "hint", "odds"):
        browser.click(button)
        browser.until("return !document.getElementById('error').hidden")
        browser.shows("continue")
        assert browser.text("#error-text") == "refused", button
        browser.click("error-close")


def test_buttons_stay_visible_while_the_server_is_asked(browser):
    styles = """
        const style = (query, part) => getComputedStyle(document.querySelector(query), part);
        const [actions, cave] = [style("#actions", "::after"), style(".cave", "::after")];
        return [actions.content, cave.opacity, document.getElementById("gone").hidden];
    """
    browser.click("play")
    browser.shows("continue")
    assert browser.run(styles) == ["none", "0", True]
    browser.run("window.fetch = () => new Promise((_, fail) => { window.fail = fail; })")
    browser.click("continue")
    browser.until("return getComputedStyle(document.querySelector('.cave'), '::after').opacity === '1'")
    assert browser.run(styles) == ["none", "1", True]
    browser.run("window.fail(new TypeError('no server'))")
    browser.until("return !document.getElementById('gone').hidden")
    browser.until("return getComputedStyle(document.querySelector('.cave'), '::after').opacity === '0'")
    assert browser.run(styles) == ["none", "0", False]


def test_start_screen_works_with_blocked_storage(browser, server):
    blocked = """
        for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });
        }
    """
    added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": blocked})
    try:
        browser.driver.get(server.address)
        browser.shows("play")
        assert "blocks storage" in browser.text("#error")
        browser.click("more")
        assert browser.run("return document.getElementById('chairs').children.length") == 5
        browser.click("play")
        browser.shows("continue")
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        browser.driver.get(server.address)


def test_second_tab_takes_over_game(browser, server):
    game = some_turns(browser)
    log, first = browser.run(LOG), browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.driver.get(server.address)
        browser.shows("play")
        browser.run("document.querySelector('#stored-list button').click()")
        browser.shows("continue")
        assert browser.run(LOG) == log
        browser.click("continue")
        browser.shows("continue", "go-on")
        second = browser.driver.current_window_handle
        browser.driver.switch_to.window(first)
        browser.shows("take-over")
        assert "This game goes on in another tab" in browser.text("#elsewhere")
        assert not browser.run("return document.getElementById('continue').offsetParent")
        browser.press("c")  # ignored
        assert turns(browser) == turns_in(game) + 1
        browser.click("take-over")
        browser.shows("continue")
        assert turns(browser) == turns_in(game) + 1
        browser.click("continue")
        browser.shows("continue", "go-on")
        assert turns(browser) == turns_in(game) + 2
        browser.driver.switch_to.window(second)
        browser.shows("take-over")
    finally:
        for handle in set(browser.driver.window_handles) - {first}:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
        browser.driver.switch_to.window(first)
