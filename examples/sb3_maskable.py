"""sb3-contrib: MaskablePPO on the project's VecEnv, one network for every seat.

Install: pip install -c constraints.txt -e ".[train,examples]"
Run:     python -m examples.sb3_maskable --steps 200000

Mask: asked for through `env_method("action_masks")`; feature 0 of an observation says whether LEAVE is legal.
Idle seats: rows with the mask [True, False]. With one legal action its probability is 1, so that these rows add
nothing to the policy's gradient; they still enter the value loss.
"""

import argparse

import numpy as np
from sb3_contrib import MaskablePPO

from diamant_env.sb3 import DiamantVecEnv
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200_000)
steps = parser.parse_args().steps


class MaskedVecEnv(DiamantVecEnv):
    """Tells MaskablePPO which actions are legal."""

    def action_masks(self):
        """Return bool (rows, 2): CONTINUE is always legal, LEAVE inside the cave."""
        inside = self.observations()[:, 0] == 1
        return np.stack([np.ones_like(inside), inside], axis=1)

    def env_method(self, method_name, *method_args, indices=None, **method_kwargs):
        """Answer `action_masks`, once per row."""
        if method_name == "action_masks":
            return list(self.action_masks())
        return super().env_method(method_name, *method_args, indices=indices, **method_kwargs)


env = MaskedVecEnv(num_games=16, num_players=4, reward="win")  # 64 rows
env.seed(0)
model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=2048, gamma=1.0, seed=0, device="cpu")
model.learn(steps)

report("sb3-contrib", model.num_timesteps, lambda observations: model.predict(observations)[0])
