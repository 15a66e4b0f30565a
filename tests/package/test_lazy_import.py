"""Import of the package: lazy, without compiling, handlers, hooks and threads."""

import subprocess
import sys

import pytest

import diamant_env

CODE = """
import signal, sys, threading, gymnasium, pettingzoo
from numba.core import event
installed = lambda: (
    [signal.getsignal(each) for each in signal.valid_signals()],
    [sys.excepthook, sys.unraisablehook, threading.excepthook, sys.stdin, sys.stdout, sys.stderr],
    threading.enumerate(),
)
before = installed()  # libraries may install their own
vars(pettingzoo).pop("register", None)  # as in versions without a registry
compiled = event.RecordingListener()
event.register("numba:compile", compiled)
import diamant_env
assert installed() == before
ABSENT = ["gym_env", "gym_vector", "envs.single_agent_games", "opponents", "drawing", "diamant_v0", "evaluation"]
HEAVY = {"torch", "stable_baselines3", "pygame", "pyspiel", "matplotlib", "agents", "train"}
assert not ({f"diamant_env.{name}" for name in ABSENT} | HEAVY) & set(sys.modules), sys.modules.keys()
assert {"evaluation", "exact", "sb3"} <= set(dir(diamant_env))
assert diamant_env.evaluation.evaluate.__name__ == "evaluate"
import diamant_env.commands.diamant, diamant_env.exact, diamant_env.gym_env, diamant_env.records
from diamant_env import diamant_v0
assert not compiled.buffer
gymnasium.make("diamant_env:diamant_env/Diamant-3p-v0").reset(seed=0)
env = diamant_v0.env(render_mode="ansi")
env.reset(), env.render()
assert not HEAVY & set(sys.modules)
"""


def test_import_is_lazy_compiles_and_installs_nothing():
    subprocess.run([sys.executable, "-W", "error", "-c", CODE], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'evaluatio'"):
        diamant_env.evaluatio  # noqa: B018
