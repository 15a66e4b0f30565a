"""Optuna: learning rate and entropy of PPO, pruned by the learning curve of `JudgeCallback`.

Install: pip install -c constraints.txt optuna ".[sb3,judge]"
Run:     python -m examples.optuna_prunes --trials 20

All trials are evaluated in the same games (common random numbers). Tune against `pool`; report against `held-out`.
"""

import argparse

import optuna
from stable_baselines3 import PPO

from diamant_env.sb3 import DiamantVecEnv, JudgeCallback

parser = argparse.ArgumentParser()
parser.add_argument("--trials", type=int, default=20)
parser.add_argument("--steps", type=int, default=300_000, help="steps per trial, with six evaluations")
parser.add_argument("--games", type=int, default=4_000, help="games per evaluation")
args = parser.parse_args()


def objective(trial):
    """Return the final win share; a trial below the median of the earlier ones is pruned."""

    def report(judgement):
        trial.report(judgement.win_share, judgement.steps)
        if trial.should_prune():
            raise optuna.TrialPruned

    judge = JudgeCallback(against="pool", every=args.steps // 5, games=args.games, after=report)
    rates = {
        "learning_rate": trial.suggest_float("learning_rate", 1e-4, 1e-2, log=True),
        "ent_coef": trial.suggest_float("ent_coef", 1e-4, 1e-1, log=True),
    }
    env = DiamantVecEnv(64, 4, reward="win")
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=1024, gamma=1.0, device="cpu", seed=trial.number, **rates)
    model.learn(args.steps, callback=judge)
    return judge.curve[-1].win_share


study = optuna.create_study(direction="maximize", pruner=optuna.pruners.MedianPruner(n_startup_trials=4))
study.optimize(objective, args.trials)
print(f"best: {study.best_params}, win share {study.best_value:.3f}")
