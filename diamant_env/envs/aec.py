"""The AEC form of the environment, and saved states of the parallel one."""

from __future__ import annotations

import dataclasses
from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from diamant_env.editions import Edition
from diamant_env.engine.arguments import checked_action


@dataclasses.dataclass(frozen=True)
class SavedGame:
    """What `parallel_env.clone_state` returns."""

    num_players: int
    edition: Edition
    parts: tuple  # the batch's games, the picture and the agents

    @staticmethod
    def checked(state: Any, num_players: int, edition: Edition) -> SavedGame:
        """Return a state, if it is one and fits this table; a ValueError says what is wrong with it."""
        if not isinstance(state, SavedGame) or len(state.parts) != 3:
            raise ValueError(f"a {type(state).__name__} is no state; a value of parallel_env.clone_state() is expected")
        if state.num_players != num_players:
            raise ValueError(f"a state of {state.num_players} players; one of {num_players} is expected")
        if state.edition != edition:
            fields = [field.name for field in dataclasses.fields(Edition)]
            other = [name for name in fields if getattr(state.edition, name) != getattr(edition, name)]
            raise ValueError(
                f"a state of edition {state.edition.name!r}; one of {edition.name!r} is expected, "
                f"and they differ in: {', '.join(other)}"
            )
        return state


class AecGame(parallel_to_aec_wrapper):
    """A `parallel_env` whose agents choose one after the other; it is played when the last has chosen."""

    def step(self, action: Any) -> None:
        """Take the action of the agent whose turn it is: 0 or 1, or None once it has terminated.

        Raises:
            RuntimeError: Before reset, or when the game is over.
            ValueError: If the action is not allowed; it is still that agent's turn then.
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
