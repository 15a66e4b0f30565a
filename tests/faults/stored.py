"""Everything that the package and the training keep in files: how it is saved and opened."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from diamant_env import NUM_FEATURES, Edition, Observations
from diamant_env.exact.equilibrium import EQUILIBRIUM, load_values, save_values
from diamant_env.exact.moves import start_of_expedition
from diamant_env.exact.tree import build_tree
from diamant_env.opponents import make
from diamant_env.opponents.network import NetworkAgent
from diamant_env.records.log import GameRecord
from diamant_env.storage.results import save_json
from tests.support.record import record_of
from train.runs.config import Config, read_config
from train.runs.run_folder import CHECKPOINT, CONFIG, POLICY, load_checkpoint, save_checkpoint, save_policy


@dataclass(frozen=True)
class Stored:
    """A kind of file."""

    path: Path  # its folder holds what it needs
    save: Callable[[int], object]  # writes the first (0) or second (1) content
    load: Callable[[], str]  # opens it and returns its content as a text; "" where a lost file is no loss
    may_differ: bool = False  # whether damage may give another content that is as good: a text


def stored(folder: Path, states: tuple[Mapping, Mapping]) -> dict[str, Stored]:
    """Write one file of each kind, with its first content; `states` are two that a run saves."""
    config, toml = Config(), Path("configs/default.toml").read_text(encoding="utf-8")
    weights = [np.full((2, NUM_FEATURES), value, np.float32) for value in (0.25, 1)]
    networks = [NetworkAgent([(weight, np.zeros(2, np.float32))]) for weight in weights]
    records = [record_of([make("random:0.3") for _ in range(3)], seed=seed) for seed in (5, 2)]
    tree = build_tree(start_of_expedition(an_edition(), 2), an_edition())
    run, results, game, settings = folder / POLICY, folder / "results.json", folder / "game.txt", folder / CONFIG
    folder.mkdir(parents=True, exist_ok=True)

    def policy() -> str:
        agent = NetworkAgent.load(run)
        leave = agent.leave_probability(np.ones((3, NUM_FEATURES), np.float32))
        assert ((leave >= 0) & (leave <= 1)).all(), f"it leaves with probability {leave}"
        assert agent.act(Observations(np.ones((3, NUM_FEATURES), np.float32)), np.ones(3, bool)).shape == (3,)
        return fingerprint(agent.layers)

    def keep(which: int) -> None:
        os.environ["DIAMANT_CACHE_DIR"] = str(folder / "exact")
        save_values(tree, EQUILIBRIUM, np.full(tree.boxes.size, 1.5 + which), 0.0)

    def kept() -> str:
        os.environ["DIAMANT_CACHE_DIR"] = str(folder / "exact")
        found = load_values(tree, EQUILIBRIUM)
        return "" if found is None else fingerprint(found)

    keep(0)
    (values,) = [path for path in (folder / "exact").rglob("*") if path.is_file()]
    kinds = {
        "checkpoint": Stored(
            folder / CHECKPOINT,
            lambda which: save_checkpoint(folder, config, states[which]),
            lambda: fingerprint(load_checkpoint(folder, config)),
        ),
        "policy": Stored(run, lambda which: save_policy(run, networks[which], config, which), policy),
        "results": Stored(
            results,
            lambda which: save_json({"rows": list(range(4_000 * (1 + which)))}, results),
            lambda: fingerprint(results.read_text()),
        ),
        "record": Stored(
            game,
            lambda which: records[which].write(game),
            lambda: fingerprint(GameRecord.read(game).to_text()),
            may_differ=True,
        ),
        "configuration": Stored(
            settings, lambda _: settings.write_text(toml, "utf-8"), lambda: repr(read_config(settings)), may_differ=True
        ),
        "exact cache": Stored(values, keep, kept),
    }
    for kind in kinds.values():
        kind.save(0)
    return kinds


def an_edition() -> Edition:
    """A game whose expeditions are solved at once."""
    return Edition("small", treasures=(5, 7, 11), traps=("snake", "fire"), trap_copies=2, expeditions=2)


def fingerprint(content: Any) -> str:
    """Return a digest of a value that knows nothing of how it was stored."""

    def plain(value: Any) -> object:
        return value.hex() if isinstance(value, bytes) else (str(value.dtype), value.tolist())

    return hashlib.sha256(json.dumps(content, sort_keys=True, default=plain).encode()).hexdigest()
