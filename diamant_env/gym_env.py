"""Diamant as a Gymnasium environment: one learner among opponents, every step a real decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from diamant_env.editions import Edition
from diamant_env.engine.arguments import MAX_SEED, checked_action, checked_int
from diamant_env.envs.layout import Observation
from diamant_env.envs.one_learner import OneLearner
from diamant_env.envs.pictures import RENDER_MODES
from diamant_env.opponents.own import Player
from diamant_env.rewards import Reward
from diamant_env.state import GameState


class DiamantEnv(gymnasium.Env):
    """Diamant for one learner; the other seats are played by opponents.

    A push-your-luck game of several expeditions into a cave. All players inside decide at the same time, at each
    turn, to go on or to leave. A treasure is shared by those inside; what does not divide stays on the path, for
    those who leave next. Who leaves puts the bag into the chest; the second trap of a kind drives all others out
    with empty hands. The richest chest wins.

    ## Action space

    ``Discrete(2)``: 0 = CONTINUE, 1 = LEAVE. Both are legal at every step: while the learner is in camp, the
    opponents play on until it is inside again or the game is over.

    ## Observation space

    ``Box(NUM_FEATURES,) float32``, see `diamant_env.FIELDS`; `diamant_env.Observations` gives the fields their names
    and natural units. It holds all that is public; where chests are hidden, the rivals' are 0.

    ## Rewards

    What the learner earned since its last decision, turns that it spent in camp included. ``"score"``: gems banked,
    relics at their value when taken. ``"win"``: at the end 1/k for each of the k winners, else 0. ``"margin"``: at
    the end, own score less the mean of the others'.

    ## Starting state

    The first card of the first expedition lies there. `reset` with a seed starts the game of that seed, which is the
    one that `diamant_env.diamant_v0.parallel_env` plays with it; without, the next one after the last.

    ## Episode end

    Terminated when the game is over, after the last expedition. Never truncated.

    ## Infos

    At every reset and step: ``"seat"``, where the learner sits; ``"score"``, what is in its chest; ``"turns"``, how
    many turns this step has played, at reset 0.

    Args:
        num_players: Seats at the table, the learner's included: 3 to 8 by the rulebook; 1 and 2 for research.
        edition: A published name or an `Edition`.
        reward: ``"score"``, ``"win"`` or ``"margin"``, or a function of your own (`diamant_env.rewards.own_rewards`).
        opponents: Who plays the other seats. One for all of them, or a sequence with one per rival, in the order in
            which the observation lists the rivals: the first sits on the seat after the learner's. Each is

            - a text such as ``"bag:18"`` (see `diamant_env.opponents.make`),
            - the path of a policy file, ``*.safetensors``,
            - a function that takes a batch of observations by name and returns the probability of LEAVE per row, such
              as ``lambda obs: obs["bag"] >= 18``,
            - an agent, an object with ``act(obs, first)`` (see `diamant_env.opponents.Agent`), which may remember
              what it likes; one that does belongs to one environment. If it has a method ``seed(int)``, a reset with
              a seed calls it.
        seat: The learner's seat, from 0; None draws it anew for each game, by the seed.
        render_mode: ``"human"`` (a window that shows each turn by itself), ``"rgb_array"`` (uint8 (640, 960, 3)),
            ``"ansi"`` (text) or None. The first two need pygame-ce: ``pip install "diamant-env[render]"``.
        hidden_chests: Whether a player sees only their own chest: True or False, None as the edition says.
        expeditions: How many make a game; None as the edition says.

    Raises:
        ValueError: If an argument is out of range; the message says what is allowed.
        ImportError: If the render mode needs pygame-ce and it isn't installed.
        OSError: If the render mode is ``"human"`` and there is no display.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        num_players: int = 4,
        edition: str | Edition = "iello-2016",
        reward: Reward = "score",
        opponents: Player | Sequence[Player] = "random",
        seat: int | None = 0,
        render_mode: str | None = None,
        hidden_chests: bool | None = None,
        expeditions: int | None = None,
        observation: Observation = None,
    ) -> None:
        self._learner = OneLearner(
            1,
            num_players,
            edition,
            reward,
            seat,
            opponents,
            hidden_chests,
            expeditions,
            render_mode,
            self.metadata,
            observation,
        )
        self._playing = False
        self.render_mode = render_mode
        self.action_space = Discrete(2)
        self.observation_space = self._learner.layout.space()

    @property
    def edition(self) -> Edition:
        """The edition that is played."""
        return self._learner.edition

    @property
    def game(self) -> GameState:
        """A copy of the game's record, of type `diamant_env.GAME`."""
        return self._learner.batch.games[0].copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a game.

        Args:
            seed: Of the cards, the learner's seat and the opponents; without it, the next game of the sequence that
                the last seed began.
            options: Are ignored.

        Raises:
            ValueError: If the seed is no whole number from 0 to 2**64 - 1.
        """
        number = None if seed is None else checked_int("seed", seed, 0, MAX_SEED, "None or ")
        super().reset(seed=number)
        self._learner.reset(np.ones(1, np.bool_), None if number is None else np.array([number], np.uint64))
        self._playing = True
        return self._learner.observations[0], self._info(0)

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Decide, and let the others play until the next decision or the end of the game.

        Raises:
            ResetNeeded: Before reset, or when the game is over.
            ValueError: If the action is neither 0 nor 1; then nothing was played.
        """
        if not self._playing:
            raise ResetNeeded("step while no game is being played: call reset() first")
        rewards, turns = self._learner.play(np.array([checked_action(action, "the learner")]))
        over = bool(self._learner.over[0])
        self._playing = not over
        return self._learner.observations[0], float(rewards[0]), over, False, self._info(int(turns[0]))

    def _info(self, turns: int) -> dict[str, Any]:
        return {"seat": int(self._learner.seats[0]), "score": int(self._learner.scores[0]), "turns": turns}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool (2,), the legal actions, as sb3-contrib's MaskablePPO asks for them."""
        return self._learner.action_masks[0]

    def render(self) -> Any:
        """Return the table as text or as a picture, as the render mode says; None without one and with a window.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self._learner.pictures.draw()[0]

    def close(self) -> None:
        """Close the window, if there is one."""
        self._learner.pictures.close()
