"""Run every recipe in a venv and write what happened into docs/libraries.json: `make examples`.

Recipes with the same requirements share a venv. docs/libraries.md shows the results: what didn't run is not ticked.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "libraries.json"
TORCH = "torch==2.13.0"


class Recipe(NamedTuple):
    """One line of the table.

    Attributes:
        name: The library and the algorithm.
        module: In examples/, with its options.
        needs: What pip installs.
        package: The library's name for pip; its module has _ for -.
        mask: Where the action mask is.
        idle: What becomes of seats in camp.
        mind: What to mind.
    """

    name: str
    module: str
    needs: tuple[str, ...]
    package: str
    mask: str
    idle: str
    mind: str


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
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for an installation or a run")
    parser.add_argument("--venvs", type=Path, default=ROOT / "build" / "examples", help="folder for the venvs")
    parser.add_argument("--only", nargs="+", metavar="MODULE", help="recipes to run; the others keep their lines")
    args = parser.parse_args()
    lines = json.loads(RESULTS.read_text(encoding="utf-8"))
    for recipe in RECIPES:
        if args.only is None or recipe.module.split()[0] in args.only:
            lines[recipe.name] = line = tried(recipe, args.venvs.resolve(), args.steps, args.timeout)
            print(f"{line['verdict']:<14} {recipe.name}: {line['output']}", flush=True)
            RESULTS.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


def tried(recipe: Recipe, venvs: Path, steps: int, timeout: int) -> dict[str, str | float]:
    """Install and run a recipe; return its line."""
    start = time.time()
    venv = venvs / ("shared" if recipe.needs == SHARED else recipe.package)
    python, stamp = venv / "bin" / "python", venv / "installed"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        constraints = ["-c", "constraints.txt"] if recipe.needs == SHARED else []
        rc, output = finished([python, "-m", "pip", "install", *constraints, "-e", *recipe.needs], timeout)
        if rc != 0:
            seconds = round(time.time() - start, 1)
            return {"version": "", "command": "", "seconds": seconds, "verdict": "no install", "output": reason(output)}
        stamp.touch()
    asked = f"from importlib.metadata import version; print(version({recipe.package!r}))"
    version = finished([python, "-c", asked], timeout)[1].strip()
    start = time.time()
    rc, output = finished([python, *command(recipe, steps)], timeout)
    results = [text for text in output.splitlines() if text.startswith("result: ")]
    runs = rc == 0 and bool(results)
    return {
        "version": version,
        "command": " ".join(["python", *command(recipe, steps)]),
        "seconds": round(time.time() - start, 1),
        "verdict": "runs" if runs else "fails",
        "output": results[-1].removeprefix("result: ") if runs else reason(output),
    }


def finished(arguments: list[str | Path], timeout: int) -> tuple[int, str]:
    """Run a command in the project's root; return its status and all its output."""
    try:
        done = subprocess.run(
            arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
            env=os.environ | {"OMP_NUM_THREADS": "1"}, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 124, f"error: not done after {timeout} s"
    return done.returncode, done.stdout


def reason(output: str) -> str:
    """Return the last line that names an error, else the last one."""
    lines = [text.strip() for text in output.splitlines() if text.strip()] or ["no output"]
    telling = [text for text in lines if re.search(r"^[\w.]*(Error|Exception)\b|urlopen error", text)]
    return (telling or lines)[-1][:200]


if __name__ == "__main__":
    main()
