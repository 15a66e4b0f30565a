"""Configuration of a best-response search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from diamant_env.opponents.pools import load_pool
from diamant_env.opponents.registry import may_run_code
from train.runs.config import (
    Count,
    GameConfig,
    Games,
    NetworkConfig,
    Number,
    PPOConfig,
    Run,
    Share,
    Strict,
)


class IterationConfig(Strict):
    """Fitted value iteration, see `train.responding.value_iteration`."""

    self_play: Literal[0] | Games = 20_000
    """Games of self-play, from which expeditions start; 0: no value iteration."""
    paths: Games = 8_000
    """Paths through an expedition in each round."""
    lambdas: tuple[Share, ...] = Field((0, 1, 0.8, 0.5), min_length=1)
    """λ of each round: the weight of later residuals in the targets."""
    minibatches: Count = 1_500
    """Minibatches of each fit."""
    hidden: tuple[Count, ...] = Field((64, 64), min_length=1)
    """Widths of the hidden layers."""


class SearchConfig(Run):
    """Training, selection and report of responses."""

    seeds: Number = 1
    """Fits of value iteration, runs of PPO from scratch, and warm starts from the agent if it can be trained on."""
    checkpoints: Number = 10
    """Evenly spaced checkpoints of each run, from which one is selected."""
    value_warmup: Share = 0.05
    """Initial share of a warm run in which the policy is frozen."""
    selection_games: Games = 10_000
    """Games for the selection of checkpoints."""
    test_games: Games = 50_000
    """Fresh games for the report of all best-response policies."""
    pools: tuple[str, ...] = ("pool", "held_out")
    """Pools whose members are best-response policies, too."""
    ppo: PPOConfig = PPOConfig(
        decisions=1_000_000, games=600, turns=32, minibatch=2048, learning_rate=2e-3, entropy=0.01, final_entropy=0.001
    )
    values: IterationConfig = IterationConfig()
    network: NetworkConfig = NetworkConfig()
    """Shape of runs from scratch; warm ones have the agent's."""

    @field_validator("pools")
    @classmethod
    def _exist(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            load_pool(name)
        return names


class ResponseConfig(SearchConfig):
    """Configuration of an agent, a game and a search."""

    name: str = Field("response", pattern=r"^[\w.-]+$")
    agent: str = Field("ev", min_length=1)
    """A spec that `diamant_env.opponents.make_agent` takes, except ``module:object``: a file runs no code."""
    game: GameConfig = GameConfig()
    """The game, with one table size of at least two."""

    @field_validator("agent")
    @classmethod
    def _imports_nothing(cls, spec: str, info: ValidationInfo) -> str:
        if may_run_code(spec) and spec not in (info.context or ()):
            raise ValueError(f"agent {spec!r} would run code: give it as an argument; a file may not request it")
        return spec

    @model_validator(mode="after")
    def _one_game(self) -> ResponseConfig:
        if len(self.game.num_players) != 1 or self.game.num_players[0] < 2:
            raise ValueError(f"game.num_players = {list(self.game.num_players)}: one table size of 2 to 8 is needed")
        if self.game.editions or self.ppo.average or self.ppo.explore:
            raise ValueError("game.editions, ppo.average and ppo.explore are settings of self-play, not of responses")
        return self
