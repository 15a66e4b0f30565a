"""Generated parts: what was searched for against agents, and what looking ahead finds."""

from __future__ import annotations

import json
from pathlib import Path

from document_tables import interval, table

MEASURED = Path(__file__).with_name("measured")  # results.json of the commands
OTHER_SIZES = (3, 5, 6, 7, 8)


def response() -> str:
    """What was found against copies of the champion."""
    results = json.loads((MEASURED / "response.json").read_text(encoding="utf-8"))
    config, found = results["config"], results["found"]
    best = max(found["members"], key=lambda row: row["gain"]["mean"])
    rows = [[f"`{row['player']}`", f"{row['payoff']:.3f}", interval(row["gain"])] for row in [*found["searched"], best]]
    text = (
        f"{config['ppo']['decisions']:,} decisions a run, {found['games']:,} fresh games each, commit "
        f"`{results['versions']['commit']}`. At least {interval(found['can_be_gained'])} can be gained, by "
        f"`{found['can_be_gained_by']}`; that interval holds for all candidates together. The last row is the best of "
        f"{len(found['members'])} scripted agents."
    )
    return f"{table(['who', 'win share', 'more than fair'], rows)}\n\n{text}"


def response_elsewhere() -> str:
    """The same at tables of other sizes, with one seed."""
    rows = []
    for players in OTHER_SIZES:
        results = json.loads((MEASURED / f"response-{players}.json").read_text(encoding="utf-8"))
        gains = {row["player"]: interval(row["gain"]) for row in results["found"]["searched"]}
        share = results["found"]["can_be_gained"]["mean"] * players
        rows.append([players, f"{1 / players:.3f}", *gains.values(), f"{share:.0%}"])
    return table(["players", "fair share", *gains, "of the fair share"], rows)


def responses() -> str:
    """What the search finds against each scripted agent, beside the best of the pools."""
    results = json.loads((MEASURED / "responses.json").read_text(encoding="utf-8"))
    more = "{mean:+.4f} ({low:+.4f} to {high:+.4f})"
    rows = []
    for row in results["agents"]:
        gain, member = row["members"]
        figures = [f"{row['search']:.3f}", f"`{member}`", f"{gain:.3f}", more.format(**row["more"])]
        rows.append([f"`{row['agent']}`", *figures])
    weak = [row["agent"] for row in results["agents"] if row["weak"]]
    text = (
        f"`{results['command']}`: {results['decisions']:,} decisions each, {results['games']:,} games, four seats, "
        f"commit `{results['versions']['commit']}`. Weak against: {', '.join(weak) or 'none'}."
    )
    head = ["against three of", "the search gains", "best of the pools", "it gains", "difference"]
    return f"{text}\n\n{table(head, rows)}"


def search() -> str:
    """What looking ahead brings against the agent that it looks ahead with."""
    found = json.loads((MEASURED / "search.json").read_text(encoding="utf-8"))
    rows = [
        [f"`{row['agent']}`", row["against"], f"{row['games']:,}", f"{row['fair']:.3f}", interval(row["win_share"])]
        for row in found["results"]
    ]
    return table(["who", "against", "games", "fair share", "win share (95 %)"], rows)
