"""AEC environment."""

from __future__ import annotations

import copy
from typing import Any

from gymnasium.spaces import Space
from pettingzoo import AECEnv

from diamant_env.editions import Edition
from diamant_env.engine.arguments import checked_action
from diamant_env.envs.settings import checked_agent
from diamant_env.state import GameState


class AecGame(AECEnv):
    """A `parallel_env` whose agents act sequentially; the turn is played after the last action.

    Not PettingZoo's `parallel_to_aec_wrapper`: its `unwrapped` is the parallel environment, which
    `TerminateIllegalWrapper` can't end, and `api_test` refuses a subclass that is its own `unwrapped`.

    Args:
        env: The `parallel_env`.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.metadata = env.metadata
        self.render_mode = env.render_mode
        self.possible_agents, self.state_space = env.possible_agents, env.state_space
        self.observation_spaces, self.action_spaces = env.observation_spaces, env.action_spaces

    @property
    def edition(self) -> Edition:
        """The edition of the game."""
        return self.env.edition

    @property
    def game(self) -> GameState:
        """A copy of the game's record, of type `GAME`; actions of the current turn are not played yet."""
        return self.env.game

    def observation_space(self, agent: str) -> Space:
        """Return the observation space of an agent."""
        return self.env.observation_space(agent)

    def action_space(self, agent: str) -> Space:
        """Return the action space of an agent."""
        return self.env.action_space(agent)

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Start a game, see `diamant_env.diamant_v0.parallel_env.reset`."""
        self._observations, self.infos = self.env.reset(seed, options)
        self.agents = self.env.agents[:]
        self.agent_selection = self.agents[0]
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self._actions: dict[str, int] = {}

    def step(self, action: Any) -> None:
        """Take the action of `agent_selection`: 0 or 1, or None after termination.

        Raises:
            RuntimeError: Before reset, or when the game is over.
            ValueError: If the action is not allowed; `agent_selection` is then unchanged.
        """
        if not getattr(self, "agents", ()):
            raise RuntimeError("no game is being played: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise ValueError(f"action {action!r} of {agent}, whose game is over; allowed: None")
            self._was_dead_step(action)
            return
        inside = self.game["inside"][self.possible_agents.index(agent)]
        actions = {**self._actions, agent: checked_action(action, agent) if inside else 0}
        if len(actions) < len(self.agents):
            self._actions = actions
            self._cumulative_rewards[agent] = 0  # else another's illegal move pays it again
            if len(actions) == 1:
                self._clear_rewards()
            self.agent_selection = self.agents[len(actions)]
            return
        self._observations, self.rewards, self.terminations, self.truncations, self.infos = self.env.step(actions)
        self._actions = {}
        self._cumulative_rewards = self.rewards.copy()
        self.agent_selection = self.agents[0]
        self._deads_step_first()

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent; raise ValueError for an unknown one."""
        return self._observations[checked_agent(agent, self.possible_agents)]

    def state(self) -> Any:
        """Return the global state, see `diamant_env.diamant_v0.parallel_env.state`."""
        return self.env.state()

    def render(self) -> Any:
        """Return the game as text or image, see `diamant_env.diamant_v0.parallel_env.render`."""
        return self.env.render()

    def close(self) -> None:
        """Close the window, if any."""
        self.env.close()

    def __str__(self) -> str:
        return str(self.env)

    __copy__ = copy.deepcopy  # a shallow copy would share the game
