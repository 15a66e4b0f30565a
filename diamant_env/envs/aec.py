"""AEC environment."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from diamant_env.engine.arguments import checked_action


class AecGame(parallel_to_aec_wrapper):
    """A `parallel_env` whose agents act sequentially; the turn is played after the last action."""

    def step(self, action: Any) -> None:
        """Take the action of `agent_selection`: 0 or 1, or None after termination.

        Raises:
            RuntimeError: Before reset, or when the game is over.
            ValueError: If the action is not allowed; `agent_selection` is then unchanged.
        """
        if not getattr(self, "agents", ()):
            raise RuntimeError("no game is being played: call reset() first")
        agent = self.agent_selection
        if not self.terminations[agent]:
            inside = self.env.game["inside"][self.possible_agents.index(agent)]
            action = checked_action(action, agent) if inside else 0
        elif action is not None:
            raise ValueError(f"action {action!r} of {agent}, whose game is over; allowed: None")
        super().step(action)
