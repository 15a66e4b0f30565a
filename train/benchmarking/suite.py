"""The tasks of the benchmark, as data: what is played and for what."""

from __future__ import annotations

from typing import NamedTuple

from diamant_env.editions import RULEBOOK_PLAYERS
from train.runs.config import GameConfig

FULL, SOLVED = "iello-2016", "iello-2016-fr"  # the 2016 game; the same without relics, which is solved
SOLVED_PLAYERS = (2, 5)


class Task(NamedTuple):
    """One task of the suite.

    Attributes:
        name: What the command calls it.
        family: Tasks of a family are aggregated together: ``"solitaire"``, ``"expedition"`` or a reward.
        meaning: What it is, in a few words.
        game: What is played, with one table size.
    """

    name: str
    family: str
    meaning: str
    game: GameConfig

    @property
    def players(self) -> int:
        """How many sit at the table."""
        return self.game.num_players[0]


def _tasks() -> list[Task]:
    alone = GameConfig(edition=FULL, num_players=(1,), reward="score")
    tasks = [Task("solitaire", "solitaire", "one player, the 2016 game, for score", alone)]
    for players in range(SOLVED_PLAYERS[0], SOLVED_PLAYERS[1] + 1):
        game = GameConfig(edition=SOLVED, num_players=(players,), reward="score", expeditions=1, blank=True)
        meaning = f"{players} players, one expedition without relics, for score, blank observations"
        tasks.append(Task(f"expedition-{players}", "expedition", meaning, game))
    for players in range(RULEBOOK_PLAYERS[0], RULEBOOK_PLAYERS[1] + 1):
        for reward in ("win", "score", "margin"):
            game = GameConfig(edition=FULL, num_players=(players,), reward=reward)
            tasks.append(
                Task(f"full-{players}-{reward}", reward, f"{players} players, the 2016 game, for {reward}", game)
            )
    return tasks


TASKS = {task.name: task for task in _tasks()}
"""The tasks by name."""


def find_tasks(names: tuple[str, ...]) -> list[Task]:
    """Return the tasks of these names or families, all tasks for none; ValueError if there is none such."""
    families = {task.family for task in TASKS.values()}
    unknown = [name for name in names if name not in TASKS and name not in families]
    if unknown:
        raise ValueError(
            f"unknown task {unknown[0]!r}; tasks: {', '.join(TASKS)}; families: {', '.join(sorted(families))}"
        )
    return [task for task in TASKS.values() if not names or task.name in names or task.family in names]
