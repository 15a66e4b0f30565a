"""Reloads and second tabs of the page."""

import re


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
    return len(re.findall(r"\| (?:continue|leave)", game))


def test_reload_resumes_game(browser):
    game = some_turns(browser)
    title, path = browser.title(), browser.text("#path")
    browser.driver.refresh()
    browser.shows("continue")
    assert (browser.title(), browser.text("#path"), browser.stored_games()[0]["game"]) == (title, path, game)
    browser.click("continue")
    browser.shows("continue", "go-on")
    assert turns(browser) == turns_in(game) + 1
    game = browser.stored_games()[0]["game"]
    browser.click("home")
    browser.shows("play")
    browser.run("document.querySelector('#stored-list button').click()")
    browser.shows("continue", "go-on")
    assert browser.stored_games()[0]["game"] == game


def test_second_tab_takes_over_game(browser, server):
    game = some_turns(browser)
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.driver.get(server.address)
        browser.shows("play")
        browser.run("document.querySelector('#stored-list button').click()")
        browser.shows("continue")
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
