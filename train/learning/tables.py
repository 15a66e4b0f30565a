"""Training of one network per table size, each in a run folder of its own within the folder of the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json
from train.runs.config import Config, config_text
from train.runs.run_folder import CONFIG, POLICY, read_json, save_policy


def train_tables(config: Config, folder: Path, train: Callable[[Config, Path], NetworkAgent]) -> NetworkAgent:
    """Train one table size after another, resuming each; return and save the policy of all sizes.

    Args:
        config: Configuration with `per_table`.
        folder: Folder of the run, whose folders ``3-players`` etc. hold the runs of the table sizes.
        train: Function that trains one of them in its folder.
    """
    policies, times = {}, []
    for players in sorted({*config.game.num_players}):
        own = config_at(config, players)
        place = folder / f"{players}-players"
        place.mkdir(exist_ok=True)
        write_whole(place / CONFIG, config_text(own))
        policies[players] = train(own, place)
        times.append(read_json(place / "time.json"))
    decisions, seconds = (sum(time[key] for time in times) for key in ("decisions", "seconds"))
    first, *others = policies.values()
    tables = dict(zip(list(policies)[1:], (other.weights() for other in others), strict=True))
    policy = NetworkAgent(first.weights(), first.activation, config.name, inputs=first.inputs, tables=tables)
    save_policy(folder / POLICY, policy, config, decisions)
    save_json({"seconds": seconds, "decisions": decisions, "threads": config.threads}, folder / "time.json")
    return policy


def config_at(config: Config, players: int) -> Config:
    """Return the configuration of one table size, where the learning curve is measured too."""
    game = config.game.model_copy(update={"num_players": (players,)})
    judge = config.judge.model_copy(update={"num_players": max(players, 2)})
    return config.model_copy(update={"per_table": False, "game": game, "judge": judge})
