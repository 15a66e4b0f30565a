"""The picture of the page in docs/play.md, docs/pictures/page-hint-1280.png: ``python -m docs.screenshots``."""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.support.browser import Browser, Server, missing

PICTURE = Path(__file__).parent / "pictures" / "page-hint-1280.png"
AGENTS = ["you", "champion", "ev:0.75", "bag:18"]
GAME = {"edition": "iello-2016", "hidden_chests": False, "agents": AGENTS, "seed": 36, "decisions": []}

if __name__ == "__main__":
    if missing():
        sys.exit(missing())
    server = Server()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder), 1280, 800)
        browser.open(server.address)
        browser.sit_down(GAME)
        while browser.run("return document.querySelectorAll('#path .card:not(.deck)').length") < 6:
            browser.click(browser.shows("continue", "go-on"))
        browser.shows("continue")
        browser.click("odds")
        browser.click("hint")
        browser.until("return document.querySelector('#hint-panel .whisker') !== null")
        browser.until("return document.getAnimations().every((each) => each.playState !== 'running')")
        picture = Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
        picture.quantize(112, Image.Quantize.MAXCOVERAGE, kmeans=1).save(PICTURE, optimize=True)
        browser.driver.quit()
    server.stop()
