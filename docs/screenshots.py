"""Write docs/pictures/page-*.png: the page as a stranger sees it, wide and narrow: ``python -m docs.screenshots``."""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.support.browser import Browser, Server, missing

PICTURES = Path(__file__).parent / "pictures"
SIZES = {1280: 800, 390: 844}  # height by width
# A game whose first expedition ends in a bust at the ninth card.
AGENTS = ["you", "champion", "ev:0.75", "bag:18"]
GAME = {"edition": "iello-2016", "hidden_chests": False, "agents": AGENTS, "seed": 36, "decisions": []}
STILL = "return document.getAnimations().every((each) => each.playState !== 'running')"


def take(browser: Browser, width: int, name: str, top: str = "") -> None:
    """Write a picture of what the window shows, from the element `top` on."""
    browser.until(STILL)
    browser.run("scrollTo(0, 0); document.getElementById(arguments[0])?.scrollIntoView()", top)
    picture = Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    colours = picture.quantize(112, Image.Quantize.MAXCOVERAGE, kmeans=1)
    picture.quantize(palette=colours, dither=Image.Dither.FLOYDSTEINBERG).save(
        PICTURES / f"page-{name}-{width}.png", optimize=True
    )


def play(browser: Browser, width: int) -> None:
    """Play a game that loses its first bag, and take pictures on the way."""
    narrow = width < 900  # the panels lie below the table
    bust_seen = hint_seen = False
    browser.sit_down(GAME)
    while (shown := browser.shows("continue", "go-on", "skip", "again")) != "again":
        cards = browser.run("return document.querySelectorAll('#path .card:not(.deck)').length")
        if shown == "go-on" and not bust_seen and browser.run("return document.querySelector('.cave.bust') !== null"):
            bust_seen = True
            take(browser, width, "bust")
        if shown == "continue" and cards >= 6 and not hint_seen:
            hint_seen = True
            take(browser, width, "table")
            browser.click("odds")
            browser.click("hint")
            browser.until("return document.querySelector('#hint-panel .whisker') !== null")
            browser.shows("continue")
            take(browser, width, "hint", "hint-panel" if narrow else "")
            browser.click("odds")
            browser.shows("continue")
        browser.click("leave" if shown == "continue" and bust_seen and cards >= 3 else shown)
    browser.until("return document.querySelector('#review-panel .chart') !== null")
    take(browser, width, "review", "result-panel" if narrow else "")


def main() -> None:
    """Take all pictures."""
    if missing():
        sys.exit(missing())
    server = Server()
    for width, height in SIZES.items():
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            browser = Browser(Path(folder), width, height)
            browser.open(server.address)
            take(browser, width, "start")
            play(browser, width)
            browser.sit_down(GAME | {"agents": ["champion", *AGENTS[1:], "catch-up", "traps"]})
            browser.until("return document.querySelectorAll('#path .card:not(.deck)').length >= 6")
            browser.click("run")
            take(browser, width, "watch")
            browser.driver.quit()
    server.stop()


if __name__ == "__main__":
    main()
