"""The configuration of a search for a best response."""

from __future__ import annotations

from pydantic import Field, model_validator

from diamant_env.judging.games import MAX_GAMES
from train.runs.config import (
    AgentInFile,
    GameConfig,
    Games,
    NetworkConfig,
    Number,
    PPOConfig,
    Run,
    Share,
    Strict,
    Threads,
)


class LookaheadConfig(Strict):
    """The search that looks one decision ahead, and how its gain is measured."""

    games: int = Field(default=1_500, ge=0, le=MAX_GAMES)
    """Games of the search where values cut its roll-outs; 0: no search."""
    full_games: int = Field(default=200, ge=2, le=MAX_GAMES)
    """Games in which roll-outs are played to their end: all games where nothing cuts them, else the check for bias."""
    pairs: int = Field(default=1_024, ge=2, le=1_000_000)
    """Roll-outs of each choice that decide."""
    value_pairs: int = Field(default=64, ge=1, le=1_000_000)
    """Fresh roll-outs of each choice that value what the search does differently."""
    fit_games: Games = 50_000
    """Games of the agent with itself from which values are learned, for deciding and for valuing each."""


class SearchConfig(Run):
    """How responses are learned, picked and reported."""

    threads: Threads = 1
    """Threads that torch uses."""
    seeds: Number = 3
    """Runs from scratch, and as many warm ones where the agent is a network."""
    checkpoints: Number = 10
    """Policies of each run among which one is picked, evenly spaced."""
    value_first: Share = 0.05
    """Share of a warm run in which the value function alone learns; the policy starts as the agent's."""
    pick_games: Games = 20_000
    """Games on which the checkpoints are compared."""
    report_games: Games = 200_000
    """Fresh games on which what was picked is reported, and every member of `pools`."""
    pools: tuple[str, ...] = ("pool", "held_out")
    ppo: PPOConfig = PPOConfig(
        decisions=5_000_000, games=600, turns=32, minibatch=2048, learning_rate=2e-3, entropy=0.01, final_entropy=0.001
    )
    search: LookaheadConfig = LookaheadConfig()
    network: NetworkConfig = NetworkConfig()
    """Of a run from scratch; a warm one has the agent's shape."""


class ResponseConfig(SearchConfig):
    """One experiment: an agent, a game, a search."""

    name: str = Field("response", pattern=r"^[\w.-]+$")
    agent: AgentInFile = Field("ev", min_length=1)
    """A text that `diamant_env.opponents.make` takes."""
    game: GameConfig = GameConfig()
    """With one table size, of at least two."""

    @model_validator(mode="after")
    def _one_table_size(self) -> ResponseConfig:
        if len(self.game.num_players) != 1 or self.game.num_players[0] < 2:
            raise ValueError(f"game.num_players = {list(self.game.num_players)}: one table size of 2 to 8 is needed")
        return self
