"""Diamant as a Gymnasium environment: one learner among opponents."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from diamant_env.editions import Edition
from diamant_env.engine.arguments import MAX_SEED, checked_int
from diamant_env.engine.records import copy_game
from diamant_env.envs.renderer import RENDER_MODES
from diamant_env.envs.single_agent_games import SingleAgentGames
from diamant_env.observation import Observation
from diamant_env.opponents.matchup import Opponents
from diamant_env.rewards import Reward
from diamant_env.state import GameState


class DiamantEnv(gymnasium.Env):
    """Diamant for one learner; the other seats are played by opponents.

    A push-your-luck game of several expeditions into a cave. At each turn all players inside simultaneously choose to
    continue or to leave. A treasure is divided equally among the players inside; the remainder stays on the path for
    the next leavers. Leavers bank their bag in their chest; the second trap of a kind ends the expedition, and the
    players still inside lose their bags. The largest chest wins.

    ## Action space

    ``Discrete(2)``: 0 = CONTINUE, 1 = LEAVE. Both are legal at every step: turns that the learner spends in camp are
    played within the step.

    ## Observation space

    ``Box(NUM_FEATURES,) float32``, see `diamant_env.FIELDS`; `diamant_env.Observations` gives the fields their names
    and natural units. Contains all public information; with hidden chests, those of the rivals are 0.

    ## Rewards

    The sum over the turns since the learner's last decision. ``"score"``: gems banked,
    relics at their value when taken. ``"win"``: at the end 1/k for each of the k winners, else 0. ``"margin"``: at
    the end, own score less the mean of the others'.

    ## Starting state

    The first card of the first expedition is revealed. `reset` with a seed starts the same game as
    `diamant_env.diamant_v0.parallel_env`; without a seed it continues the sequence of games.

    ## Episode end

    Terminated when the game is over, after the last expedition. Never truncated.

    ## Infos

    At every reset and step: ``"seat"``, the learner's seat; ``"score"``, gems in its chest; ``"turns"``, number of
    turns played in this step, 0 at reset. At the end also ``"is_success"``: whether it has won, ties included.

    Args:
        num_players: Seats at the table, the learner's included: 3 to 8 by the rulebook; 1 and 2 for research.
        edition: An edition, see `diamant_env.find_edition`.
        reward: ``"score"``, ``"win"``, ``"margin"`` or a custom function (`diamant_env.rewards.custom_rewards`).
        opponents: An agent, whose copies take all other seats; a pool (``"pool"``, ``"held-out"`` or a .toml), from
            which distinct members are drawn for each game from its seed; or a list of agents: one per rival in the
            observation's order, starting at the seat after the learner's, or more, from which distinct ones are drawn
            as from a pool. An agent is

            - a spec such as ``"bag:18"`` (see `diamant_env.opponents.make_agent`),
            - the path of a policy file, ``*.safetensors``,
            - a function from a batch of observations by name to the probability of LEAVE per row, such as
              ``lambda obs: obs["bag"] >= 18``,
            - a tuple ``("name", any of the following)``,
            - an agent, an object with ``act(obs, episode_start)`` (see `diamant_env.opponents.Agent`); stateful agents
              can't be shared between environments. A method ``seed(int)``, if any, is called by a reset with a seed.
        seat: The learner's seat, from 0; None samples it for each game from the seed.
        render_mode: ``"human"`` (a window, redrawn at each turn), ``"rgb_array"`` (uint8 (640, 960, 3)),
            ``"ansi"`` (text) or None. The first two need pygame-ce: ``pip install "diamant-env[render]"``.
        observation: See `diamant_env.diamant_v0.parallel_env`.

    Raises:
        ValueError: If an argument is out of range; the message lists what is allowed.
        ImportError: If the render mode is ``"human"`` and pygame-ce isn't installed.
        OSError: If the render mode is ``"human"`` and there is no display.

    >>> env = gymnasium.make("diamant_env/Diamant-v0", opponents="bag:18")
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> env.observation_space.contains(observation), terminated
    (True, False)
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        reward: Reward = "score",
        opponents: Opponents = "random",
        seat: int | None = 0,
        render_mode: str | None = None,
        observation: Observation = None,
    ) -> None:
        self._games = SingleAgentGames(
            1, num_players, edition, reward, seat, opponents, render_mode, self.metadata, observation
        )
        self._playing = False
        self.render_mode = render_mode
        self.action_space = Discrete(2)
        self.observation_space = self._games.space

    @property
    def edition(self) -> Edition:
        """The edition of the game."""
        return self._games.edition

    @property
    def game(self) -> GameState:
        """A copy of the game's record, of type `diamant_env.GAME`."""
        return copy_game(self._games.batch.games[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a game.

        Args:
            seed: Seed of the cards, the learner's seat and the opponents, 0 to 2**64 - 1; None continues the sequence
                of games of the last seed.
            options: Unused.

        Raises:
            ValueError: If the seed is out of range; the current game is then unchanged.
        """
        number = None if seed is None else checked_int("seed", seed, 0, MAX_SEED, "None or ")
        self._games.reset(np.ones(1, np.bool_), None if number is None else np.array([number], np.uint64))
        super().reset(seed=number)
        self._playing = True
        return self._games.observations[0], self._info(0)

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play the learner's action and all turns until its next decision or the end of the game.

        Raises:
            ResetNeeded: Before reset, or when the game is over.
            ValueError: If the action is neither 0 nor 1; the game is then unchanged.
        """
        if not self._playing:
            raise ResetNeeded("no game is being played: call reset() first")
        rewards, turns = self._games.advance([action])
        over = bool(self._games.over[0])
        self._playing = not over
        info = self._info(int(turns[0]))
        if over:
            info["is_success"] = bool(self._games.won[0])
        return self._games.observations[0], float(rewards[0]), over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool (2,), for sb3-contrib's MaskablePPO."""
        return self._games.action_masks[0]

    def render(self) -> Any:
        """Return the game as text or image by render mode; None for ``"human"`` or without a render mode.

        Raises:
            ResetNeeded: Before the first reset.
            ImportError: If pygame-ce, which pictures need, isn't installed.
        """
        return self._games.renderer.draw()[0]

    def close(self) -> None:
        """Close the window, if any."""
        self._games.renderer.close()

    __copy__ = copy.deepcopy  # a shallow copy would share the game

    def _info(self, turns: int) -> dict[str, Any]:
        return {"seat": int(self._games.seats[0]), "score": int(self._games.scores[0]), "turns": turns}
