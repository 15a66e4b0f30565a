"""Vectorised environments and an evaluation callback for stable-baselines3."""

try:
    from diamant_env.sb3.evaluate_callback import CallbackResult, EvaluateCallback
except ModuleNotFoundError as error:
    text = f'diamant_env.sb3 needs {error.name}: pip install "diamant-env[sb3]"'
    raise ModuleNotFoundError(text, name=error.name) from error
from diamant_env.sb3.gymnasium_vec_env import GymnasiumVecEnv
from diamant_env.sb3.vec_env import DiamantVecEnv

__all__ = ["CallbackResult", "DiamantVecEnv", "EvaluateCallback", "GymnasiumVecEnv"]
