"""Validated settings of a run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from diamant_env.drawing.narration import counted
from diamant_env.editions import Edition, find_edition
from diamant_env.engine.arguments import MAX_SEED
from diamant_env.evaluation.games import MAX_GAMES

Players = Annotated[int, Field(ge=1, le=8)]
Share = Annotated[float, Field(ge=0, le=1)]
Games = Annotated[int, Field(ge=100, le=MAX_GAMES)]
Decisions = Annotated[int, Field(ge=1, le=10**12)]
Number = Annotated[int, Field(ge=1, le=1000)]
Count = Annotated[int, Field(ge=1)]
Weight = Annotated[float, Field(ge=0)]
Scale = Annotated[float, Field(gt=0)]


class Strict(BaseModel):
    """A section without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class GameConfig(Strict):
    """The task."""

    edition: str = "iello-2016"
    """Edition of evaluation, and of training unless `editions` is given; see `diamant_env.find_edition`."""
    editions: tuple[str, ...] = ()
    """Editions of the training games, in equal shares; repetitions are allowed."""
    num_players: tuple[Players, ...] = Field(default=(4,), min_length=1, max_length=1000)
    """Table sizes, in equal shares of the games; repetitions are allowed."""
    reward: Literal["win", "score", "margin"] = "win"

    @model_validator(mode="after")
    def _known(self) -> GameConfig:
        if self.reward == "margin" and min(self.num_players) < 2:
            raise ValueError("reward 'margin' compares a player with the others; one player has none")
        self.evaluation_edition()
        self.training_editions()
        return self

    def evaluation_edition(self) -> Edition:
        """Return the edition of evaluation; raise a ValueError if it is invalid."""
        return find_edition(self.edition)

    def training_editions(self) -> list[Edition]:
        """Return the editions of the training games; raise a ValueError if one is invalid."""
        return [find_edition(name) for name in self.editions or (self.edition,)]


class OpponentsConfig(Strict):
    """Opponents of a game; one random seat always learns."""

    learner: Share = 1.0
    """Share of the other seats that also learn; frozen earlier versions of the learner play the rest."""
    snapshot_places: int = Field(default=8, ge=1, le=64)
    """Number of earlier versions in play."""
    logit_noise: Weight = 0.0
    """Standard deviation of a constant shift of the logit of LEAVE, drawn for each snapshot seat."""
    feature_dropout: Share = 0.0
    """Probability that a snapshot seat does not observe a group of fields, see `train.league`."""
    snapshot_every: Decisions = 250_000
    """Decisions between two snapshots."""


class PPOConfig(Strict):
    """Hyperparameters of PPO, see stable-baselines3."""

    decisions: Decisions = 6_000_000
    """Decisions of learning seats in the whole run; idle seats don't count."""
    games: Count = 750
    """Parallel games."""
    turns: Count = 64
    """Turns of every game in one rollout."""
    minibatch: int = Field(default=4096, ge=2)
    epochs: Number = 4
    learning_rate: Scale = 1e-3
    final_learning_rate: Share = 1e-4
    """Final value of the linear schedule."""
    entropy: Weight = 0.01
    final_entropy: Weight = 0.01
    """Final value of the linear schedule."""
    gae_lambda: Share = 0.95
    reward_scale: Scale = 1.0
    """Factor of the rewards."""
    explore: Share = 0.0
    """Share of games with exploring starts in self-play, see `train.league.Exploration`."""
    explore_chance: float = Field(default=0.05, gt=0, le=1)
    """Probability per turn of the exploratory action in such a game."""
    average: Share = 0.0
    """Final share of the run over which the policy's weights are averaged; 0: no averaging."""


class NetworkConfig(Strict):
    """Shape of policy and value function, two separate perceptrons."""

    hidden: tuple[Count, ...] = Field(default=(64, 64), min_length=1)
    activation: Literal["relu", "tanh"] = "relu"
    inputs: Literal["raw-1", "canonical-1", "exact-1"] = "canonical-1"
    """Inputs of both, see `diamant_env.opponents.inputs`."""


class EvaluationConfig(Strict):
    """Evaluation of the trained agent."""

    num_players: int | None = Field(default=None, ge=2, le=8)
    """Table size; None: 4 if it is trained, else the first trained size of at least 2."""
    games: Games = 100_000
    """Games against each pool."""
    curve_points: int = Field(default=12, ge=0, le=1000)
    """Points of the learning curve after the untrained policy's, the k-th of n at (k/n)² of the decisions; 0: none."""


class Run(Strict):
    """Settings common to all experiments."""

    name: str = Field(default="default", pattern=r"^[\w.-]+$", max_length=200)
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    threads: Number = 1
    """Threads of torch; more than one is slower on busy cores, see docs/performance.md."""


class Config(Run):
    """Configuration of a training run."""

    checkpoints: Number = 8
    """Evenly spaced checkpoints; all policies and the last training state are kept."""
    runners: Number = 1
    """Rollout processes of `train.cluster`, which share `ppo.games` evenly."""
    game: GameConfig = GameConfig()
    opponents: OpponentsConfig = OpponentsConfig()
    ppo: PPOConfig = PPOConfig()
    network: NetworkConfig = NetworkConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    @property
    def evaluation_players(self) -> int:
        """Table size of evaluation."""
        trained = [players for players in self.game.num_players if players > 1] or [2]
        return self.evaluation.num_players or (4 if 4 in trained else trained[0])

    @model_validator(mode="after")
    def _every_table_is_played(self) -> Config:
        sizes, editions = len(self.game.num_players), len(self.game.training_editions())
        games, runners, tables = self.ppo.games, self.runners, counted(sizes, "table size")
        if games // sizes < editions:
            tables += f" with {editions} entries of game.editions" * (editions > 1)
            raise ValueError(f"ppo.games = {games} is too few for {tables}: at least one game each")
        if games // runners < sizes:  # an edition need not be played by every runner
            raise ValueError(f"ppo.games = {games} over {runners} runners is too few for {tables}: at least one each")
        return self
