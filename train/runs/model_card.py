"""The model card of a trained policy: what it was trained on and how it fares, as Markdown from one JSON file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tomli_w

from diamant_env.drawing.render import counted
from diamant_env.judging.evaluation import Result
from diamant_env.judging.intervals import holm
from diamant_env.opponents.pools import POOLS
from diamant_env.storage.markdown import markdown_table
from train.runs.tables import estimate_text, verdict

Judged = tuple[str, Result]  # an edition, and a result in it


def card_text(run: dict[str, Any], judged: Sequence[Judged], others: Sequence[Sequence[Judged]] = ()) -> str:
    """Return the model card.

    Args:
        run: What `train.ship` writes about the run: config, commit, command, decisions, seconds, threads, platform.
        judged: The results at tables of distinct opponents and those of intruders.
        others: The same of runs with other seeds.
    """
    config = run["config"]  # as it was saved: a key that is new since then is not part of this run
    name, seed, seats = config["name"], config["seed"], config["judge"]["num_players"]
    edition = config["game"]["edition"]
    tables = [item for item in judged if item[1].how == "distinct"]
    intruders = [result for _, result in judged if result.how == "intruder"]
    sizes = [item for item in tables if item[0] == edition]
    at_seats = [item for item in tables if item[1].players == seats]
    parts = [
        f"# {name}",
        f'`make("{name}")`. Written by `python -m train.ship` from the run with seed '
        f"{seed}; another seed gives other figures.",
        "## Training",
        f"`{run['command']}`: seed {seed}, commit `{run['commit']}`, {run['decisions']:,} decisions in "
        f"{run['seconds']:,.0f} s with {counted(run['threads'], 'thread')} ({run['platform']}).",
        *(_joined(run["parts"]) if "parts" in run else [_toml(config)]),
        "## Win share at tables of distinct opponents",
        f"Games: {_games(result for _, result in tables)} a row, none of them played in training; 95 % intervals. "
        f"`{edition}`, by players:",
        markdown_table(["players", "fair share", *POOLS], _rows_by(lambda item: str(item[1].players), sizes)),
        f"By edition, at {seats} seats:",
        markdown_table(["edition", "fair share", *POOLS], _rows_by(lambda item: f"`{item[0]}`", at_seats)),
        "An edition that hides chests is judged without the opponents that look at them.",
        "## An intruder among copies",
        f"Each member of both pools alone among copies of the policy, `{edition}`, {_games(intruders)} "
        f"games each. Above: at 5 % with Holm's correction for all {len(intruders)} rows. Low is good for the policy.",
        markdown_table(
            ["players", "fair share", "strongest intruder", "its win share", "above the fair share"],
            _intruder_rows(intruders),
        ),
    ]
    if others:
        parts += [f"## Over {1 + len(others)} seeds", over_seeds(edition, [judged, *others])]
    return "\n\n".join(parts) + "\n"


def _joined(parts: Sequence[dict[str, Any]]) -> list[str]:
    """Return the runs that a policy was joined from, and their configurations: equal ones once."""
    rows: list[list[str]] = []
    alike: dict[str, list[dict[str, Any]]] = {}
    for number, part in enumerate(parts):
        config, game = part["config"], part["config"]["game"]
        tables = f"{game['num_players'][0]} players" if number else "all others"
        numbers = [f"{part['decisions']:,}", f"{part['seconds']:,.0f}"]
        rows.append([tables, f"`{config['name']}`", f"`{part['commit']}`", *numbers])
        same = json.dumps({**config, "name": None, "game": {**game, "num_players": None}})
        alike.setdefault(same, []).append(config)
    texts = ["A network for each of these tables, joined by `python -m train.join`:"]
    texts += [markdown_table(["tables", "run", "commit", "decisions", "seconds"], rows)]
    for configs in alike.values():
        names = ", ".join(f"`{config['name']}`" for config in configs)
        only = "; they differ in name and table size alone" if len(configs) > 1 else ""
        texts += [f"{names}{only}:", _toml(configs[0])]
    return texts


def _toml(config: dict[str, Any]) -> str:
    return f"```toml\n{tomli_w.dumps(config).strip()}\n```"


def over_seeds(edition: str, runs: Sequence[Sequence[Judged]]) -> str:
    """Return the mean over runs with different seeds, in brackets the lowest and the highest, by players."""
    columns = ["win share at tables of the pool", "of the held-out pool", "strongest intruder among copies"]
    rows = []
    for players in sorted({result.players for _, result in runs[0]}):
        here = [[result for name, result in run if (name, result.players) == (edition, players)] for run in runs]
        if all({*POOLS} <= {result.line_up for result in results} for results in here):
            shares = zip(*map(_shares, here), strict=True)
            spreads = [f"{sum(each) / len(each):.3f} ({min(each):.3f} to {max(each):.3f})" for each in shares]
            rows.append([players, f"{1 / players:.3f}", *spreads])
    table = markdown_table(["players", "fair share", *columns], rows)
    return f"Mean over the seeds, in brackets the lowest and the highest; `{edition}`:\n\n{table}"


def _shares(results: Sequence[Result]) -> list[float]:
    """Return the win shares against each pool, and the highest of an intruder."""
    tables = [result.win_share.mean for pool in POOLS for result in results if result.line_up == pool]
    return [*tables, max(result.win_share.mean for result in results if result.how == "intruder")]


def _rows_by(label: Callable[[Judged], str], judged: Sequence[Judged]) -> list[list[str]]:
    """Return one row per label with the win shares against each pool."""
    rows: dict[str, list[str]] = {}
    for pool in POOLS:
        for item in judged:
            if item[1].line_up == pool:
                row = rows.setdefault(label(item), [label(item), f"{item[1].fair:.3f}"])
                row.append(estimate_text(item[1].win_share, 3))
    return list(rows.values())


def _intruder_rows(intruders: Sequence[Result]) -> list[list[str]]:
    """Return for each table size its strongest intruder and who is above the fair share."""
    corrected = holm([result.p_value for result in intruders])
    above = {
        id(result) for result, p_value in zip(intruders, corrected, strict=True) if verdict(result, p_value) == "above"
    }
    rows = []
    for players in sorted({result.players for result in intruders}):
        here = [result for result in intruders if result.players == players]
        best = max(here, key=lambda result: result.win_share.mean)
        names = ", ".join(f"`{result.measured}`" for result in here if id(result) in above) or "nobody"
        rows.append([str(players), f"{best.fair:.3f}", f"`{best.measured}`", estimate_text(best.win_share, 3), names])
    return rows


def _games(results: Iterable[Result]) -> str:
    return " or ".join(f"{games:,}" for games in sorted({result.games for result in results}))
