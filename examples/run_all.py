"""Run every recipe in a venv and write what happened into docs/libraries.json: `make examples`.

Recipes with the same requirements share a venv. docs/libraries.md shows the results: what didn't run is not ticked.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "libraries.json"
TORCH = "torch==2.13.0"


class Recipe(NamedTuple):
    """One line of the table."""

    name: str  # the library and the algorithm
    module: str  # in examples/, with its options
    needs: tuple[str, ...]  # what pip installs
    package: str  # the library's name for pip; its module has _ for -
    mask: str  # where the action mask is
    idle: str  # what becomes of seats in camp
    mind: str  # what to mind


BENCHMARL = (".", "benchmarl", "torchrl<0.12", TORCH)
SHARED = (".[train,examples]", TORCH)  # as constraints.txt pins it
IDLE = "rows with one legal action"
RECIPES = [
    Recipe(
        "SB3 PPO, own VecEnv", "sb3_vec_env", SHARED, "stable-baselines3",
        "none", "rows, ignored", "SB3 refuses Gymnasium VectorEnvs; `diamant_env.sb3` is its own kind",
    ),
    Recipe(
        "sb3-contrib MaskablePPO", "sb3_maskable", SHARED, "sb3-contrib",
        '`env_method("action_masks")`', IDLE, "idle rows still enter the value loss",
    ),
    Recipe(
        "SB3 PPO through SuperSuit", "sb3_vec_env --supersuit", SHARED, "supersuit",
        "none", "rows, ignored", "`black_death_v3` reports the end one step late and isn't needed; seeds are ignored",
    ),
    Recipe(
        "CleanRL-style PPO", "cleanrl_style", SHARED, "torch",
        "none", "none: one learner", "with autoreset NextStep one row per game is no decision",
    ),
    Recipe(
        "RLlib PPO", "rllib", (".", "ray[rllib]>=2.60,<3", TORCH), "ray",
        "none", "not observed, so not asked", "pins gymnasium 1.2.2; observe all seats at the end",
    ),
    Recipe(
        "TorchRL PPO", "torchrl_ppo", SHARED, "torchrl",
        "infos", IDLE, "string infos crash; all-zero masks crash samplers",
    ),
    Recipe(
        "Tianshou PPO", "tianshou_ppo", (".", "tianshou==2.0.1", TORCH), "tianshou",
        "none", "none: one learner", "ask for 2.x by number: pip may pick 0.5.1 beside other libraries",
    ),
    Recipe(
        "BenchMARL MAPPO", "benchmarl_mappo", BENCHMARL, "benchmarl",
        "infos", IDLE, "wants torchrl < 0.12; `state()` feeds the critic",
    ),
    Recipe(
        "BenchMARL QMIX, cooperative", "benchmarl_mappo --algorithm qmix", BENCHMARL, "benchmarl",
        "infos", IDLE, "maximises what all seats score together: another game than Diamant",
    ),
    Recipe(
        "AgileRL IPPO", "agilerl_ippo", (".", "agilerl", "peft", TORCH), "agilerl",
        '`mask="none"`', "rows, ignored", "wants pettingzoo < 1.27 and peft",
    ),
]  # fmt: skip


def command(recipe: Recipe, steps: int) -> list[str]:
    """Return what runs a recipe, but for the interpreter."""
    module, *options = recipe.module.split()
    return ["-m", f"examples.{module}", *options, "--steps", str(steps)]


def main() -> None:
    """Run the recipes and write what was seen."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--steps", type=int, default=2000, help="budget of each recipe")
    parser.add_argument("--only", nargs="+", metavar="MODULE", help="recipes to run; the others keep their lines")
    args = parser.parse_args()
    lines = json.loads(RESULTS.read_text(encoding="utf-8"))
    for recipe in RECIPES:
        if args.only is None or recipe.module.split()[0] in args.only:
            lines[recipe.name] = line = tried(recipe, args.steps)
            print(f"{line['verdict']:<14} {recipe.name}: {line['output']}", flush=True)
            RESULTS.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


def tried(recipe: Recipe, steps: int) -> dict[str, str]:
    """Install and run a recipe; return its line."""
    venv = ROOT / "build" / "examples" / ("shared" if recipe.needs == SHARED else recipe.package)
    python, stamp = venv / "bin" / "python", venv / "installed"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        constraints = ["-c", "constraints.txt"] if recipe.needs == SHARED else []
        rc, output = finished([python, "-m", "pip", "install", *constraints, "-e", *recipe.needs])
        if rc != 0:
            return {"version": "", "command": "", "verdict": "no install", "output": reason(output)}
        stamp.touch()
    asked = f"from importlib.metadata import version; print(version({recipe.package!r}))"
    rc, output = finished([python, *command(recipe, steps)])
    results = [text for text in output.splitlines() if text.startswith("result: ")]
    runs = rc == 0 and bool(results)
    return {
        "version": finished([python, "-c", asked])[1].strip(),
        "command": " ".join(["python", *command(recipe, steps)]),
        "verdict": "runs" if runs else "fails",
        "output": results[-1].removeprefix("result: ") if runs else reason(output),
    }


def finished(arguments: list[str | Path]) -> tuple[int, str]:
    """Run a command in the project's root, half an hour at most; return its status and all its output."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    output, errors = subprocess.PIPE, subprocess.STDOUT
    try:
        done = subprocess.run(
            arguments, cwd=ROOT, stdout=output, stderr=errors, text=True, timeout=1800, env=environment, check=False
        )
    except subprocess.TimeoutExpired as error:
        return 124, f"error: {error}"
    return done.returncode, done.stdout


def reason(output: str) -> str:
    """Return the last line that names an error, else the last one."""
    lines = output.strip().splitlines() or ["no output"]
    return ([line for line in lines if "Error" in line] or lines)[-1].strip()[:200]


if __name__ == "__main__":
    main()
