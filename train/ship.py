"""Release of a trained policy with its model card: ``python -m train.ship RUN_FOLDER``.

It writes NAME.safetensors for ``make(NAME)``, NAME.json (figures) and NAME.md (model card).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from tyro.conf import Positional, arg

from diamant_env import EDITIONS
from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.editions import RULEBOOK_PLAYERS
from diamant_env.judging.evaluation import judge
from diamant_env.judging.lineups import intruder_line_ups, pool_line_up
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.pools import POOLS
from diamant_env.opponents.registry import DATA
from diamant_env.storage.files import write_whole
from diamant_env.storage.results import save_json
from train.runs.config import Config
from train.runs.model_card import OF_RESPONSE, Judged, about_run, card_text, record_of
from train.runs.run_folder import POLICY, locked, open_run_folder, read_json

COMMAND = "python -m train.ship"
CARDS = Path(__file__).parents[1] / "agents" / "policies"
LARGEST = 1_000_000  # bytes of a policy that is shipped


@dataclass(frozen=True)
class Arguments:
    """Judge a trained policy at tables of 3 to 8 and of its own size, and in all published editions; ship it.

    Its model card shows the results.
    """

    run: Annotated[Path, arg(metavar="RUN_FOLDER"), Positional]
    """The folder of a finished run."""
    also: Annotated[tuple[Path, ...], arg(metavar="RUN_FOLDER …")] = ()
    """Finished runs with other seeds, for the mean over seeds."""
    games: int = 50_000
    """Games at tables of each size and edition against each pool."""
    intruder_games: int = 20_000
    """Games of each member of the pools among copies of the policy, at each size."""
    seed: int = 1_000
    """Seed of the games, independent of those of the run's evaluation."""
    responses: Annotated[tuple[Path, ...], arg(metavar="RESULTS.json …")] = ()
    """Results of `python -m train.best_response` against the policy or the other runs, one table size each."""
    about: str = ""
    """Intended use and limits of the policy, for the card."""
    command: str = ""
    """Training command on the model card."""
    out: Path = CARDS
    """Folder of the model card and, unless it is agents/policies, of the weights."""

    @property
    def weights(self) -> Path:
        """Folder of its weights."""
        return DATA if self.out.resolve() == CARDS else self.out


def ship(arguments: Arguments) -> Path:
    """Judge and ship; return the path of the model card.

    Raises:
        FileNotFoundError: If a folder has no finished run.
        ValueError: If a policy is damaged or too large, or a run differs from the first in more than its seed.
    """
    folders = (arguments.run, *arguments.also)
    configs: list[Config] = [open_run_folder(folder) for folder in folders]
    config = configs[0]
    if config.game.blank or config.game.expeditions is not None:
        raise ValueError(f"{arguments.run} is of another game than an edition's: game.blank or game.expeditions is set")
    policy = (arguments.run / POLICY).read_bytes()
    if len(policy) > LARGEST:
        raise ValueError(f"{arguments.run / POLICY} has {len(policy):,} bytes; at most {LARGEST:,} are shipped")
    for folder, other in zip(arguments.also, configs[1:], strict=True):
        if other.seed == config.seed or other.model_copy(update={"seed": config.seed}) != config:
            raise ValueError(f"{folder} must differ from {arguments.run} in its seed only")
    runs = [about_run(folder, each) for folder, each in zip(folders, configs, strict=True)]
    networks = [NetworkAgent.load(folder / POLICY) for folder in folders]  # validate all before judging
    responses = [(path, found_in(path, config)) for path in arguments.responses]
    by_run = [[found for _, found in responses if _is_of(found, folder)] for folder in folders]
    for path, found in responses:
        if not any(found in of_run for of_run in by_run):
            raise ValueError(f"{path} has a response to {found['agent']}, which is none of the given runs")
    if any(len({found["players"] for found in of_run}) < len(of_run) for of_run in by_run):
        raise ValueError("two responses to one run have the same table size")
    with locked(arguments.out):
        pass  # a folder that can't be written is an error before judging
    judged: list[list[Judged]] = []
    for network in networks:
        network.name = config.name
        # The card shows the other editions for the first run alone.
        editions = [] if judged else [edition for edition in EDITIONS if edition != config.game.edition]
        judged.append(list(judge_everywhere(network, config, arguments, editions)))
    others = list(zip([other.seed for other in configs[1:]], judged[1:], by_run[1:], strict=True))
    record = record_of({**runs[0], "command": arguments.command}, judged[0], others, by_run[0], arguments.about)
    with locked(arguments.out):
        write_whole(arguments.weights / f"{config.name}.safetensors", policy)
        path = arguments.out / f"{config.name}.json"
        save_json(record, path)
        write_whole(path.with_suffix(".md"), card_text(json.loads(path.read_text(encoding="utf-8"))))
    return path.with_suffix(".md")


def _is_of(found: dict[str, Any], folder: Path) -> bool:
    """Return whether a response is to the policy of a run."""
    return Path(found["agent"]).resolve() in (folder.resolve(), (folder / POLICY).resolve())


def found_in(path: Path, config: Config) -> dict[str, Any]:
    """Return the results of a best-response search; raise a ValueError if the file has none of a run's wins."""
    content = read_json(path)
    if not isinstance(content, dict) or not {*OF_RESPONSE} <= content.get("found", {}).keys():
        raise ValueError(f"{path} has no results of python -m train.best_response")
    found, game = content["found"], content.get("config", {}).get("game", {})
    played = found.get("edition"), found.get("reward"), game.get("blank", False), game.get("expeditions")
    edition = config.game.judged_edition().name
    if played != (edition, "win", False, None):
        raise ValueError(f"{path} is of another game than the wins in {edition} that the card shows")
    return found


def judge_everywhere(
    network: NetworkAgent, config: Config, arguments: Arguments, editions: Sequence[str]
) -> Iterator[Judged]:
    """Yield results against the pools by table size and by other edition, then of intruders by table size."""
    own, seats = config.game.edition, config.judged_players
    settings: dict[str, Any] = {"seed": arguments.seed, "purpose": "ship", "progress": True}
    tables = [(own, players) for players in sorted({*range(RULEBOOK_PLAYERS[0], RULEBOOK_PLAYERS[1] + 1), seats})]
    for edition, players in [*tables, *((other, seats) for other in editions)]:
        pools = [pool_line_up(pool, players, edition) for pool in POOLS]
        playable = [pool for pool in pools if len(pool.rivals) >= players - 1]
        results = judge(network, playable, arguments.games, players=players, edition=edition, **settings)
        yield from ((edition, result) for result in results)
    for edition, players in tables:
        line_ups = intruder_line_ups([text for pool in POOLS for text in pool_line_up(pool, players, edition).rivals])
        results = judge(network, line_ups, arguments.intruder_games, players=players, edition=edition, **settings)
        yield from ((edition, result) for result in results)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        say(f"The model card is {ship(tyro.cli(Arguments, prog=COMMAND, args=argv))}.")

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
