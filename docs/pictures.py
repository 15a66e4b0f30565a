"""Pictures of the pages: ``python docs/pictures.py`` writes docs/pictures/.

Needs the extras train, render, web and browser, chromium and chromedriver.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib import pyplot
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # where `tests` is

import watch  # noqa: E402

from diamant_env import Game, exact  # noqa: E402
from diamant_env.drawing.picture import draw_game  # noqa: E402
from diamant_env.drawing.pixels import pixels_of  # noqa: E402
from diamant_env.drawing.render_history import RenderHistory  # noqa: E402
from diamant_env.records import GameRecord  # noqa: E402
from tests.support.browser import Browser, Server  # noqa: E402

PICTURES = Path(__file__).with_name("pictures")
PAGE_SEED, DECISIONS = 28, 8  # of the game in the page: seed, and CONTINUE before the hint
SET_SEED = """
    const [seed, ask] = [arguments[0], window.fetch];
    window.fetch = (path, post) => ask(path, { ...post, body: post.body?.replace('"seed":null', `"seed":${seed}`) });
"""
RULES = [  # seats that leave, the next card, the name of the picture
    ([], 5, ""),
    ([], "snake", ""),
    ([], 11, "treasure"),
    ([], "relic", ""),
    ([2], 7, "leave"),
    ([], "snake", ""),
    ([], 13, "trap"),  # begins the next expedition
]
CALM = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}


def palette(picture: Image.Image, colours: int) -> Image.Image:
    """Return the picture in a few colours that cover its rare ones; the default method maps these to others."""
    return picture.quantize(colours, Image.Quantize.MAXCOVERAGE, kmeans=1)


def film() -> None:
    """Write the film of the recorded game, 1.2 seconds per turn."""
    record, history, frames = GameRecord.read(watch.RECORD), RenderHistory(), []
    for state in record.states():
        history.update(state)
        frames.append(pixels_of(draw_game(state, record.edition, history)))
    colours = palette(Image.fromarray(np.concatenate(frames[::4])), 128)
    first, *rest = (Image.fromarray(frame).quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames)
    pauses = [1200] * len(rest) + [4000]
    first.save(PICTURES / "game.gif", save_all=True, append_images=rest, duration=pauses, loop=0, optimize=True)


def rules() -> None:
    """Write the pictures of the rules, from one game with chosen cards."""
    game, history = Game(num_players=4), RenderHistory()
    for leavers, card, name in RULES:
        if game.must_decide.any():
            game.decide(np.isin(np.arange(4), leavers))
        game.reveal(game.edition.cards_named(card)[0])
        if game.must_decide.any():
            history.update(game.state)
        if name:
            picture = Image.fromarray(pixels_of(draw_game(game.state, game.edition, history)))
            palette(picture, 128).save(PICTURES / f"rules-{name}.png", optimize=True)


def page(folder: str) -> None:
    """Write the screenshot of a hint in the page."""
    server = Server()
    browser = Browser(Path(folder))
    browser.resize(1280, 800)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", CALM)
    browser.open(server.address)
    browser.run(SET_SEED, PAGE_SEED)
    for button in ["play", *["continue"] * DECISIONS, "hint"]:
        browser.shows(button)
        browser.click(button)
    browser.until("return document.querySelector('#hint-panel .bar') !== null")
    browser.shows("hint")
    picture = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    palette(picture, 256).save(PICTURES / "page-hint-1280.png", optimize=True)
    browser.driver.quit()
    server.stop()


def win_shares() -> None:
    """Write the minimax win share by lead at the start of each expedition, no trap removed so far."""
    solution, leads = exact.solve_two_player_win("iello-2016-fr"), np.arange(-100, 101)
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for deck, shares in sorted(solution.shares.items()):
        if len(set(deck.traps)) == 1 and len(shares) > 1:
            centre = len(shares) // 2
            axes.plot(leads, shares[centre + leads], label=f"expedition {deck.expedition}")
    axes.plot(0, solution.value, "ko", label="expedition 1")
    axes.set(xlabel="lead in gems at the start of the expedition", ylabel="win share", xlim=(-100, 100), ylim=(0, 1))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(PICTURES / "two-player-win.png", dpi=120)


if __name__ == "__main__":
    win_shares()
    film()
    rules()
    with tempfile.TemporaryDirectory() as folder:
        page(folder)
