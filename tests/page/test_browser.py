"""Games in the page, in headless Chromium: by mouse and by keyboard."""

import re

from diamant_env.records import GameRecord

AT = "return document.getElementById('where').textContent === arguments[0]"
RESUME = "document.querySelector('#stored-list button').click()"
ANY = ("continue", "go-on", "skip", "again")  # a button of each situation in a game


def play_to_the_end(browser, do):
    """Call `do` with the button that is shown until the game is over."""
    while (shown := browser.shows(*ANY)) != "again":
        do(shown)


def test_game_by_mouse_with_hint_odds_review_and_record(browser):
    browser.click("play")
    assert browser.shows(*ANY) == "continue"
    assert browser.title() == "Expedition 1 of 5, card 1"
    browser.click("hint")
    assert browser.until("return document.querySelectorAll('#hint-panel .whisker').length") == 2
    assert re.search(r"The champion would (leave|continue) \(\d+%\)", browser.text("#hint-panel"))
    assert re.search(r"\d+ games with each choice, .* (better|tell)", browser.text("#hint-panel"))
    browser.shows("continue")
    browser.click("odds")
    browser.until("return document.querySelector('#odds-panel .a-bust') !== null")
    assert "alone" in browser.text("#odds-panel")
    assert "On average" in browser.text("#odds-panel")
    browser.click("odds")
    browser.until("return document.getElementById('odds-panel').hidden")

    browser.click("home")
    browser.shows("play")
    browser.click("fewer")
    browser.run(RESUME)
    play_to_the_end(browser, lambda shown: browser.click("leave" if shown == "continue" else shown))
    assert browser.title() == "Game over"
    assert [browser.text("#again"), browser.text("#run")] == ["New game", "Replay"]
    assert browser.run("return document.querySelectorAll('#result-panel tbody tr').length") == 4
    assert browser.text("#came-up") not in browser.text("#result-panel")
    assert browser.stored_games()[0]["winners"]
    review_is_shown(browser)
    record_is_saved_and_opened(browser)
    new_game_has_the_same_players(browser)


def turns_of(browser):
    return GameRecord.from_json(browser.stored_games()[0]["game"]).turns


def review_is_shown(browser):
    browser.until("return document.querySelectorAll('#review-panel .chart polyline').length === 4")
    assert "Expedition" in browser.run("return document.querySelector('.chart').textContent")
    decisions = "[...document.querySelectorAll('.decisions li')]"
    losses = browser.run(f"return {decisions}.map((item) => item.querySelector('b').textContent)")
    assert losses
    assert "−0.0%" not in losses
    assert browser.run(f"return {decisions}.filter((item) => item.offsetParent).length") == min(3, len(losses))
    words = browser.run(f"return {decisions}[0].innerText")
    expedition, card = re.search(r"Expedition (\d), card (\d+)", words).groups()
    browser.run(f"{decisions}[0].querySelector('button').click()")
    browser.until("return document.getElementById('title').textContent === arguments[0]",
                  f"Expedition {expedition} of 5, card {card}")  # fmt: skip
    rows = browser.run("return document.querySelectorAll('#review-panel tbody tr').length")
    assert rows == len(turns_of(browser)) + 1


def record_is_saved_and_opened(browser):
    turns = len(turns_of(browser))
    browser.shows("save")
    browser.click("save")
    saved = browser.downloaded()
    record = GameRecord.from_json(saved.read_text(encoding="utf-8"))
    assert record == GameRecord.from_json(browser.stored_games()[0]["game"])
    browser.click("home")
    browser.shows("play")
    browser.driver.find_element("id", "open-file").send_keys(str(saved))
    browser.shows("step")  # the hidden table has the old text
    browser.until(AT, f"1 of {turns + 1}")
    assert browser.title() == "Expedition 1 of 5, card 1"
    browser.click("step")
    browser.until(AT, f"2 of {turns + 1}")
    browser.click("back")
    browser.until(AT, f"1 of {turns + 1}")
    browser.click("last")
    browser.until("return document.getElementById('title').textContent === 'Game over'")
    assert not browser.run("return document.getElementById('result-panel').hidden")
    browser.click("close")
    browser.shows("play")


def new_game_has_the_same_players(browser):
    """Those of the shown game, not those of the start screen."""
    browser.run(RESUME)
    browser.shows("again")
    browser.click("again")
    browser.shows("continue")
    last, new = (
        GameRecord.from_json(each["game"]) for each in sorted(browser.stored_games(), key=lambda each: each["saved"])
    )
    assert last.names == new.names
    assert len(new.names) == 4


def focus_by_tab(browser, element_id):
    for _ in range(40):
        browser.press("\ue004")
        if browser.driver.switch_to.active_element.get_attribute("id") == element_id:
            return
    raise AssertionError(f"Tab does not reach {element_id}")


def test_game_by_keyboard(browser):
    focus_by_tab(browser, "play")
    browser.press("\ue007")
    browser.shows("continue")
    browser.press("h")
    browser.until("return document.querySelector('#hint-panel .says')?.innerText.startsWith('The champion would')")
    browser.shows("continue")
    browser.press("o")
    browser.until("return document.querySelector('#odds-panel .a-bust') !== null")

    turns = iter("c" + "l" * 100)
    keys = {"go-on": lambda: "n", "skip": lambda: "s", "continue": lambda: next(turns)}
    play_to_the_end(browser, lambda shown: browser.press(keys[shown]()))
    left = [0 in leaving for leaving in turns_of(browser)]
    assert not left[0]
    assert left.count(True) in (4, 5)  # five, unless the second card was a bust
