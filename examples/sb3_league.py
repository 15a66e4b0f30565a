"""stable-baselines3: PPO against snapshots of itself (`opponents`), compared with plain self-play.

Install: pip install -c constraints.txt ".[sb3,judge]"
Run:     python -m examples.sb3_league --steps 300000

Both learn from the same number of steps (rows) and are evaluated against held-out agents. In self-play all four seats
learn. In the league half of the games are self-play; in the others seat 0 learns and each rival is a random snapshot.
The league was no better than self-play: docs/models.md has the figures.
"""

import argparse

import numpy as np
from stable_baselines3 import PPO

from diamant_env.judging import evaluate
from diamant_env.opponents import EMPTY, make
from diamant_env.opponents.models.export import to_network
from diamant_env.sb3 import DiamantVecEnv

SETTINGS = {"n_steps": 64, "batch_size": 1024, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 1.0, "ent_coef": 0.005}


def learn(steps, rows, phases, league, seed):
    """Train PPO in a league that grows by a snapshot each phase."""
    random, past, model = np.random.default_rng(seed), [], None
    for phase in range(phases):
        seating = np.full((rows // 4 if not past else 2 * rows // 5, 4), EMPTY)  # 4 learning seats, or 4 + 1
        if past:
            rivals = seating[::2, 1:]
            rivals[:] = random.integers(len(past), size=rivals.shape)
        env = DiamantVecEnv(len(seating), 4, reward="win", opponents=past, seating=seating)
        env.seed(seed + 1000 * phase)
        if model is None:
            model = PPO("MlpPolicy", env, seed=seed, device="cpu", **SETTINGS)
        model.set_env(env)
        model.learn(steps // phases, reset_num_timesteps=False)
        if league:
            past.append(to_network(make(model)))  # a frozen copy, which needs no torch
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--games", type=int, default=20_000)
    args = parser.parse_args()
    for name, league in (("self-play", False), ("league", True)):
        models = [learn(args.steps, 160, 10, league, seed) for seed in range(args.seeds)]
        judged = [evaluate(model, against="held-out", games=args.games).results[0] for model in models]
        shares = [f"{one.win_share.mean:.3f}" for one in judged]
        print(f"{name}: win share against held-out {', '.join(shares)} (fair: 0.250)", flush=True)
