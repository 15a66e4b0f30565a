"""A user's module and settings of tiny runs, for tests of the benchmark."""

TINY = [
    *("--decisions", "300", "--games", "100", "--seeds", "1", "--network.hidden", "8"),
    *("--response.ppo.decisions", "300", "--response.pick-games", "100", "--response.report-games", "100"),
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
    batch = task.batch(10)
    batch.reset(seed=0)
    while task.left > task.budget - number:
        batch.step(np.ones((10, task.players), np.int8), auto_reset=True)

def train(task, budget, seed, folder):
    spend(task, budget // 2)
    return bag

def curved(task, budget, seed, folder):
    """Leaves with fewer gems as it learns."""
    for part in range(1, 4):
        spend(task, part * budget // 3)
        task.checkpoint(f"bag:{12 - 3 * part}")
    if not (folder / "learned").exists():
        (folder / "learned").touch()
        raise ZeroDivisionError("cut off")
    return "bag:3"

def greedy(task, budget, seed, folder):
    spend(task, 2 * budget)
    return "bag:9"

def elsewhere(task, budget, seed, folder):
    return Patient()

def nothing(task, budget, seed, folder):
    spend(task, 10)

def nan(task, budget, seed, folder):
    return not_a_number

def fails(task, budget, seed, folder):
    raise ZeroDivisionError("while\\nlearning")

def three(task, budget, seed):
    return bag

def words(state):
    return "LEAVE"

number = 3
'''
