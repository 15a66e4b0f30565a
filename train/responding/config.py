"""Configuration of a best-response search."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from diamant_env.judging.games import MAX_GAMES
from diamant_env.opponents.registry import names_object
from train.runs.config import (
    GameConfig,
    Games,
    NetworkConfig,
    Number,
    PPOConfig,
    Run,
    Share,
    Strict,
)


class LookaheadConfig(Strict):
    """One-step search and the measurement of its gain."""

    games: int = Field(default=600, ge=0, le=MAX_GAMES)
    """Games of the search with truncated roll-outs; 0: no search."""
    full_games: int = Field(default=200, ge=2, le=MAX_GAMES)
    """Games with full roll-outs: all games if there are no values, else a check for bias."""
    pairs: int = Field(default=1_024, ge=2, le=1_000_000)
    """Roll-outs of each action per decision of the search."""
    certain: Share = 0.0
    """Search where the agent's less likely action has at least this probability; 0: everywhere."""
    value_pairs: int = Field(default=64, ge=1, le=1_000_000)
    """Independent roll-outs of each action per deviating decision, for its advantage."""
    fit_games: Games = 50_000
    """Self-play games for each of the two sets of value networks, for decisions and for advantages."""


class SearchConfig(Run):
    """Training, selection and report of responses."""

    seeds: Number = 1
    """Runs from scratch, and the same number of warm starts if the agent is a network."""
    checkpoints: Number = 10
    """Evenly spaced checkpoints of each run, from which one is selected."""
    value_first: Share = 0.05
    """Initial share of a warm run in which the policy is frozen."""
    pick_games: Games = 10_000
    """Games for the selection of checkpoints."""
    report_games: Games = 50_000
    """Fresh games for the report of the selected policies and all members of `pools`."""
    pools: tuple[str, ...] = ("pool", "held_out")
    ppo: PPOConfig = PPOConfig(
        decisions=1_000_000, games=600, turns=32, minibatch=2048, learning_rate=2e-3, entropy=0.01, final_entropy=0.001
    )
    search: LookaheadConfig = LookaheadConfig()
    network: NetworkConfig = NetworkConfig()
    """Shape of runs from scratch; warm ones have the agent's."""


class ResponseConfig(SearchConfig):
    """Configuration of an agent, a game and a search."""

    name: str = Field("response", pattern=r"^[\w.-]+$")
    agent: str = Field("ev", min_length=1)
    """A text that `diamant_env.opponents.make` takes, except ``module:object``: a file runs no code."""
    game: GameConfig = GameConfig()
    """The game, with one table size of at least two."""

    @field_validator("agent")
    @classmethod
    def _imports_nothing(cls, text: str) -> str:
        if names_object(text):
            raise ValueError(f"agent {text!r} would run code, which a file may not request")
        return text

    @model_validator(mode="after")
    def _one_table_size(self) -> ResponseConfig:
        if len(self.game.num_players) != 1 or self.game.num_players[0] < 2:
            raise ValueError(f"game.num_players = {list(self.game.num_players)}: one table size of 2 to 8 is needed")
        return self
