"""A user's module and settings of tiny runs, for tests of the benchmark."""

TINY = [
    *("--decisions", "300", "--games", "100", "--seeds", "1", "--exact-players", "1", "--network.hidden", "8"),
    *("--response.ppo.decisions", "300", "--response.selection-games", "100", "--response.test-games", "100"),
    *("--response.values.self-play", "0", "--response.pools"),
]
MODULE = '''
"""Algorithms of a user."""
import numpy as np
from diamant_env import Observations

def bag(obs, first=None):
    return obs["bag"] >= 9

def not_a_number(obs):
    return np.full(len(obs.flat), np.nan, np.float32)

def breaks(obs):
    raise ZeroDivisionError("in my agent")

class Patient:
    def act(self, obs, first):
        return np.zeros(len(first), np.float32)

def spend(task, number):
    batch, spent = task.batch(10), 0
    batch.reset(seed=0)
    while spent < number:
        spent += int(batch.must_decide.sum())
        batch.step(np.ones((10, task.players), np.int8), auto_reset=True)
    return spent

def train(task, budget, seed, folder):
    return bag, spend(task, budget // 2)

def curved(task, budget, seed, folder):
    """Leaves with fewer gems as it learns."""
    spent = 0
    for part in range(1, 4):
        spent += spend(task, part * budget // 3 - spent)
        task.checkpoint(f"bag:{12 - 3 * part}", spent)
    if not (folder / "learned").exists():
        (folder / "learned").touch()
        raise ZeroDivisionError("cut off")
    return "bag:3", spent

def greedy(task, budget, seed, folder):
    return "bag:9", spend(task, 2 * budget)

def elsewhere(task, budget, seed, folder):
    return Patient(), 0

def nothing(task, budget, seed, folder):
    spend(task, 10)

def nan(task, budget, seed, folder):
    return not_a_number, 0

def fails(task, budget, seed, folder):
    raise ZeroDivisionError("while\\nlearning")

def three(task, budget, seed):
    return bag, 0

number = 3
'''
