"""The recorded game of the site: the page's own table, without a server. `docs/conf.py` calls `write_game`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from diamant_env.drawing.cards import card_svg
from diamant_env.drawing.svg import icons_svg
from diamant_env.page.game import replayed
from diamant_env.page.menu import Menu
from diamant_env.page.view import view_of
from diamant_env.records import GameRecord

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs" / "pictures" / "game.json"
"""``diamant watch champion ev:0.75 bag:18 catch-up --seed 10 --record docs/pictures/game.json``."""
CARD = re.compile(r"card/(\d+)/([^\"]+)\.svg")


def views(text: str) -> list[dict[str, Any]]:
    """Return the views of a record by turns played, with the agents' probabilities; the last one has the log."""
    record = GameRecord.from_json(text)
    menu = Menu(record.names)
    played = [view_of(replayed(menu, text, turns)) for turns in range(len(record.turns) + 1)]
    return [view | {"story": [], "edition": {}} for view in played[:-1]] + played[-1:]


def write_game(folder: Path) -> None:
    """Write the page, its drawings and the recorded game to a new folder; `menu` takes the place of the server."""
    shutil.copytree(ROOT / "diamant_env" / "page" / "static", folder / "static", dirs_exist_ok=True)
    page = (folder / "static" / "index.html").replace(folder / "index.html")
    game = json.dumps(Menu().as_json() | {"views": views(RECORD.read_text(encoding="utf-8"))})
    (folder / "menu").write_text(game, encoding="utf-8")
    (folder / "drawings.svg").write_text(icons_svg(), encoding="utf-8")
    for card, name in set(CARD.findall(page.read_text(encoding="utf-8") + game)):
        file = folder / "card" / card / f"{unquote(name)}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(card_svg(int(card), unquote(name)), encoding="utf-8")
