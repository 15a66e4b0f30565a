"""Compilation of the functions and modules that most tests need, once before the workers of pytest start."""

# ruff: noqa: E402, F401
import sys

sys.dont_write_bytecode = False  # of these modules alone: pip leaves out bytecode, which would be of all installed ones

import hypothesis
import matplotlib.pyplot
import numpy as np
import sb3_contrib
import torch._dynamo

import tests.conftest  # sets NUMBA_CACHE_DIR
import train.benchmark
from diamant_env import Batch, exact, from_observation
from diamant_env.evaluation.games import play, seeds_for
from diamant_env.opponents import make_agent

batch, actions = Batch(2, 3), np.zeros((2, 3), np.int8)
batch.reset(1)
batch.draw_decisions(np.zeros((2, 3), np.float32), actions)
batch.step(actions, auto_reset=True)
batch.set_states(from_observation(batch.observe()[:, 0], batch.games.key))
batch.play(actions)
play(("ev", "bag:18"), np.array([[0, 1, 0]]), 8, seeds_for(0))
exact.solve_single_player("iello-2016-fr")
x = exact.solve_equilibrium(2).tree
exact.best_response(exact.policy_of(make_agent("ev"), x), x)
