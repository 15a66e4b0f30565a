"""What may happen to a page: loaded anew, opened twice, left alone by its server, used by somebody hostile."""

import itertools

from tests.support.browser import Server


def some_turns(browser):
    """Begin a game and continue a few times; return the game, in which the player must decide now."""
    browser.click("play")
    for _ in range(3):
        must_decide(browser)
        browser.click("continue")
    must_decide(browser)
    return browser.kept()[0]["game"]


def must_decide(browser):
    """Wait for the next decision, in the next expedition if this one has ended."""
    if browser.shows("continue", "go-on") == "go-on":
        browser.click("go-on")
        browser.shows("continue")


def turns(browser):
    return len(browser.kept()[0]["game"]["decisions"])


def test_reload_goes_on_where_the_game_was(browser):
    game = some_turns(browser)
    title, path = browser.title(), browser.text("#path")
    browser.driver.refresh()
    browser.shows("continue")
    assert (browser.title(), browser.text("#path"), browser.kept()[0]["game"]) == (title, path, game)
    browser.click("continue")
    browser.shows("continue", "go-on")
    assert turns(browser) == len(game["decisions"]) + 1


def test_the_start_screen_offers_the_kept_game(browser):
    game = some_turns(browser)
    browser.click("home")
    browser.shows("play")
    browser.run("document.querySelector('#stored-list button').click()")
    browser.shows("continue")
    assert browser.kept()[0]["game"] == game


def test_two_tabs(browser, server):
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
        browser.press("c")  # is not heard
        assert turns(browser) == len(game["decisions"]) + 1
        browser.click("take-over")
        browser.shows("continue")
        assert turns(browser) == len(game["decisions"]) + 1
        browser.click("continue")
        browser.shows("continue", "go-on")
        assert turns(browser) == len(game["decisions"]) + 2
        browser.driver.switch_to.window(second)
        browser.shows("take-over")
    finally:
        for handle in set(browser.driver.window_handles) - {first}:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
        browser.driver.switch_to.window(first)


def test_the_server_stops_and_comes_back(chromium):
    """Only the browser itself tells the console that nobody answers; the page goes on with the decision it has made."""
    server = Server()
    chromium.open(server.address)
    game = some_turns(chromium)
    server.stop()
    chromium.click("continue")
    chromium.until("return document.getElementById('gone').offsetParent !== null")
    assert "The server does not answer" in chromium.text("#gone")
    assert chromium.kept()[0]["game"] == game
    server.start()
    chromium.click("retry")
    chromium.until("return document.getElementById('gone').hidden")
    chromium.shows("continue", "go-on")
    assert turns(chromium) == len(game["decisions"]) + 1
    server.stop()
    assert [line for line in chromium.console() if "net::ERR_CONNECTION" not in line] == []


def test_what_the_server_refuses_is_said_in_one_line(chromium, server):
    chromium.open(server.address)
    some_turns(chromium)
    chromium.run("""const key = Object.keys(localStorage).find((each) => each.startsWith('diamant:game:'));
                    const kept = JSON.parse(localStorage[key]);
                    kept.game.agents[1] = 'somebody';
                    localStorage[key] = JSON.stringify(kept)""")
    chromium.driver.refresh()
    chromium.shows("play")
    chromium.until("return document.getElementById('error').offsetParent !== null")
    assert chromium.text("#error-text").startswith("unknown agent")
    assert [line for line in chromium.console() if "400 (Bad Request)" not in line] == []


HOSTILE = [
    "null", "[]", "{", "1e999", '"text"', "[" * 10_000, "x" * 100_000,
    '{"game": null, "decision": 0}', '{"game": {}, "decision": 0}', '{"game": [1], "decision": {}}',
    '{"edition": "../../etc/passwd", "hidden_chests": null, "agents": ["you"], "seed": null}',
    '{"edition": "iello-2016", "hidden_chests": 7, "agents": ["you", "you"], "seed": -1}',
    '{"text": "diamant record 1"}', '{"text": {}}',
]  # fmt: skip
ADDRESSES = ["/new", "/turn", "/view", "/odds", "/hint", "/review", "/record", "/open", "/policy", "/nowhere"]
ATTACK = """
    const [messages, number, done] = arguments;
    const found = {};
    let next = 0;
    const one = async () => {
      while (next < number) {
        const [path, body] = messages[next++ % messages.length];
        const answer = await fetch(path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body});
        found[answer.status] = (found[answer.status] ?? 0) + 1;
        await answer.text();
      }
    };
    Promise.all(Array.from({length: 50}, one)).then(() => done(found), (failure) => done({failure: `${failure}`}));
"""


def test_hostile_messages_from_the_page(chromium, server):
    """Wrong types, huge, out of turn, 10,000 as fast as a browser can: all refused, and a game can be played."""
    chromium.open(server.address)
    game = some_turns(chromium)
    out_of_turn = f'{{"game": {chromium.run("return JSON.stringify(arguments[0])", game)}, "decision": null}}'
    messages = [*itertools.product(ADDRESSES, HOSTILE), ("/turn", out_of_turn)]
    found = chromium.driver.execute_async_script(ATTACK, messages, len(messages))
    assert set(found) <= {"400", "404", "413", "429"}
    assert sum(found.values()) == len(messages)
    short = [(path, body) for path, body in messages if len(body) < 1000]
    found = chromium.driver.execute_async_script(ATTACK, short, 10_000)
    assert set(found) <= {"400", "404", "429"}
    assert sum(found.values()) == 10_000
    chromium.click("continue")
    chromium.shows("continue", "go-on")
    assert turns(chromium) == len(game["decisions"]) + 1
    chromium.console()  # the browser notes each refusal
