"""Every kind of stored file, with its loader."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from diamant_env import NUM_FEATURES, Edition
from diamant_env.exact import equilibrium
from diamant_env.exact.moves import start_of_expedition
from diamant_env.exact.tree import build_tree
from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from diamant_env.records.log import GameRecord
from tests.support.record import record_of
from train import ppo
from train.runs.arguments import read_config
from train.runs.run_folder import CHECKPOINT, CONFIG, POLICY, load_checkpoint

TINY = """
threads = 1
checkpoints = 8
[ppo]
decisions = 4000
games = 12
turns = 16
minibatch = 128
average = 0.5
explore = 0.4
[opponents]
learner = 0.6
snapshots = 0.2
rules = 0.2
snapshot_every = 1000
snapshot_places = 2
[network]
hidden = [8]
[judge]
curve_points = 0
"""
"""Run of half a second with every kind of state in its checkpoint."""
SMALL = Edition("small", treasures=(5, 7, 11), traps=("snake", "fire"), trap_copies=2, expeditions=2)


@dataclass(frozen=True)
class Stored:
    """Kind of stored file.

    Attributes:
        path: A valid file; the files that it needs are beside it.
        load: Returns the content as text, "" for a cache miss.
        may_differ: Whether damage can yield other valid content: text without a digest.
    """

    path: Path
    load: Callable[[], str]
    may_differ: bool = False


def trained(out: Path) -> Path:
    """Train the tiny run; return its folder."""
    out.mkdir()
    config = out.with_name(f"{out.name}.toml")
    config.write_text(TINY)
    assert ppo.main(["--config", str(config), "--out", str(out), "--no-judge"]) == 0
    (folder,) = out.iterdir()
    return folder


def stored(place: Path) -> dict[str, Stored]:
    """Write one file of each kind."""
    run, game = trained(place / "runs"), place / "game.txt"
    config = read_config(run / CONFIG)
    record_of([make("random:0.3") for _ in range(3)], seed=5).write(game)
    tree = build_tree(start_of_expedition(SMALL, 2), SMALL)
    values, size = equilibrium._file_of(tree.start, tree.edition, equilibrium.EQUILIBRIUM), 1 + tree.boxes.size
    equilibrium.save_numbers(values, np.full(size, 1.5))
    assert values is not None

    def policy() -> str:
        agent = NetworkAgent.load(run / POLICY)
        leave = agent.leave_probability(np.ones((3, NUM_FEATURES), np.float32))
        assert ((leave >= 0) & (leave <= 1)).all(), f"it leaves with probability {leave}"
        return fingerprint(agent.layers)

    def solution() -> str:
        found = equilibrium.load_numbers(values, size)
        return "" if found is None else fingerprint(found)

    return {
        "checkpoint": Stored(run / CHECKPOINT, lambda: fingerprint(load_checkpoint(run, config))),
        "policy": Stored(run / POLICY, policy),
        "record": Stored(game, lambda: fingerprint(GameRecord.read(game).to_text()), may_differ=True),
        "configuration": Stored(run / CONFIG, lambda: repr(read_config(run / CONFIG)), may_differ=True),
        "solution": Stored(values, solution),
    }


def fingerprint(content: Any) -> str:
    """Return a digest of a value, independent of its container."""

    def plain(value: Any) -> object:
        return value.hex() if isinstance(value, bytes) else (str(value.dtype), value.tolist())

    return hashlib.sha256(json.dumps(content, sort_keys=True, default=plain).encode()).hexdigest()
