"""Writes the generated parts of the documents: ``python docs/update.py``; a test asserts that nothing is stale.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `train` is

from document_tables import interval, table
from reference import arguments, reference
from reliability import faults
from searches import MEASURED, response, response_elsewhere, responses, search

from diamant_env import CONTINUE, EDITIONS, LEAVE, NUM_FEATURES, REWARDS, Edition, diamant_v0
from diamant_env.editions import MAX_PLAYERS, RULEBOOK_PLAYERS
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.observation import field_table
from diamant_env.opponents.registry import FAMILIES, describe
from diamant_env.storage.files import write_whole
from diamant_env.tasks import task_table
from train.benchmark import header
from train.benchmarking.algorithms import algorithm_table
from train.benchmarking.page import tables
from train.benchmarking.suite import suite_table
from train.runs.model_card import over_seeds
from train.ship import load_judged

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md"]
PAGES = (
    "rules",
    "performance",
    "environment",
    "api",
    "solved",
    "cluster",
    "exact",
    "benchmark",
    "champion",
    "reliability",
)
DOCUMENTS += [ROOT / "docs" / f"{name}.md" for name in PAGES]
CHAMPION = ROOT / "agents" / "policies" / "champion.json"
HELD_OUT_TARGET = 0.52 / 0.25  # win share at tables of held-out agents, in fair shares
PART = re.compile(r"<!-- generated: (?P<name>[\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def environment() -> str:
    """The environment in PettingZoo's table."""
    env = diamant_v0.parallel_env()
    agents, space, state = env.possible_agents, env.observation_space("player_0"), env.state_space
    rows = [
        ["Import", "`from diamant_env import diamant_v0`"],
        ["Actions", "discrete"],
        ["Parallel API", "yes; `diamant_v0.env()` is the AEC form"],
        ["Manual control", "at the terminal: `python -m agents.play`"],
        ["Agents", f"`{agents}`"],
        ["Number of agents", f"{len(agents)} by default, 1 to {MAX_PLAYERS}"],
        ["Action shape", f"`{env.action_space('player_0')}`"],
        ["Action values", f"{CONTINUE} (`CONTINUE`), {LEAVE} (`LEAVE`)"],
        ["Observation shape", f"`{space.shape}`, {space.dtype}"],
        ["Observation values", f"{space.low.min():g} to {space.high.max():g}; each feature has bounds of its own"],
        ["State shape", f"`{state.shape}`, {state.dtype}"],
        ["State values", f"{state.low.min():g} to {state.high.max():g}"],
        ["Render modes", ", ".join(f"`{mode!r}`" for mode in env.metadata["render_modes"])],
    ]
    return table([f"`{env.metadata['name']}`", ""], rows)


def parameters() -> str:
    """The arguments of `parallel_env`."""
    rows = [[f"`{name}`", f"`{default}`", meaning] for name, default, meaning in arguments(diamant_v0.parallel_env)]
    return table(["argument", "default", "meaning"], rows)


def observation() -> str:
    """The layout of the observation."""
    return f"`Box(float32, ({NUM_FEATURES},))`, the same for every seat, table size and edition.\n\n{field_table()}"


def actions() -> str:
    """The two actions."""
    return table(
        ["action", "name", "meaning"],
        [[CONTINUE, "`CONTINUE`", "stay inside; the only legal action in camp"], [LEAVE, "`LEAVE`", "return to camp"]],
    )


def rewards() -> str:
    """The rewards."""
    return table(["reward", "what a seat is paid"], [[f"`{name}`", text] for name, text in REWARDS.items()])


def editions() -> str:
    """What the editions are made of."""
    fresh = {edition.name: int(numbers_of(edition)["cards"].sum()) for edition in EDITIONS.values()}
    header = ["edition", "cards", "treasures", "traps", "relics", "expeditions", "tie", "chests", "stones", "from"]
    rows = [
        [
            f"`{edition.name}`",
            f"{fresh[edition.name]}{' + 1 before each' if edition.relics_enter == 'expedition' else ''}",
            " ".join(map(str, edition.treasures)),
            f"{edition.trap_copies} each of {', '.join(edition.traps)}",
            relics(edition),
            edition.expeditions,
            {"shared": "shared", "relics": "most relics, then shared"}[edition.tie_break],
            "hidden" if edition.hidden_chests else "open",
            "–" if edition.stones is None else f"{edition.stones[0]}×1 + {edition.stones[1]}×5",
            edition.source,
        ]
        for edition in EDITIONS.values()
    ]
    fewest, most = RULEBOOK_PLAYERS
    return f"{table(header, rows)}\n\n{fewest} to {most} players; 1 and 2 are allowed for research."


def relics(edition: Edition) -> str:
    """How many relics, what they are worth and when they enter."""
    if not edition.relics:
        return "none"
    worth = {"taken": "in the order of leaving", "printed": "as printed"}[edition.relic_values]
    enter = {"start": "all from the start", "expedition": "one per expedition"}[edition.relics_enter]
    return f"{' '.join(map(str, edition.relics))} {worth}; {enter}"


def opponents() -> str:
    """The scripted agents, each with its idea."""
    rows = [[f"`{describe(family)}`", (family.__doc__ or "").split("\n")[0]] for family in FAMILIES.values()]
    return table(["text (default)", "idea"], rows)


def turn() -> str:
    """A rendered turn of a chosen deck."""
    env = diamant_v0.parallel_env(num_players=4, render_mode="ansi")
    env.reset(seed=0, options={"deck": [9, "snake", "relic", 15, 7]})
    for leavers in ([], [1], [], [0, 2]):
        env.step({agent: LEAVE if seat in leavers else CONTINUE for seat, agent in enumerate(env.agents)})
    return f"```text\n{env.render()}\n```"


def measured(command: str) -> str:
    """What a command of benchmarks/ has measured, and on what."""
    results = json.loads((MEASURED / f"{command}.json").read_text(encoding="utf-8"))
    texts = [f"`{results['command']}`, {', '.join(f'{name} {value}' for name, value in results['machine'].items())}."]
    for section in dict.fromkeys(row["section"] for row in results["rows"]):
        rows = [
            [row["what"], row["unit"], number(row["ours"]), row["rival"], number(row["theirs"]), verdict(row)]
            for row in results["rows"]
            if row["section"] == section
        ]
        texts.append(f"**{section}**\n\n{table(['what', 'unit', 'ours', 'beside', 'theirs', 'ratio (target)'], rows)}")
    if "growth" in results:
        texts.append(f"**nanoseconds per turn of a game**\n\n{growth(results['growth'])}")
    return "\n\n".join([*texts, *results["notes"]])


def exact() -> str:
    """The values of one expedition, and how far agents are from them."""
    values, gains = [], []
    for row in json.loads((MEASURED / "exact.json").read_text(encoding="utf-8"))["rows"]:
        if row["agent"] == "equilibrium":
            seconds = f"{row['seconds']:.1f}"
            values.append(
                [f"`{row['edition']}`", row["players"], gems(row["all play it"]), f"{row['nodes']:,}", seconds]
            )
        elif "best response" in row:
            figures = [gems(row[name]) for name in ("all play it", "best response", "exploitability")]
            gains.append([f"`{row['agent']}`", row["players"], *figures])
    return "\n\n".join(
        [
            "The equilibrium of one fresh expedition in score:",
            table(["edition", "players", "gems each", "nodes", "seconds"], values),
            "Scripted agents in one of `iello-2016-fr`:",
            table(["agent", "players", "all play it", "best response", "exploitability"], gains),
        ]
    )


def exact_lone() -> str:
    """The values of a whole game alone."""
    rows = json.loads((MEASURED / "exact.json").read_text(encoding="utf-8"))["rows"]
    alone = [row for row in rows if "busts" in row]
    found = [[f"`{row['edition']}`", gems(row["all play it"]), gems(row["busts"])] for row in alone]
    return table(["edition", "gems", "busts"], found)


def gems(figure: float) -> str:
    """An exact figure to six places."""
    return f"{figure:.6f}"


def targets() -> str:
    """What the champion was to reach at each table size, and what it does."""
    results = json.loads(CHAMPION.read_text(encoding="utf-8"))["results"]
    rows = []
    for players in range(RULEBOOK_PLAYERS[0], RULEBOOK_PLAYERS[1] + 1):
        here = [row for row in results if row["edition"] == "iello-2016" and row["players"] == players]
        held_out = next(row for row in here if row["line_up"] == "held_out")
        intruder = max((row for row in here if row["how"] == "intruder"), key=lambda row: row["win_share"]["mean"])
        fair = held_out["fair"]
        aim = f"{HELD_OUT_TARGET * fair:.3f}"
        found = [interval(held_out["win_share"]), f"`{intruder['measured']}`", interval(intruder["win_share"])]
        rows.append([players, f"{fair:.3f}", aim, *found])
    header = ["players", "fair share", "aimed at, held-out", "found", "strongest intruder", "its win share"]
    return table(header, rows)


def champion() -> str:
    """The champion at tables of each size, over its seeds."""
    run, judged, others = load_judged(CHAMPION)
    return over_seeds(run["config"]["game"]["edition"], [judged, *others])


def benchmark() -> str:
    """What has been played of the benchmark."""
    content = json.loads((MEASURED / "benchmark.json").read_text(encoding="utf-8"))
    return "\n\n".join([header(content, content["cells"]), tables(content["cells"]).replace("\n## ", "\n### ")])


def number(figure: float | None) -> str:
    """Three significant digits."""
    if figure is None:
        return ""
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"


def verdict(row: dict) -> str:
    """The ratio and what was wanted."""
    if row["target"] is None:
        return number(row["ratio"])
    sign = "≤" if row["lower_is_better"] else "≥"
    met = row["ratio"] <= row["target"] if row["lower_is_better"] else row["ratio"] >= row["target"]
    return f"{number(row['ratio'])} ({sign} {number(row['target'])}: {'met' if met else 'missed'})"


def growth(measurement: dict) -> str:
    """Players against batch."""
    columns = measurement["nanoseconds"]  # one for each batch, with 1 to 8 players
    rows = [[players, *map(number, line)] for players, line in enumerate(zip(*columns, strict=True), start=1)]
    return table(["players", *(f"batch {batch:,}" for batch in measurement["batches"])], rows)


PARTS: dict[str, Callable[[], str]] = {
    part.__name__: part
    for part in (environment, parameters, observation, actions, rewards, editions, opponents, turn, reference)
}
PARTS |= {"tasks": task_table, "suite": suite_table, "algorithms": algorithm_table}
PARTS |= {"faults": faults}
PARTS |= {"exact": exact, "exact-lone": exact_lone}
PARTS |= {
    "benchmark": benchmark,
    "champion": champion,
    "champion-targets": targets,
    "champion-response": response,
    "champion-response-elsewhere": response_elsewhere,
    "responses": responses,
    "search": search,
}
PARTS |= {f"measured-{name}": partial(measured, name) for name in ("throughput", "peers", "learning", "cluster")}


def updated(text: str) -> str:
    """Return a document with all its generated parts written anew."""
    return PART.sub(lambda m: f"<!-- generated: {m['name']} -->\n{PARTS[m['name']]()}\n<!-- end -->", text)


if __name__ == "__main__":
    for document in DOCUMENTS:
        write_whole(document, updated(document.read_text(encoding="utf-8")))
