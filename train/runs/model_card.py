"""Model card of a trained policy: training and evaluation, as JSON and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from diamant_env.drawing.narration import counted
from diamant_env.judging.evaluation import Result
from diamant_env.judging.intervals import Estimate, holm
from diamant_env.judging.text_reports import estimate_text, significance
from diamant_env.opponents.pools import POOLS
from train.runs.config import Config
from train.runs.markdown import markdown_table
from train.runs.run_folder import TIME, read_json

Judged = tuple[str, Result]  # an edition, and a result in it
Record = dict[str, Any]
OF_RESPONSE = ("players", "agent", "can_be_gained_by", "can_be_gained")
_HEAD = """\
---
license: mit
library_name: diamant-env
pipeline_tag: reinforcement-learning
tags:
- reinforcement-learning
- multi-agent
- self-play
- pettingzoo
- diamant
model-index:
- name: {name}
  results:
{results}
---"""
_RESULT = """\
  - task:
      type: reinforcement-learning
    dataset:
      type: diamant
      name: Diamant, {edition}, {players} players, {pool}
    metrics:
    - type: win_share
      name: win share among the agents of {pool}
      value: {share}"""
_HEADER = ["players", "fair share", *POOLS, "intruder", "deviation gain"]


def about_run(folder: Path, config: Config) -> Record:
    """Return the training data of a model card; raise a FileNotFoundError or ValueError if the run is unfinished."""
    time, found = (read_json(folder / name) for name in (TIME, "versions.json"))
    judge = config.judge.model_copy(update={"num_players": config.judged_players})
    config = config.model_copy(update={"judge": judge})
    try:
        about = {"config": config.model_dump(mode="json", exclude_none=True), "commit": found.get("commit", "unknown")}
        about |= {"platform": found["platform"]}
        about |= {key: time[key] for key in ("decisions", "seconds", "threads")}
        return about | ({"device": time["device"]} if "device" in time else {})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"time.json or versions.json in {folder} is damaged: {error!r}") from None


def record_of(
    run: Record,
    judged: Sequence[Judged],
    others: Sequence[tuple[int, Sequence[Judged], Sequence[Record]]] = (),
    responses: Sequence[Record] = (),
    about: str = "",
) -> Record:
    """Return the figures of a model card as JSON values.

    Args:
        run: Config, commit, command, decisions, seconds, threads, platform and, from JAX, device.
        judged: Results at tables of distinct opponents and of intruders.
        others: Seed, results and responses of runs with other seeds.
        responses: JSON results of `train.best_response` against copies of the policy.
        about: Intended use and limits of the policy.
    """
    edition, seed = run["config"]["game"]["edition"], run["config"]["seed"]
    tables = [(name, result) for name, result in judged if result.how == "distinct"]
    intruders = [result for _, result in judged if result.how == "intruder"]
    merged: dict[tuple[str, int], Record] = {}
    for name, result in tables:
        row = merged.setdefault((name, result.players), {"edition": name, "players": result.players})
        row[result.line_up] = result.win_share
    return {
        "about": about,
        **run,
        "games": sorted({result.games for _, result in tables}),
        "intruder_games": sorted({result.games for result in intruders}),
        "intruders": len(intruders),
        "tables": list(merged.values()),
        "strongest_intruders": _strongest(intruders),
        "responses": [_response(found, run["config"]["name"]) for found in responses],
        "seeds": [
            row
            for number, results, found in [(seed, judged, responses), *others]
            for row in _by_players(number, edition, results, found)
        ],
    }


def card_text(record: Record) -> str:
    """Return the model card of a record of `record_of`, read from JSON, as Markdown with the head of a Hub's card."""
    config = record["config"]
    name, edition = config["name"], config["game"]["edition"]
    number = len({row["seed"] for row in record["seeds"]})
    by = f" by `{record['command']}`" if record["command"] else ""
    parts = [
        _head(record),
        f"# {name}",
        f'`make("{name}")`. {record["about"]}'.rstrip(),
        f"Trained{by}: seed {config['seed']}, commit `{record['commit']}`, "
        f"{record['decisions']:,} decisions in {record['seconds']:,.0f} s "
        f"{'on ' + record['device'] if 'device' in record else 'with ' + counted(record['threads'], 'thread')} "
        f"({record['platform']}).",
        by_players(record),
        f"`{edition}`, 95 % intervals. {' and '.join(f'*{pool}*' for pool in POOLS)}: win share at tables of distinct "
        f"agents of that pool, {_games(record['games'])} games each. *Intruder*: the agent of both pools with the "
        f"highest win share among copies of the policy, {_games(record['intruder_games'])} games each; agents "
        f"significantly above the fair share (5 %, Holm's correction): {_above(record)}. *Deviation gain*: lower bound "
        "on the gain of a best response to copies (`python -m train.best_response`); PPO has its seed, *warm* if it "
        "started from the policy.",
        *([f"## Over {number} seeds", card_over_seeds(record)] if number > 1 else []),
        f"[{name}.json]({name}.json) has all figures, including other editions, and the configuration.",
    ]
    return "\n\n".join(parts) + "\n"


def _head(record: Record) -> str:
    """Return the YAML head of a card: metadata of the Hugging Face Hub, with the win shares at the run's own table."""
    config = record["config"]
    edition, seats = config["game"]["edition"], config["judge"]["num_players"]
    (row,) = (row for row in record["tables"] if (row["edition"], row["players"]) == (edition, seats))
    results = [
        _RESULT.format(pool=pool, edition=edition, players=seats, share=f"{row[pool]['mean']:.3f}")
        for pool in POOLS
        if pool in row
    ]
    return _HEAD.format(name=config["name"], results="\n".join(results))


def by_players(record: Record) -> str:
    """Return the table of a card: win shares and deviation gains by table size."""
    edition = record["config"]["game"]["edition"]
    intruders = {row["players"]: row for row in record["strongest_intruders"]}
    responses = {row["players"]: row for row in record["responses"]}
    rows = []
    for row in (row for row in record["tables"] if row["edition"] == edition):
        players = row["players"]
        intruder, response = intruders[players], responses.get(players)
        rows.append(
            [
                *(str(players), _fair(players)),
                *(_text(row[pool]) if pool in row else "" for pool in POOLS),
                f"`{intruder['agent']}`: {_text(intruder['win_share'])}",
                f"{response['can_be_gained_by']}: {_text(response['can_be_gained'])}" if response else "not measured",
            ]
        )
    return markdown_table(_HEADER, rows)


def _above(record: Record) -> str:
    """Return the number of intruders above the fair share, by table size."""
    above = {row["players"]: len(row["above"]) for row in record["strongest_intruders"] if row["above"]}
    return ", ".join(f"{number} at {players} players" for players, number in above.items()) or "none"


def card_over_seeds(record: Record) -> str:
    """Return the table of means over seeds with minimum and maximum, by players."""
    rows = []
    for players in sorted({row["players"] for row in record["seeds"]}):
        here = [row for row in record["seeds"] if row["players"] == players]
        figures = [[row.get(name) for row in here] for name in (*POOLS, "intruder", "gained")]
        spreads = [_spread(shares) if None not in shares else "not measured" for shares in figures]
        rows.append([str(players), _fair(players), *spreads])
    edition = record["config"]["game"]["edition"]
    table = markdown_table(_HEADER, rows)
    return f"Mean over training seeds, lowest and highest in brackets; `{edition}`:\n\n{table}"


def _spread(shares: Sequence[float]) -> str:
    return f"{sum(shares) / len(shares):.3f} ({min(shares):.3f} to {max(shares):.3f})"


def _by_players(seed: int, edition: str, judged: Sequence[Judged], responses: Sequence[Record]) -> list[Record]:
    """Return the win shares against each pool, the strongest intruder's and the largest gain, if known."""
    rows, gains = [], {found["players"]: found["can_be_gained"]["mean"] for found in responses}
    for players in sorted({result.players for _, result in judged}):
        here = [result for name, result in judged if (name, result.players) == (edition, players)]
        shares = {result.line_up: result.win_share.mean for result in here if result.how == "distinct"}
        intruders = [result.win_share.mean for result in here if result.how == "intruder"]
        if set(POOLS) <= shares.keys() and intruders:
            gained = {"gained": gains[players]} if players in gains else {}
            rows.append({"seed": seed, "players": players, **shares, "intruder": max(intruders), **gained})
    return rows


def _strongest(intruders: Sequence[Result]) -> list[Record]:
    """Return the strongest intruder of each table size and the intruders above the fair share."""
    corrected = holm([result.p_value for result in intruders])
    above = [result for result, p in zip(intruders, corrected, strict=True) if significance(result, p) == "above"]
    rows = []
    for players in sorted({result.players for result in intruders}):
        best = max((each for each in intruders if each.players == players), key=lambda each: each.win_share.mean)
        names = [result.measured for result in above if result.players == players]
        rows.append({"players": players, "agent": best.measured, "win_share": best.win_share, "above": names})
    return rows


def _response(found: Record, name: str) -> Record:
    """Return the gain and the responder, with the agent's name instead of its run folder."""
    players, agent, by, gained = (found[key] for key in OF_RESPONSE)
    return {"players": players, "can_be_gained_by": by.replace(agent, name), "can_be_gained": gained}


def _text(share: dict[str, float]) -> str:
    return estimate_text(Estimate(**share), 3)


def _fair(players: int) -> str:
    return f"{1 / players:.3f}"


def _games(numbers: Iterable[int]) -> str:
    return " or ".join(f"{games:,}" for games in numbers)
