"""A page for each registered task: ``python docs/task_pages.py`` measures, `conf.py` writes the pages for the site."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # where the package is, in a checkout

from diamant_env import Batch, Edition, Observations, list_tasks  # noqa: E402
from diamant_env.commands.film import pictures_of, write_film  # noqa: E402
from diamant_env.editions import find_edition  # noqa: E402
from diamant_env.judging import Estimate, evaluate  # noqa: E402
from diamant_env.judging.intervals import mean_of_tables  # noqa: E402
from diamant_env.judging.lineups import able_members, members_left_out  # noqa: E402
from diamant_env.opponents import Table, make  # noqa: E402
from diamant_env.records import GameRecord  # noqa: E402
from diamant_env.records.sitting import Sitting  # noqa: E402
from diamant_env.storage.files import write_whole  # noqa: E402
from diamant_env.storage.markdown import markdown_table  # noqa: E402
from diamant_env.tasks import Task  # noqa: E402

MEASURED = ROOT / "docs" / "measured" / "tasks.json"
GAMES = 20_000
AGENTS = ("champion", "ev:0.75", "bag:18", "random:0.2")
# Who plays the games of a page: as many of these as have a seat.
SEATS = ("ev:0.75", "champion", "bag:18", "cards:7", "follow:2,8", "solo-grab:7,13", "traps:3", "oppose:11,2")
TURNS, WIDTH = 18, 480  # of the game that is shown, and of its film in pixels


def played(task: Task) -> tuple[int, Edition]:
    """Return how many play a task, and the edition with as many expeditions as it has."""
    edition = find_edition(task.settings.get("edition", "iello-2016"))
    number = task.settings.get("expeditions", edition.expeditions)
    if number != edition.expeditions:
        edition = dataclasses.replace(edition, name="one expedition", expeditions=number)
    return task.settings.get("num_players", 4), edition


def measure(players: int, edition: Edition, games: int = GAMES) -> dict[str, Any]:
    """Play a task; return its figures: means over games, and of each agent a mean with its 95 % interval."""
    batch, turns = _play(SEATS[:players], edition, games)
    busts = Observations(batch.observe()[:, 0])["history_bust"][:, : edition.expeditions]
    found = {
        "turns": round(float(turns.mean()), 2),
        "longest": int(turns.max()),
        "busts": round(float(busts.mean()), 4),
    }
    if players == 1:
        scores = {agent: _play((agent,), edition, games)[0].tables["chest"][:, 0] for agent in AGENTS}
        means = {agent: mean_of_tables(score, np.ones_like(score)) for agent, score in scores.items()}
        return found | {"agents": {agent: {"score": _rounded(mean)} for agent, mean in means.items()}}
    judged = evaluate(AGENTS[0], "held-out", games, compare_with=AGENTS[1:], players=players, edition=edition)
    rows = {row.agent: {"win": _rounded(row.win_share), "score": _rounded(row.score)} for row in judged.results}
    return found | {"agents": rows}


def _play(agents: Sequence[str], edition: Edition, games: int) -> tuple[Batch, NDArray]:
    """Return a batch at the end of its games, with their history, and the turns in which somebody decided (N,)."""
    batch, turns = Batch(games, len(agents), edition, history=True), np.zeros(games)
    table = Table(batch, [make(agent) for agent in agents], np.tile(np.arange(len(agents)), (games, 1)))
    observations, actions = batch.reset(0), np.zeros((games, len(agents)), np.int8)
    while not batch.over.all():
        turns += ~batch.over
        table.decide(observations, actions)
        batch.step(actions, observations)
    return batch, turns


def _rounded(estimate: Estimate) -> list[float]:
    return [round(float(figure), 4) for figure in (estimate.mean, estimate.low, estimate.high)]


def record_of(players: int, edition: Edition, seed: int | None = None) -> GameRecord:
    """Return a game between the first agents of `SEATS`, by default that of the first seeds nearest to `TURNS`."""
    agents = SEATS[:players]
    if seed is None:
        seed = int(abs(_play(agents, edition, 500)[1] - TURNS).argmin())
    return Sitting(edition, [make(agent) for agent in agents], seed, agents).play_out()


def film(record: GameRecord, path: Path) -> None:
    """Write a small film of a game: in 32 colours, the same in all pictures."""
    images = [Image.fromarray(picture) for picture in pictures_of(record)]
    images = [image.resize((WIDTH, image.height * WIDTH // image.width), Image.Resampling.LANCZOS) for image in images]
    shown = Image.fromarray(np.concatenate([images[0], images[len(images) // 2], images[-1]]))
    colours = shown.quantize(32, Image.Quantize.FASTOCTREE)
    few = [np.asarray(image.quantize(palette=colours, dither=Image.Dither.NONE).convert("RGB")) for image in images]
    write_film(few, path, width=WIDTH)


def page(task: Task, figures: dict[str, Any], record: GameRecord) -> str:
    """Return the page of a task."""
    players, edition = played(task)
    name, seats = short(task), ", ".join(f"`{agent}`" for agent in SEATS[:players])
    rows = [[f"`{agent}`", *map(interval, found.values())] for agent, found in figures["agents"].items()]
    head = ["agent", "win share", "gems"] if players > 1 else ["agent", "gems"]
    rivals = f"{players - 1} of the [held-out agents](../tutorial.md#judge){who_sat(players, edition)}"
    among = f"at tables with {rivals}; a fair share is {1 / players:.3f}" if players > 1 else "alone"
    return f"""# {name}

`{task.id}`: {task.meaning}. [All tasks](../tasks.md), [editions](../rules.md#editions),
[observation and rewards](../environment.md)

![A game of {name}]({name}.gif)

```python
import gymnasium
import diamant_env  # registers the tasks

env = gymnasium.make("{task.id}", opponents="ev:0.75")
```

A game takes {figures["turns"]:.1f} turns on average and {figures["longest"]} at most, in which somebody decides;
{100 * figures["busts"]:.1f} % of the expeditions end in a bust: {GAMES:,} games between {seats}.

## Baselines

{GAMES:,} games a row, {among}. In brackets: 95 % intervals.

{markdown_table(head, rows)}

## A record

The game of the film above, as `diamant watch --record` writes it ([how to read it](../api.md#the-text-of-a-record)):

```text
{record.to_text()}```
"""


def who_sat(players: int, edition: Edition) -> str:
    """Return which of the held-out agents sat at the tables of a task; an empty text if all did."""
    sat, left_out = (
        ", ".join(f"`{name}`" for name in names("held_out", players, edition))
        for names in (able_members, members_left_out)
    )
    return f" that need no open chests ({sat}; not {left_out})" if left_out else ""


def short(task: Task) -> str:
    """Return a task's id without the namespace."""
    return task.id.removeprefix("diamant_env/")


def interval(figures: Sequence[float]) -> str:
    """Return a mean with its interval, a share with three digits, gems with one."""
    mean, low, high = (f"{figure:.{3 if figures[0] < 1 else 1}f}" for figure in figures)
    return f"{mean} ({low} to {high})"


def write(folder: Path = ROOT / "docs" / "tasks") -> None:
    """Write all pages and films from the figures."""
    figures = json.loads(MEASURED.read_text(encoding="utf-8"))
    for task in list_tasks():
        record = record_of(*played(task))
        write_whole(folder / f"{short(task)}.md", page(task, figures[short(task)], record))
        film(record, folder / f"{short(task)}.gif")


if __name__ == "__main__":
    lines = [f"{json.dumps(short(task))}: {json.dumps(measure(*played(task)))}" for task in list_tasks()]
    write_whole(MEASURED, "{\n" + ",\n".join(lines) + "\n}\n")
