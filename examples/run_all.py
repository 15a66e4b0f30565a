"""Run of all examples in separate venvs, with results or errors in docs/libraries.json: `make examples`.

Each is installed by the line in its docstring; those with the same line share a venv. docs/libraries.md shows the
results.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "libraries.json"


class Recipe(NamedTuple):
    """An example, a row of the table in docs/libraries.md.

    Attributes:
        name: The library and the algorithm.
        module: Module in examples/ and its options.
        package: Name of the library's distribution.
        mask: Where the action mask is.
        idle: Treatment of seats in camp.
        mind: Limits and pitfalls.
    """

    name: str
    module: str
    package: str
    mask: str
    idle: str
    mind: str


IDLE = "rows with one legal action, in the value loss"
NOT_ASKED = "none: the game plays on"
RECIPES = [
    Recipe(
        "SB3 PPO, own VecEnv", "sb3_vec_env", "stable-baselines3",
        "none", "rows in the loss", "takes no mask; `GymnasiumVecEnv` adapts Gymnasium's vector environment",
    ),
    Recipe(
        "sb3-contrib MaskablePPO", "sb3_vec_env --maskable", "sb3-contrib",
        '`env_method("action_masks")`', IDLE, "can't leave idle rows out",
    ),
    Recipe(
        "SB3 PPO through SuperSuit", "sb3_vec_env --supersuit", "supersuit",
        "none", "rows in the loss", "ignores seeds; `black_death_v3` reports the end one step late and isn't needed",
    ),
    Recipe(
        "CleanRL-style PPO", "cleanrl_style", "torch",
        "none", NOT_ASKED, "learns from one seat of four; with autoreset NextStep one step per game is a reset",
    ),
    Recipe(
        "RLlib PPO, deciding seats", "rllib", "ray",
        "none", "not observed, so not asked", "pins gymnasium 1.2.2; all seats must be observed at the end",
    ),
    Recipe(
        "RLlib PPO, its action mask", "rllib --mask", "ray",
        "`observations` and `action_mask` in a Dict", IDLE, "doesn't read PettingZoo's key `observation`",
    ),
    Recipe(
        "TorchRL PPO", "torchrl_ppo", "torchrl",
        "infos", IDLE, "steps one game after the other; `rollout` explores only on request",
    ),
    Recipe(
        "Tianshou PPO", "tianshou_ppo", "tianshou",
        "none", NOT_ASKED, "learns from one seat of four: its `PettingZooEnv` loses rewards of simultaneous decisions",
    ),
    Recipe(
        "BenchMARL MAPPO", "benchmarl_mappo", "benchmarl",
        "infos", IDLE, "needs torchrl < 0.12, a task class, a seed per game; its shared critic values all seats alike",
    ),
    Recipe(
        "AgileRL IPPO", "agilerl_ippo", "agilerl",
        "none", "rows in the loss", "mixes up rows of seats that share a network; its loop ignores ends of games",
    ),
    Recipe(
        "JAX PPO, `train.jax_ppo`", "jax_ppo", "jax",
        "none", "left out", "takes the inputs of the shipped networks; most of the seconds are compiling",
    ),
]  # fmt: skip
FIGURES = re.compile(
    r"result: (?P<package>\S+) (?P<version>\S+): (?P<decisions>[\d,]+) decisions in (?P<seconds>[\d,.]+) s, "
    r"(?P<rate>[\d,]+) a second; win share (?P<share>[\d.]+ ± [\d.]+) in (?P<games>[\d,]+) games; "
    r"in the same seats (?P<beside>.+)"
)


def command(recipe: Recipe, steps: int) -> list[str]:
    """Return the command of a recipe without the interpreter."""
    module, *options = recipe.module.split()
    return ["-m", f"examples.{module}", *options, "--steps", str(steps)]


def requirements(recipe: Recipe) -> list[str]:
    """Return the arguments of pip install in a recipe's docstring."""
    text = (ROOT / "examples" / f"{recipe.module.split()[0]}.py").read_text(encoding="utf-8")
    return shlex.split(re.findall(r"^Install: pip install (.+?)(?: {3}.*)?$", text, re.MULTILINE)[0])


def main() -> None:
    """Run the recipes and write their results."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--steps", type=int, default=300_000, help="decisions of each recipe")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for an installation or a run")
    parser.add_argument("--venvs", type=Path, default=ROOT / "build" / "examples", help="folder for the venvs")
    parser.add_argument("--only", nargs="+", metavar="MODULE", help="examples to run; results of the others are kept")
    args = parser.parse_args()
    lines = json.loads(RESULTS.read_text(encoding="utf-8"))
    for recipe in RECIPES:
        if args.only is None or recipe.module.split()[0] in args.only:
            lines[recipe.name] = line = tried(recipe, args.venvs.resolve(), args.steps, args.timeout)
            print(f"{line['verdict']:<14} {recipe.name}: {line['output']}", flush=True)
            RESULTS.write_text(json.dumps(lines, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def tried(recipe: Recipe, venvs: Path, steps: int, timeout: int) -> dict[str, str]:
    """Install and run a recipe; return its line."""
    needs = requirements(recipe)
    venv = venvs / re.sub(r"\W+", "-", " ".join(needs))
    python, stamp = venv / "bin" / "python", venv / "installed"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        rc, output = finished([python, "-m", "pip", "install", *needs], timeout)
        if rc != 0:
            return {"version": "", "command": "", "verdict": "no install", "output": reason(output)}
        stamp.touch()
    asked = f"from importlib.metadata import version; print(version({recipe.package!r}))"
    line = {
        "version": finished([python, "-c", asked], timeout)[1].strip(),
        "command": " ".join(["python", *command(recipe, steps)]),
    }
    rc, output = finished([python, *command(recipe, steps)], timeout)
    result = FIGURES.search(output)
    if rc != 0 or result is None:
        return {**line, "verdict": "fails", "output": reason(output)}
    figures = result.groupdict()
    del figures["package"], figures["version"]
    return {**line, "verdict": "runs", "output": result[0].removeprefix("result: "), **figures}


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
