"""Games in the page, by a browser that nobody sees: by mouse, by keyboard, watched, reviewed, stepped through."""

import base64
import re

from diamant_env.opponents.registry import SHIPPED
from diamant_env.records import GameRecord

AT = "return document.getElementById('where').textContent === arguments[0]"
ANY = ("continue", "go-on", "skip", "again")  # a button of each situation in a game


def play_to_the_end(browser, do):
    """Do what fits until the game is over: `do` gets the button that is shown."""
    while (shown := browser.shows(*ANY)) != "again":
        do(shown)


def leave_at_once(browser):
    play_to_the_end(browser, lambda shown: browser.click("leave" if shown == "continue" else shown))


def test_a_whole_game_by_mouse_with_hint_odds_review_and_record(browser):
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

    leave_at_once(browser)
    assert browser.title() == "Game over"
    assert browser.run("return document.querySelectorAll('#result-panel tbody tr').length") == 4
    assert browser.text("#result-title") == browser.text("#came-up")
    assert browser.kept()[0]["over"]
    review_is_shown(browser)
    record_is_saved_and_opened(browser)


def review_is_shown(browser):
    browser.until("return document.querySelectorAll('#review-panel .chart polyline').length === 4")
    decisions = "[...document.querySelectorAll('.decisions li')]"
    assert browser.run(f"return {decisions}.filter((item) => item.offsetParent).length") == 3
    words = browser.run(f"return {decisions}[0].innerText")
    expedition, card = re.search(r"Expedition (\d), card (\d+)", words).groups()
    browser.run(f"{decisions}[0].querySelector('button').click()")
    browser.until("return document.getElementById('title').textContent === arguments[0]",
                  f"Expedition {expedition} of 5, card {card}")  # fmt: skip
    rows = browser.run("return document.querySelectorAll('#review-panel tbody tr').length")
    assert rows == len(browser.kept()[0]["game"]["decisions"]) + 1


def record_is_saved_and_opened(browser):
    game = browser.kept()[0]["game"]
    turns = len(game["decisions"])
    browser.shows("save")
    browser.click("save")
    saved = browser.downloaded()
    record = GameRecord.from_text(saved.read_text(encoding="utf-8"))
    assert (record.seed, list(record.names)) == (game["seed"], game["agents"])
    browser.click("home")
    browser.shows("play")
    browser.driver.find_element("id", "open-file").send_keys(str(saved))
    browser.shows("step")  # the hidden table still says where it stood
    browser.until(AT, f"1 of {turns + 1}")
    assert browser.title() == "Expedition 1 of 5, card 1"
    browser.click("step")
    browser.until(AT, f"2 of {turns + 1}")
    browser.click("back")
    browser.until(AT, f"1 of {turns + 1}")
    browser.click("last")
    browser.until("return document.getElementById('title').textContent === 'Game over'")
    assert not browser.run("return document.getElementById('result-panel').hidden")


def focus_by_tab(browser, element_id):
    for _ in range(40):
        browser.press("\ue004")
        if browser.driver.switch_to.active_element.get_attribute("id") == element_id:
            return
    raise AssertionError(f"Tab does not reach {element_id}")


def test_a_whole_game_by_keyboard_alone(browser):
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
    signs = [turn[0] for turn in browser.kept()[0]["game"]["decisions"]]
    assert signs[0] == "0"
    assert signs.count("1") in (4, 5)  # five, unless the second card was a bust


def test_watching(browser):
    browser.click("watch")
    browser.shows("run")
    browser.press("p")
    browser.until("return document.getElementById('run').textContent === 'Play'")
    browser.shows("step")
    before = int(browser.text("#where").split()[-1])
    assert browser.run("return document.querySelectorAll('.chance .bar').length") > 0
    browser.press("n")
    browser.until(AT, f"{before + 1} of {before + 1}")
    browser.press("\ue012")  # arrow to the left
    browser.until(AT, f"{before} of {before + 1}")
    browser.press("\ue014")  # arrow to the right
    browser.until(AT, f"{before + 1} of {before + 1}")
    browser.run("""const speed = document.getElementById('speed');
                   speed.value = '4'; speed.dispatchEvent(new Event('change'))""")
    browser.click("run")
    browser.until("return parseInt(document.getElementById('where').textContent) > arguments[0]", before + 2)
    assert browser.kept()[0]["game"]["agents"].count("you") == 0


CHOOSE = """
    const [selector, value] = arguments;
    const select = document.querySelector(selector);
    select.value = value;
    select.dispatchEvent(new Event('change'));
"""


def test_the_table_is_the_one_that_was_chosen(browser):
    """Another seat, another agent, an edition with hidden chests; the next visit offers the same."""
    browser.run(CHOOSE, "#edition", "incan-gold")
    browser.run(CHOOSE, "#chairs li:nth-child(3) select", "you")
    browser.run(CHOOSE, "#chairs li:nth-child(2) select", "random")
    browser.click("play")
    browser.shows("continue")
    (kept,) = browser.kept()
    assert kept["game"]["agents"][1:3] == ["random", "you"]
    assert kept["game"]["agents"].count("you") == 1
    assert (kept["game"]["edition"], kept["game"]["hidden_chests"]) == ("incan-gold", True)
    chests = browser.run("return [...document.querySelectorAll('.chest b')].map((each) => each.textContent)")
    assert chests == ["?", "?", "0", "?"]
    browser.click("home")
    browser.shows("play")
    browser.driver.refresh()
    browser.shows("play")
    assert browser.run("return document.querySelector('#chairs li:nth-child(3) select').value") == "you"


DROP = """
    const [selector, name, content] = arguments;
    const held = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([held], name));
    const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector(selector).dispatchEvent(drop);
"""
LABELS = "return [...document.querySelectorAll('#chairs select')].map((each) => each.selectedOptions[0].textContent)"


def test_a_policy_file_is_dropped_onto_a_seat_and_plays(browser, tmp_path):
    """Its name is text; what is no policy is refused in one line."""
    name = "<img src=x onerror=alert(1)>"
    content = base64.b64encode(SHIPPED["hunter"].read_bytes()).decode()
    browser.run(DROP, "#chairs li:nth-child(3) p", f"{name}.safetensors", content)
    browser.until(f"{LABELS}[2] === arguments[0]", name)
    assert browser.run("return document.querySelectorAll('#chairs img').length") == 0
    file = tmp_path / "mine.safetensors"
    file.write_bytes(SHIPPED["champion"].read_bytes())
    browser.driver.find_element("id", "policy-file").send_keys(str(file))
    browser.until(f"{LABELS}[1] === 'mine'")
    browser.click("play")
    browser.shows("continue")
    names = "return [...document.querySelectorAll('.seat .name')].map((each) => each.title)"
    assert browser.run(names) == ["You", "mine", name, "Patient"]
    assert browser.run("return document.querySelectorAll('#seats img').length") == 0
    browser.click("home")
    assert f"mine, {name}, Patient" in browser.text("#stored-list")
    browser.run(DROP, "#hero-title", "large.safetensors", base64.b64encode(bytes(4_000_001)).decode())
    browser.until("return document.getElementById('error-text').textContent.includes('at most 4000000 are allowed')")
    assert browser.run(LABELS)[1] == "mine"
