"""Figures of the registered tasks, docs/measured/tasks.json: ``python docs/task_figures.py``."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # where the package is, in a checkout

from diamant_env import Batch, Edition, list_tasks  # noqa: E402
from diamant_env.editions import NO_CARD, find_edition  # noqa: E402
from diamant_env.judging import Estimate, evaluate  # noqa: E402
from diamant_env.judging.intervals import mean_of_tables  # noqa: E402
from diamant_env.opponents import Table, make  # noqa: E402
from diamant_env.storage.files import write_whole  # noqa: E402
from diamant_env.tasks import Task  # noqa: E402

MEASURED = ROOT / "docs" / "measured" / "tasks.json"
GAMES = 20_000
AGENTS = ("champion", "ev:0.75", "bag:18", "random:0.2")
# Agents of the games in which turns and busts are counted; a game of n players has the first n.
SEATS = ("ev:0.75", "champion", "bag:18", "cards:7", "follow:2,8", "solo-grab:7,13", "traps:3", "oppose:11,2")


def played(task: Task) -> tuple[int, Edition]:
    """Return the number of players of a task, and its edition with the task's number of expeditions."""
    edition = find_edition(task.settings.get("edition", "iello-2016"))
    number = task.settings.get("expeditions", edition.expeditions)
    if number != edition.expeditions:
        edition = dataclasses.replace(edition, name="one expedition", expeditions=number)
    return task.settings.get("num_players", 4), edition


def measure(players: int, edition: Edition, games: int = GAMES) -> dict[str, Any]:
    """Return the figures of a task: means over games, and of each agent a mean with its 95 % interval."""
    _, turns, busts = _play(SEATS[:players], edition, games)
    found = {
        "turns": round(float(turns.mean()), 2),
        "longest": int(turns.max()),
        "busts": round(float(busts.mean()) / edition.expeditions, 4),
    }
    if players == 1:
        scores = {agent: _play((agent,), edition, games)[0].public_states["chest"][:, 0] for agent in AGENTS}
        means = {agent: mean_of_tables(score, np.ones_like(score)) for agent, score in scores.items()}
        return found | {"agents": {agent: {"score": _rounded(mean)} for agent, mean in means.items()}}
    judged = evaluate(AGENTS[0], "held-out", games, compare_with=AGENTS[1:], players=players, edition=edition)
    rows = {row.agent: {"win": _rounded(row.win_share), "score": _rounded(row.score)} for row in judged.results}
    return found | {"agents": rows}


def _play(agents: Sequence[str], edition: Edition, games: int) -> tuple[Batch, NDArray, NDArray]:
    """Return a batch at the end of its games, and their numbers of decision turns and of busts (games,)."""
    batch, (turns, busts) = Batch(games, len(agents), edition), np.zeros((2, games))
    table = Table(batch, [make(agent) for agent in agents], np.tile(np.arange(len(agents)), (games, 1)))
    batch.reset(0)
    for turn in table.turns():
        playing = turn.observations[:, :, 0].any(axis=1)
        turns += playing
        busts += playing & (batch.public_states["bust_card"] != NO_CARD)
    return batch, turns, busts


def _rounded(estimate: Estimate) -> list[float]:
    return [round(float(figure), 4) for figure in (estimate.mean, estimate.low, estimate.high)]


if __name__ == "__main__":
    lines = [
        f"{json.dumps(task.id.removeprefix('diamant_env/'))}: {json.dumps(measure(*played(task)))}"
        for task in list_tasks()
    ]
    write_whole(MEASURED, "{\n" + ",\n".join(lines) + "\n}\n")
