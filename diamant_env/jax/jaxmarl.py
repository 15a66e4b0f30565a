"""Adapter to JaxMARL's `MultiAgentEnv` API; JaxMARL itself is optional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium.spaces
import jax.numpy as jnp
import numpy as np
from jax import Array

from diamant_env.editions import Edition
from diamant_env.jax.env import Diamant
from diamant_env.jax.rules import State, select
from diamant_env.observation import Observation
from diamant_env.rewards import Reward

try:
    from jaxmarl.environments import multi_agent_env
    from jaxmarl.environments import spaces as jaxmarl_spaces

    MultiAgentEnv: Any = multi_agent_env.MultiAgentEnv
    spaces: Any = jaxmarl_spaces
except ImportError:  # Gymnasium's spaces have the same attributes
    MultiAgentEnv, spaces = object, gymnasium.spaces

ByAgent = dict[str, Array]


class DiamantMARL(MultiAgentEnv):
    """Diamant for JaxMARL's wrappers and baselines, such as its IPPO.

    Agents ``player_0`` … terminate together. The cards depend on the key of `reset`; `step` uses its key for the next
    game only. `info` is empty, since baselines reshape its values. Use `step_env`, without auto-reset, for the final
    observation. The arguments are those of `Diamant`.

    Attributes:
        game: The underlying `Diamant`.
    """

    def __init__(
        self,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        reward: Reward = "score",
        observation: Observation = None,
    ) -> None:
        self.game = Diamant(num_players, edition, reward, observation)
        self.num_agents = self.game.num_players
        self.agents = [f"player_{seat}" for seat in range(self.num_agents)]
        bounds = self.game.observation_space
        box = spaces.Box(bounds.low, bounds.high, bounds.shape, np.float32)
        self.observation_spaces = dict.fromkeys(self.agents, box)
        self.action_spaces = {agent: spaces.Discrete(2) for agent in self.agents}

    def reset(self, key: Array) -> tuple[ByAgent, State]:
        """Return the observations and the state of a new game."""
        state = self.game.init(key)
        return self.get_obs(state), state

    def step(
        self, key: Array, state: State, actions: Mapping[str, Array], reset_state: State | None = None
    ) -> tuple[ByAgent, State, ByAgent, ByAgent, dict]:
        """Play one turn with auto-reset to a new game, or to `reset_state`.

        Returns:
            Observations, state, rewards, dones with ``"__all__"``, and an empty dictionary.
        """
        ended, rewards, dones = self._play(state, actions)
        new_game = self.game.init(key) if reset_state is None else reset_state
        state = select(ended.over, new_game, ended)
        return self.get_obs(state), state, rewards, dones, {}

    def step_env(
        self, key: Array, state: State, actions: Mapping[str, Array]
    ) -> tuple[ByAgent, State, ByAgent, ByAgent, dict]:
        """Play one turn like `step` without auto-reset. The key is not used."""
        ended, rewards, dones = self._play(state, actions)
        return self.get_obs(ended), ended, rewards, dones, {}

    def get_obs(self, state: State) -> ByAgent:
        """Return each agent's observation, float32 (features,)."""
        return self._by_agent(self.game.observe(state))

    def get_avail_actions(self, state: State) -> ByAgent:
        """Return each agent's legal actions, bool (2,): CONTINUE only in camp."""
        return self._by_agent(self.game.legal_actions(state))

    def observation_space(self, agent: str) -> Any:
        """Return an agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return an agent's action space, Discrete(2)."""
        return self.action_spaces[agent]

    @property
    def name(self) -> str:
        """The name of the environment."""
        return "diamant"

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        """The agents by class; all have one class."""
        return {"player": self.agents}

    def _play(self, state: State, actions: Mapping[str, Array]) -> tuple[State, ByAgent, ByAgent]:
        """Return the state after a turn, rewards and dones."""
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(f"no action for {', '.join(missing)}; the agents are {', '.join(self.agents)}")
        flat = jnp.stack([jnp.reshape(actions[agent], ()) for agent in self.agents])  # from () or (1,)
        ended, rewards = self.game.step(state, flat)
        return ended, self._by_agent(rewards), dict.fromkeys([*self.agents, "__all__"], ended.over)

    def _by_agent(self, rows: Array) -> ByAgent:
        return dict(zip(self.agents, rows, strict=True))
