"""Adapter of Gymnasium's vector environments to stable-baselines3's `VecEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import ObservationWrapper
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import DictInfoToList
from numpy.typing import NDArray
from stable_baselines3.common.env_util import is_wrapped

from diamant_env.sb3.vec_env import Rows


class GymnasiumVecEnv(Rows):
    """`VecEnv` over a vector environment of Gymnasium, without a Python loop over its games.

    ``GymnasiumVecEnv(gymnasium.make_vec("diamant_env/Diamant-v0", num_envs=256, autoreset_mode="SameStep"))``

    Infos are those of the vector environment by row, including final infos where a game ended.

    Args:
        envs: A vector environment with ``autoreset_mode="SameStep"``.

    Raises:
        ValueError: If it has another mode or is not a vector environment.
    """

    _methods = ("action_masks", "render")

    def __init__(self, envs: VectorEnv) -> None:
        if not isinstance(envs, VectorEnv):
            raise ValueError(f"{envs!r} is not a gymnasium.vector.VectorEnv; gymnasium.make_vec returns one")
        mode = envs.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode={mode}; stable-baselines3 needs AutoresetMode.SAME_STEP")
        self.envs = envs
        self._listed: Any = DictInfoToList(envs)
        self._in_observation_wrapper: list[bool] = []  # of an `AsyncVectorEnv`, also after `close`
        if isinstance(envs.unwrapped, AsyncVectorEnv):
            self._in_observation_wrapper = list(envs.unwrapped.call("has_wrapper_attr", "observation"))  # its method
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self.metadata = {**envs.metadata, **self.metadata}

    def _owner(self, name: str) -> Any:
        if name == "action_masks":
            return self
        return self.envs if hasattr(self.envs, name) else self.envs.unwrapped  # vector wrappers forward no attributes

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool (num_envs, 2)."""
        masks = getattr(self.envs.unwrapped, "action_masks", None)
        return np.stack(masks() if masks else self.envs.unwrapped.call("action_masks"))  # type: ignore[attr-defined]

    def reset(self) -> Any:
        """Start new games with `seed` and `set_options`, if called; return the observations (num_envs, …)."""
        observations, self.reset_infos = self._listed.reset(seed=self._seeds[0], options=self._take_options())
        self._reset_seeds()
        return observations

    def step_async(self, actions: NDArray) -> None:
        """Store the actions, (num_envs,)."""
        self.actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict]]:
        """Play the actions; infos of games that ended have ``terminal_observation``."""
        observations, rewards, terminated, truncated, infos = self._listed.step(self.actions)
        done = terminated | truncated
        for game in np.flatnonzero(done):
            last = {"terminal_observation": infos[game].pop("final_obs")}
            last["TimeLimit.truncated"] = bool(truncated[game] and not terminated[game])
            final = infos[game].pop("final_info", {})
            self.reset_infos[game] = infos[game]
            infos[game] = {**infos[game], **final, **last}
        return observations, rewards.astype(np.float32), done, infos

    def get_images(self) -> list[Any]:
        """Return a picture of each game, None without a render mode."""
        return list(self.envs.render() or [None] * self.num_envs)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return for each row whether its environment is in such a wrapper.

        The environments of an `AsyncVectorEnv` report `ObservationWrapper` only.
        """
        envs = getattr(self.envs.unwrapped, "envs", None)
        if wrapper_class is ObservationWrapper and self._in_observation_wrapper:
            return [self._in_observation_wrapper[row] for row in self._get_indices(indices)]
        return [envs is not None and is_wrapped(envs[row], wrapper_class) for row in self._get_indices(indices)]

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()
