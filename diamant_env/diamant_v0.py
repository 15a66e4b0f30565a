"""Diamant as a PettingZoo environment: `parallel_env` for simultaneous decisions, `env` and `raw_env` for AEC.

All agents stay in `agents` until the game is over and terminate together. The action of an agent in camp is ignored
and may be omitted; its action mask allows CONTINUE only.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec, parallel_to_aec_wrapper

from diamant_env.batch import Batch
from diamant_env.editions import MAX_PLAYERS, Edition
from diamant_env.engine.arguments import MAX_SEED, checked_actions, checked_int
from diamant_env.engine.records import copy_game
from diamant_env.envs.renderer import RENDER_MODES, Renderer
from diamant_env.observation import NUM_FEATURES, Observation, observation_space, shown_fields
from diamant_env.rewards import Reward
from diamant_env.state import CONTINUE, LEAVE, GameState

MASKS = ("info", "observation", "none")


class parallel_env(ParallelEnv, EzPickle):
    """Diamant with simultaneous decisions.

    Args:
        num_players: 3 to 8 by the rulebook; 1 and 2 for research.
        edition: An edition, see `diamant_env.find_edition`. `state()` always shows all chests and rivals.
        reward: ``"score"``: gems banked at this step, relics at their value when taken. ``"win"``: at the end 1/k
            for each of the k winners, else 0. ``"margin"``: at the end, own score less the mean of the others'.
        mask: Location of the action mask: ``"info"``, ``"observation"`` (a Dict space with ``"observation"`` and
            ``"action_mask"``) or ``"none"``.
        render_mode: ``"human"`` (a window, redrawn at each turn), ``"rgb_array"`` (uint8 (640, 960, 3)),
            ``"ansi"`` (text) or None. The first two need pygame-ce: ``pip install "diamant-env[render]"``.
        observation: None for all of `FIELDS`, or names of fields such as ``["bag", "path_gems"]`` for a subset.

    Action space: Discrete(2), 0 = CONTINUE, 1 = LEAVE.

    Observation space: Box (NUM_FEATURES,) float32, see `diamant_env.observation.FIELDS`; element 0 is 1 if the agent
    must decide.

    Infos: ``"active"`` (1 if the agent must decide, else 0) and, with ``mask="info"``, ``"action_mask"`` (int8 (2,)).

    Raises:
        ValueError: If an argument is out of range; the message lists what is allowed.
        ImportError: If the render mode is ``"human"`` and pygame-ce isn't installed.
        OSError: If the render mode is ``"human"`` and there is no display.

    >>> env = parallel_env(num_players=3)
    >>> observations, infos = env.reset(seed=0)
    >>> while env.agents:
    ...     actions = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
    ...     observations, rewards, terminations, truncations, infos = env.step(actions)
    >>> terminations
    {'player_0': True, 'player_1': True, 'player_2': True}
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's form
        "name": "diamant_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        reward: Reward = "score",
        mask: str = "info",
        render_mode: str | None = None,
        observation: Observation = None,
    ) -> None:
        if mask not in MASKS:
            raise ValueError(f"unknown mask {mask!r}; allowed: {', '.join(MASKS)}")
        num_players = checked_int("num_players", num_players, 1, MAX_PLAYERS)
        self.render_mode = render_mode
        space: Box | Dict
        space, self._columns = shown_fields(observation)
        if mask == "observation":
            space = Dict({"observation": space, "action_mask": Box(0, 1, (2,), np.int8)})
        self._batch = Batch(1, num_players, edition, reward)
        EzPickle.__init__(self, num_players, self.edition, reward, mask, render_mode, observation)
        self._renderer = Renderer(render_mode, self._batch, self.metadata, RuntimeError)
        self._mask = mask
        self._actions = np.zeros((1, num_players), np.int8)
        self._action_bytes = memoryview(self._actions.data).cast("B")  # faster to write than the array
        self._masks = np.ones((num_players, 2), np.int8)
        self._may_leave = self._masks[:, LEAVE]
        self._rewards = np.zeros((1, num_players), np.float32)
        self._done = np.zeros(1, np.bool_)
        self._observations_shape = (1, num_players, NUM_FEATURES)
        self._inside = self._batch.public_states["inside"][0, :num_players]  # a live view
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.agents: list[str] = []
        self.state_space = observation_space()
        self.action_spaces = {agent: Discrete(2) for agent in self.possible_agents}
        self.observation_spaces = {agent: copy.deepcopy(space) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Box | Dict:
        """Return the observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the action space of an agent, the same object at each call."""
        return self.action_spaces[agent]

    @property
    def edition(self) -> Edition:
        """The edition of the game."""
        return self._batch.editions[0]

    @property
    def game(self) -> GameState:
        """A copy of the game's record, of type `GAME`."""
        return copy_game(self._batch.games[0])

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[dict[str, Any], dict[str, dict]]:
        """Start a game.

        Args:
            seed: Seed of the cards, 0 to 2**64 - 1; None continues the sequence of games of the last seed.
            options: Unused.

        Raises:
            ValueError: If the seed is out of range; the current game is then unchanged.
        """
        number = None if seed is None else checked_int("seed", seed, 0, MAX_SEED, "None or ")
        return self._begin(self._batch.reset(number))

    def restore(self, game: GameState) -> tuple[dict[str, Any], dict[str, dict]]:
        """Continue from a position, and return what `reset` does.

        Pictures show the path from the last card on.

        Args:
            game: A record of type `GAME`, such as `game` or the `state` of a `diamant_env.Game` of chosen cards.

        Raises:
            ValueError: If the record is invalid; the current game is then unchanged.
        """
        self._batch.set_states(np.array([game]))
        return self._begin(self._batch.observe())

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict]]:
        """Play one turn: the decisions, then cards until the next decision.

        Args:
            actions: 0 (CONTINUE) or 1 (LEAVE) for each agent inside the cave; agents in camp may be omitted. When the
                game is over, ``{}`` is allowed and returns five empty dictionaries.

        Raises:
            RuntimeError: Before reset, or with an action when the game is over.
            ValueError: If an agent inside is missing, an agent is unknown, or an action is neither 0 nor 1; the game
                is then unchanged.
        """
        if not self.agents:
            if not (self._batch.started and self._batch.over[0]):
                raise RuntimeError("no game is being played: call reset() first")
            if actions:
                raise RuntimeError(f"the game is over, but {actions} are given: call reset() first")
            return {}, {}, {}, {}, {}
        self._action_bytes[:] = read_actions(actions, self.possible_agents, self._inside)
        observations = np.empty(self._observations_shape, np.float32)
        self._batch.play_unchecked(self._actions, self._rewards, self._done, self._batch.all_games)
        self._batch.observe_unchecked(observations, self._batch.all_games)
        agents, over = self.agents, bool(self._done[0])
        if over:
            self.agents = []
        self._renderer.update([0])
        by_agent, rewards, infos = self._results(observations[0])
        return by_agent, rewards, dict.fromkeys(agents, over), dict.fromkeys(agents, False), infos

    def state(self) -> NDArray[np.float32]:
        """Return the global state, float32 (NUM_FEATURES,): player_0's observation with open chests."""
        return self._batch.state()[0]

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the game as text (``"ansi"``) or as a new uint8 (640, 960, 3) (``"rgb_array"``).

        With ``"human"``, redraw the window and return None.

        Raises:
            RuntimeError: Before the first reset.
            ImportError: If pygame-ce, which pictures need, isn't installed.
        """
        return self._renderer.draw()[0]

    def __repr__(self) -> str:
        return f"<parallel_env: {self.max_num_agents} players, {self.edition.name}, reward {self._batch.reward}>"

    def close(self) -> None:
        """Close the window, if any."""
        self._renderer.close()

    __copy__ = copy.deepcopy  # a shallow copy would share the spaces

    def __getstate__(self) -> dict[str, Any]:
        games = self._batch.games if self._batch.started else None
        game = copy.deepcopy((games, self._renderer.histories, self.agents))
        return {**super().__getstate__(), "game": game, "spaces": (self.observation_spaces, self.action_spaces)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        games, self._renderer.histories, self.agents = state["game"]
        self.observation_spaces, self.action_spaces = state["spaces"]
        if games is not None:
            self._batch.set_states(games)

    def _begin(self, observations: NDArray[np.float32]) -> tuple[dict[str, Any], dict[str, dict]]:
        """Begin to play a game whose first observations are (1, seats, NUM_FEATURES); return those and the infos."""
        self._rewards[:] = 0
        self.agents = [] if self._batch.over[0] else self.possible_agents[:]
        self._renderer.restart([0])
        by_agent, _, infos = self._results(observations[0])
        return by_agent, infos

    def _results(self, observations: NDArray[np.float32]) -> tuple[dict[str, Any], dict[str, float], dict[str, dict]]:
        """Return observations, rewards and infos of all agents."""
        by_agent: dict[str, Any] = {}
        rewards: dict[str, float] = {}
        infos: dict[str, dict] = {}
        observations = observations[..., self._columns]
        # Indexing rows and lists takes half the time of iterating over arrays.
        self._may_leave[...] = self._inside
        masks, inside, paid = self._masks.copy(), self._inside.tolist(), self._rewards.tolist()[0]
        for seat, agent in enumerate(self.possible_agents):
            by_agent[agent] = observations[seat]
            rewards[agent] = paid[seat]
            infos[agent] = {"active": inside[seat], "action_mask": masks[seat]}
        if self._mask != "info":
            for agent, info in infos.items():
                mask = info.pop("action_mask")
                if self._mask == "observation":
                    by_agent[agent] = {"observation": by_agent[agent], "action_mask": mask}
        return by_agent, rewards, infos


def read_actions(actions: Mapping[str, Any], agents: Sequence[str], inside: NDArray[np.int8]) -> bytes:
    """Return the actions as one byte per seat, 0 or 1; those of seats in camp are ignored and may be missing."""
    with contextlib.suppress(KeyError, TypeError, ValueError, OverflowError):
        by_seat = bytes([actions[agent] for agent in agents])
        if len(actions) == len(by_seat) and not by_seat.strip(b"\x00\x01"):
            return by_seat
    if not isinstance(actions, Mapping):
        raise ValueError(f"actions of type {type(actions).__name__}; a dictionary of agents to actions is expected")
    unknown = [agent for agent in actions if agent not in agents]
    if unknown:
        raise ValueError(f"actions of unknown agents {unknown}; the agents are {list(agents)}")
    deciding = {agent for agent, is_inside in zip(agents, inside, strict=True) if is_inside}
    if missing := deciding - actions.keys():
        raise ValueError(f"no action for {', '.join(sorted(missing))}; agents inside the cave must decide")
    return checked_actions([actions[agent] if agent in deciding else CONTINUE for agent in agents], inside).tobytes()


def raw_env(**kwargs: Any) -> AECEnv:
    """Return the AEC environment without order checks. Arguments are those of `parallel_env`."""
    return parallel_to_aec_wrapper(parallel_env(**kwargs))


def env(**kwargs: Any) -> AECEnv:
    """Return the AEC environment: PettingZoo's conversion of `parallel_env`, whose arguments it takes.

    The agents act one after the other, and the turn is played after the last action; the actions before it are
    unobservable. ``unwrapped`` is the `parallel_env`.
    """
    return parallel_to_aec(parallel_env(**kwargs))
