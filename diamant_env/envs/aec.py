"""AEC environment, and saved states of the parallel environment."""

from __future__ import annotations

import dataclasses
from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from diamant_env.editions import Edition
from diamant_env.engine.arguments import checked_action


@dataclasses.dataclass(frozen=True)
class SavedGame:
    """Value of `parallel_env.clone_state`."""

    num_players: int
    edition: Edition
    parts: tuple  # the batch's snapshot, the scenes and the agents

    @staticmethod
    def checked(state: Any, num_players: int, edition: Edition) -> SavedGame:
        """Return the state; raise ValueError if it is invalid or of another number of players or edition."""
        if not isinstance(state, SavedGame) or len(state.parts) != 3:
            raise ValueError(f"state of type {type(state).__name__}; a value of parallel_env.clone_state() is expected")
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
