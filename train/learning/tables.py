"""Training of one network per table size, each in a run folder of its own within the folder of the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from diamant_env.opponents.network import NetworkAgent
from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json
from train.runs.arguments import config_text
from train.runs.config import Config
from train.runs.run_folder import CONFIG, POLICY, TIME, locked, machine_and_versions, read_json, save_policy


def train_tables(config: Config, folder: Path, train: Callable[[Config, Path], NetworkAgent]) -> NetworkAgent:
    """Train one table size after another, resuming each; return and save the policy of all sizes.

    Tables of any other size get the network of the smallest.

    Args:
        config: Configuration with `per_table`.
        folder: Folder of the run, in which ``3-players`` etc. are the runs of the table sizes.
        train: Function that trains one of them in its folder.
    """
    networks, times = {}, []
    for players in sorted({*config.game.num_players}):
        own, place = config_at(config, players), folder / f"{players}-players"
        with locked(place):
            write_whole(place / CONFIG, config_text(own))
            save_json(machine_and_versions(), place / "versions.json")
            policy = train(own, place)
            times.append(read_json(place / TIME))
        networks[players] = policy.weights()
    decisions, seconds = (sum(time[name] for time in times) for name in ("decisions", "seconds"))
    smallest = networks.pop(min(networks))
    policy = NetworkAgent(smallest, policy.activation, config.name, inputs=policy.inputs, by_players=networks)
    where = {name: times[0][name] for name in ("threads", "device") if name in times[0]}
    save_json({"seconds": seconds, "decisions": decisions, **where}, folder / TIME)
    save_policy(folder / POLICY, policy, config, decisions)
    return policy


def config_at(config: Config, players: int) -> Config:
    """Return the configuration of one table size, which is also that of its learning curve."""
    game = config.game.model_copy(update={"num_players": (players,)})
    judge = config.judge.model_copy(update={"num_players": None})
    return config.model_copy(update={"per_table": False, "game": game, "judge": judge})
