"""Best-response search: ``python -m train.best_response AGENT …``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated

from tyro.conf import Positional, arg

from diamant_env.commands.terminal import print_line, run_command
from diamant_env.opponents import make_agent
from diamant_env.opponents.pools import check_able, pool_members
from diamant_env.opponents.registry import may_run_code
from diamant_env.storage.files import write_atomic
from diamant_env.storage.results import save_json, versions
from train.responding.config import ResponseConfig
from train.responding.gains import ResponseGame
from train.responding.result import ResponseResult, report, result_table
from train.responding.search import response_runs
from train.runs.arguments import CONFIGS, ConfigFile, Settings, parse_arguments
from train.runs.run_folder import POLICY, locked, machine, new_run_folder, open_run_folder, slug

COMMAND = "python -m train.best_response"
RESULTS = "results.json"


@dataclass(frozen=True)
class Arguments:
    """Compute a lower bound on the gain of a best response against copies of an agent.

    Best-response policies are value iteration, PPO against players - 1 frozen copies, from random weights and, if the
    agent is a network with a hidden layer and today's inputs, from its weights, and all members of the pools. PPO's
    best checkpoint is selected on one set of games; all best-response policies play the same fresh ones. Gains are
    relative to the payoff of a copy: the fair win share, its score, or a margin of 0.
    """

    settings: Settings[ResponseConfig]
    agents: Annotated[tuple[str, ...], arg(metavar="AGENT …"), Positional] = ()
    """Agents: specs such as bag:18, files of trained policies (.safetensors), or the folders of their runs."""
    pool: Annotated[tuple[str, ...], arg(metavar="POOL …")] = ()
    """Pools whose members are further agents: pool, held-out or a path to a .toml."""
    config: ConfigFile = None
    """Configuration file, overridden by other options; by default configs/best_response.toml."""
    out: Path = Path("runs")
    """Parent of each search's folder."""
    resume: Annotated[tuple[Path, ...], arg(metavar="FOLDER …")] = ()
    """Resume the searches in these folders; finished ones are skipped. Agents that run code are given again."""


def respond(arguments: Arguments) -> list[ResponseResult]:
    """Run all searches that are not finished and return their results."""
    todo = folders(arguments)
    with ExitStack() as locks:
        for _, folder in todo:
            locks.enter_context(locked(folder))
        try:
            return [search(config, folder) for config, folder in todo if not _is_finished(folder)]
        except KeyboardInterrupt:
            words = [config.agent for config, _ in todo if may_run_code(config.agent)]
            words += ["--resume", *(str(folder) for _, folder in todo)]
            raise KeyboardInterrupt(f"resume with {shlex.join(words)}") from None


def folders(arguments: Arguments) -> list[tuple[ResponseConfig, Path]]:
    """Return configuration and folder of each search: those to resume, or new ones for all agents."""
    if arguments.resume:
        if arguments.pool or not all(map(may_run_code, arguments.agents)):
            raise ValueError("--resume takes its agents from the folders: give none but those that run code")
        resumed = dict.fromkeys(arguments.resume)
        return [(open_run_folder(folder, ResponseConfig, arguments.agents), folder) for folder in resumed]
    config = arguments.settings
    specs, game = [config.agent], config.game
    if arguments.agents or arguments.pool:
        players, edition = game.num_players[0], game.evaluation_edition()
        members = [pool_members(pool, players, edition)[0] for pool in arguments.pool]
        specs = list(dict.fromkeys(sum(members, [*arguments.agents])))
    slugs = {spec: slug(spec).strip("-.") or "agent" for spec in specs}
    configs = [config.model_copy(update={"agent": spec, "name": f"{config.name}-{slugs[spec]}"}) for spec in specs]
    for each in configs:  # reject unknown agents and those that read what the table hides before writing
        check_able(make_agent(each.agent), game.num_players[0], game.evaluation_edition())
    return [(each, new_run_folder(arguments.out, each)) for each in configs]


def _is_finished(folder: Path) -> bool:
    """Return whether a folder has the results of its search, and say where."""
    finished = (folder / RESULTS).is_file()
    if finished:
        print_line(f"The search in {folder} is finished: {folder / RESULTS}.")
    return finished


def search(config: ResponseConfig, folder: Path) -> ResponseResult:
    """Finish a search and save results and the best policy of PPO in its folder."""
    start, game = perf_counter(), config.game
    played = ResponseGame(config.agent, game.num_players[0], game.evaluation_edition(), game.reward)
    runs = response_runs(played, config, folder)
    for run in runs:
        run.finish()
    result = report(runs, played, config, progress=True)
    best = max(range(len(runs)), key=lambda number: result.searched[number].gain.mean)
    write_atomic(folder / POLICY, (runs[best].folder / POLICY).read_bytes())
    curves = {run.name: run.curve() for run in runs}
    of = {**versions(), **machine(config.threads)}
    about = {"config": config.model_dump(mode="json"), "versions": of, "seconds": perf_counter() - start}
    save_json({**about, "found": result.to_json(), "curves": curves}, folder / RESULTS)
    print_line(result_table(result), f"The search is in {folder}, the best policy of PPO in {folder / POLICY}.")
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    standard = CONFIGS / "best_response.toml"
    return run_command(COMMAND, lambda: respond(parse_arguments(Arguments, argv, COMMAND, standard)))


if __name__ == "__main__":
    sys.exit(main())
