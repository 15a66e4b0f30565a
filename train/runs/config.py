"""Settings of a run: declared once, read from TOML files and from the command line, every key checked."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import tomli_w
import tyro
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from diamant_env.editions import MAX_EXPEDITIONS, Edition, find_edition
from diamant_env.engine.arguments import MAX_SEED
from diamant_env.envs.settings import with_expeditions
from diamant_env.judging.games import MAX_GAMES
from diamant_env.opponents.registry import names_object
from diamant_env.storage.reading import parse_toml, read_text

CONFIGS = Path(__file__).parents[2] / "configs"
MAX_DECISIONS = 10**12  # of a run
MAX_ROLLOUT = 10_000_000  # games side by side times turns; each seat of each takes about 400 bytes
Players = Annotated[int, Field(ge=1, le=8)]
Share = Annotated[float, Field(ge=0, le=1)]
Games = Annotated[int, Field(ge=100, le=MAX_GAMES)]
Decisions = Annotated[int, Field(ge=1, le=MAX_DECISIONS)]
Threads = Annotated[int, Field(ge=1, le=1024)]
Number = Annotated[int, Field(ge=1, le=1000)]
Weight = Annotated[float, Field(ge=0, le=1000)]


def _imports_nothing(text: str) -> str:
    if names_object(text):
        raise ValueError(f"agent {text!r} would run code; a text from a file can't do that")
    return text


AgentInFile = Annotated[str, AfterValidator(_imports_nothing)]
"""Text that `diamant_env.opponents.make` takes, but for ``module:object``: a file of a stranger runs nothing."""


class Strict(BaseModel):
    """A section whose keys are all known and in range."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ValueError(explain(error)) from None


class GameConfig(Strict):
    """The task."""

    edition: str = "iello-2016"
    """The edition that is judged, and trained unless `editions` says otherwise."""
    editions: tuple[str, ...] = ()
    """Editions of the training games, which are divided evenly among them; one may be named several times."""
    num_players: tuple[Players, ...] = Field(default=(4,), min_length=1, max_length=1000)
    """Table sizes; the games are divided evenly among them; one may be named several times."""
    reward: Literal["win", "score", "margin"] = "win"
    expeditions: int | None = Field(default=None, ge=1, le=MAX_EXPEDITIONS)
    """Of a game; None: as many as the edition has."""
    blank: bool = False
    """Whether observations hide the chests and hold 0 for all about the rivals (see `diamant_env.Batch`)."""

    @model_validator(mode="after")
    def _known(self) -> GameConfig:
        if self.reward == "margin" and min(self.num_players) < 2:
            raise ValueError("reward 'margin' compares a player with the others; one player has none")
        self.played()
        self.trained()
        return self

    def played(self, name: str | None = None) -> Edition:
        """Return an edition, by default the one that is judged, as it is played here; ValueError if that can't be."""
        edition = find_edition(self.edition if name is None else name)
        return edition if self.expeditions is None else with_expeditions(edition, self.expeditions)

    def trained(self) -> list[Edition]:
        """Return the editions of the training games as they are played here."""
        return [self.played(name) for name in self.editions or (self.edition,)]


def reward_scale(reward: str) -> float:
    """Return the factor that brings returns to about 1: a game's score is some 16 gems, its win share at most 1."""
    return 1.0 if reward == "win" else 1 / 16


class OpponentsConfig(Strict):
    """Who sits in the other seats of a game; one seat, a random one, always learns."""

    learner: Share = 1.0
    """Share of the other seats that the learner itself takes, and learns from."""
    snapshots: Share = 0.0
    """Share that frozen earlier versions of the learner take."""
    rules: Share = 0.0
    """Share that players by random rules take, see `train.learning.league`."""
    scripted: Share = 0.0
    """Share that agents of `pool` take."""
    pool: str = "pool"
    snapshot_places: int = Field(default=8, ge=1, le=64)
    """How many earlier versions play at the same time."""
    style: Weight = 0.0
    """Standard deviation of what is added to a snapshot's logit of LEAVE, drawn once for each seat of a snapshot."""
    blindness: Share = 0.0
    """Chance of each seat that snapshots take to be blind to a group of fields, see `train.learning.league`."""
    snapshot_every: Decisions = 250_000
    """Decisions between two snapshots."""

    @model_validator(mode="after")
    def _whole(self) -> OpponentsConfig:
        total = self.learner + self.snapshots + self.rules + self.scripted
        if abs(total - 1) > 1e-6:
            raise ValueError(f"learner + snapshots + rules + scripted = {total:g}; the shares must add up to 1")
        return self


class PPOConfig(Strict):
    """Proximal policy optimisation, in the terms of stable-baselines3."""

    decisions: Decisions = 6_000_000
    """Decisions of learning seats in the whole run; idle seats don't count."""
    games: int = Field(default=750, ge=1, le=MAX_ROLLOUT)
    """Games played side by side."""
    turns: int = Field(default=64, ge=1, le=MAX_ROLLOUT)
    """Turns of every game in one rollout."""
    minibatch: int = Field(default=4096, ge=2, le=8 * MAX_ROLLOUT)
    epochs: Number = 4
    learning_rate: float = Field(default=1e-3, gt=0, le=1)
    final_learning_rate: Share = 1e-4
    """The rate falls linearly to this value."""
    entropy: Weight = 0.01
    final_entropy: Weight = 0.01
    """The entropy bonus falls linearly to this value."""
    gamma: Share = 1.0
    gae_lambda: Share = 0.95
    clip: float = Field(default=0.2, gt=0, le=1000)
    value_weight: Weight = 0.5
    max_grad_norm: float = Field(default=0.5, gt=0, le=1e9)
    reward_scale: float = Field(default=1.0, gt=0, le=1000)
    """Factor of the rewards."""
    explore: Share = 0.0
    """Share of the games, drawn once, in which one learning seat tosses a coin at a random turn. Only what follows the
    toss is learned from (see `train.learning.decisions`). Above 0, advantages are standardised by rollout."""
    explore_chance: float = Field(default=0.05, gt=0, le=1)
    """Chance of each turn of such a game that the coin is tossed then."""
    average: Share = 0.0
    """Share of the run, at its end, over which the policy's weights are averaged; 0 keeps the last ones."""

    @model_validator(mode="after")
    def _fits_into_memory(self) -> PPOConfig:
        if self.games * self.turns > MAX_ROLLOUT:
            raise ValueError(f"games = {self.games} × turns = {self.turns}; at most {MAX_ROLLOUT:,} are allowed")
        return self


class NetworkConfig(Strict):
    """The policy and the value function: two perceptrons of this shape."""

    hidden: tuple[Annotated[int, Field(ge=1, le=4096)], ...] = Field(default=(64, 64), min_length=1, max_length=16)
    activation: Literal["relu", "tanh"] = "relu"
    inputs: Literal["raw-1", "canonical-1"] = "canonical-1"
    """What both compute from, see `diamant_env.opponents.inputs`."""


class JudgeConfig(Strict):
    """How the trained agent is judged."""

    num_players: int = Field(default=4, ge=2, le=8)
    games: Games = 100_000
    """Games against each line-up."""
    clone_games: Games = 20_000
    """Games of each scripted agent against copies of the trained one."""
    curve_games: Games = 4_000
    """Games for each point of the learning curve."""
    curve_points: int = Field(default=12, ge=0, le=1000)


class Run(Strict):
    """What all experiments have."""

    name: str = Field(default="default", pattern=r"^[\w.-]+$", max_length=200)
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    threads: Threads = 1
    """Threads that torch uses. 2 are a fifth faster on idle cores and up to twenty times slower on busy ones."""


class Config(Run):
    """One experiment."""

    start: AgentInFile = ""
    """The network that the policy starts from, a text that `diamant_env.opponents.make` takes; {seed} in it is the
    run's seed. Empty: random weights."""
    value_first: Share = 0.05
    """Share of a run with a `start`, at its beginning, in which the value function alone learns: it has no start."""
    checkpoints: Number = 8
    """Checkpoints written during the run, evenly spaced; only the last one is kept beside the policies."""
    game: GameConfig = GameConfig()
    opponents: OpponentsConfig = OpponentsConfig()
    ppo: PPOConfig = PPOConfig()
    network: NetworkConfig = NetworkConfig()
    judge: JudgeConfig = JudgeConfig()

    @model_validator(mode="after")
    def _every_table_size_is_played(self) -> Config:
        if self.ppo.games < len(self.game.num_players):
            raise ValueError(f"ppo.games = {self.ppo.games} is less than the {len(self.game.num_players)} table sizes")
        return self


AnyConfig = TypeVar("AnyConfig", bound=Run)
AnyArguments = TypeVar("AnyArguments")
Settings = Annotated[AnyConfig, tyro.conf.arg(name="")]
"""A configuration as the field `settings` of a command's arguments: its keys are options of the command."""


def optional(metavar: str) -> Any:
    """Return how the help shows an option without a default."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint="")


ConfigFile = Annotated[Path | None, optional("FILE.toml")]


def read_config(path: str | Path, kind: type[AnyConfig] = Config) -> AnyConfig:  # type: ignore[assignment]
    """Read a configuration file; FileNotFoundError or ValueError, which names file and key, if that can't be."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"no configuration file {path}")
    try:
        values = parse_toml(read_text(path))
    except ValueError as error:
        raise ValueError(f"{path} is no TOML file: {error}") from None
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise ValueError(f"{path}: {explain(error)}") from None


def parse_arguments(
    kind: Callable[..., AnyArguments], argv: Sequence[str] | None, command: str, standard: Path
) -> AnyArguments:
    """Parse a command line, by default that of the process, whose options change the settings of a TOML file.

    The class of the arguments has the fields `settings`, `config` (the file, by default `standard`) and perhaps
    `resume`. What is wrong is a FileNotFoundError or a ValueError, as are settings beside --resume.
    """
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--config", nargs="?")
    file = early.parse_known_args(argv)[0].config
    settings = read_config(file or standard, get_type_hints(kind)["settings"])
    arguments: Any = parse_options(kind, argv, command, default=kind(settings))
    if getattr(arguments, "resume", None) and (file or arguments.settings != settings):
        raise ValueError("--resume goes on with the run as it is: give no --config and no setting")
    return arguments


def parse_options(kind: Any, argv: Sequence[str] | None, command: str, **default: Any) -> Any:
    """Parse a command line; ValueError, in one line, if that can't be."""
    shown = io.StringIO()
    try:
        with redirect_stderr(shown):
            return tyro.cli(kind, prog=command, args=argv, **default)
    except SystemExit as end:
        if not end.code:  # --help
            raise
    lines = [line.strip("╭╮╰╯│─ ") for line in shown.getvalue().splitlines()[1:]]  # a box, below its title
    text = " ".join(lines[: lines.index("")] if "" in lines else lines)
    raise ValueError(f"{text.replace('Error parsing settings.', '').replace('Error parsing ', '')} (see --help)")


def explain(error: ValidationError) -> str:
    """Return what is wrong in one line: each key with the reason and what was given."""
    problems = []
    for problem in error.errors():
        key, given = ".".join(map(str, problem["loc"])), problem["input"]
        reason = f": {problem['msg'].removeprefix('Value error, ')}"
        if problem["type"] == "extra_forbidden":
            problems.append(f"unknown key {key!r}")
        else:
            shown = key + reason if isinstance(given, dict) else f"{key} = {given!r}{reason}"
            problems.append(shown.removeprefix(": "))
    return "; ".join(problems)


def config_text(config: Run) -> str:
    """Return all keys as TOML: the file alone repeats the run."""
    return tomli_w.dumps(config.model_dump(mode="json", exclude_none=True))
