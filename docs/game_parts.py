"""Generated parts that describe the game and the package, taken from the code itself."""

from __future__ import annotations

from diamant_env import EDITIONS, NUM_FEATURES, REWARDS, Edition, list_tasks
from diamant_env.editions import RULEBOOK_PLAYERS
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.observation import FIELDS, SLICES
from diamant_env.opponents.registry import FAMILIES, describe
from train.benchmarking.algorithms import algorithm_table
from train.benchmarking.suite import TASKS
from train.runs.markdown import markdown_table


def observation() -> str:
    """Return the table of the observation's layout."""
    rows = []
    for field in FIELDS:
        where = SLICES[field.name]
        index = str(where.start) if field.size == 1 else f"{where.start}–{where.stop - 1}"
        if where.step:
            index = f"{where.start}, {where.start + where.step}, … {where.start + where.step * (field.size - 1)}"
        rows.append([index, f"`{field.name}`", field.scale, f"{field.low} … {field.high}", field.meaning])
    table = markdown_table(["index", "field", "divided by", "range", "meaning"], rows)
    return f"`Box(float32, ({NUM_FEATURES},))`, the same for every seat, table size and edition.\n\n{table}"


def rewards() -> str:
    """Return the table of rewards."""
    return markdown_table(["reward", "paid to each seat"], [[f"`{name}`", text] for name, text in REWARDS.items()])


def editions() -> str:
    """Return the table of editions."""
    header = ["edition", "cards", "treasures", "traps", "relics", "expeditions", "tie", "chests", "from"]
    rows = [
        [
            f"`{edition.name}`",
            f"{numbers_of(edition)['cards'].sum()}{' + 1 before each' if edition.relics_enter == 'expedition' else ''}",
            " ".join(map(str, edition.treasures)),
            f"{edition.trap_copies} each of {', '.join(edition.traps)}",
            _relics(edition),
            edition.expeditions,
            {"shared": "shared", "relics": "most relics, then shared"}[edition.tie_break],
            "hidden" if edition.hidden_chests else "open",
            edition.source,
        ]
        for edition in EDITIONS.values()
    ]
    fewest, most = RULEBOOK_PLAYERS
    return f"{markdown_table(header, rows)}\n\n{fewest} to {most} players; 1 and 2 are allowed for research."


def _relics(edition: Edition) -> str:
    """Return number, values and entry of an edition's relics."""
    if not edition.relics:
        return "none"
    orders = {"taken": "in the order of leaving", "taken or lost": "in the order of leaving, lost ones counted"}
    worth = (orders | {"printed": "as printed"})[edition.relic_values]
    enter = {"start": "all from the start", "expedition": "one per expedition"}[edition.relics_enter]
    return f"{' '.join(map(str, edition.relics))} {worth}; {enter}"


def opponents() -> str:
    """Return the table of scripted agents."""
    rows = [[f"`{describe(family)}`", (family.__doc__ or "").split("\n")[0]] for family in FAMILIES.values()]
    return markdown_table(["text (default)", "idea"], rows)


def tasks() -> str:
    """Return the table of registered tasks."""
    return markdown_table(["id", "game"], [[f"`{task.id}`", task.meaning] for task in list_tasks()])


def suite() -> str:
    """Return the table of the benchmark's tasks."""
    rows = [[f"`{task.name}`", task.meaning, task.reason, str(task.seeds)] for task in TASKS.values()]
    return markdown_table(["task", "game", "why", "seeds"], rows)


PARTS = {part.__name__: part for part in (observation, rewards, editions, opponents, tasks, suite)} | {
    "algorithms": algorithm_table
}
