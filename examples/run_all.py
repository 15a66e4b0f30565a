"""Run every recipe in a venv and write what happened: `make examples`.

Recipes with the same requirements share a venv. The results go to docs/libraries.json, from which the table in
docs/libraries.md is written: what didn't run is not ticked.
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
DOCUMENT = ROOT / "docs" / "libraries.md"
PART = re.compile(r"(<!-- generated: libraries -->\n).*?(<!-- end -->)", re.DOTALL)
TORCH = "torch==2.13.0"


class Recipe(NamedTuple):
    """One line of the table.

    Attributes:
        name: The library and the algorithm.
        module: In examples/, with its options; empty if there is no recipe.
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

    @property
    def imports(self) -> str:
        """The library's module."""
        return self.package.replace("-", "_")


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
        "SB3 PPO through SuperSuit", "sb3_supersuit", SHARED, "supersuit",
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
    Recipe(
        "PufferLib emulation", "", (".", "pufferlib==3.0.0", TORCH), "pufferlib",
        "", "", "its build downloads raylib from GitHub; wants numpy < 2 and gymnasium 0.29",
    ),
]  # fmt: skip


def command(recipe: Recipe, steps: int) -> list[str]:
    """Return what runs a recipe, but for the interpreter."""
    module, *options = recipe.module.split()
    return ["-m", f"examples.{module}", *options, "--steps", str(steps)]


def main() -> None:
    """Make the venvs, run the recipes, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venvs", type=Path, default=ROOT / "build" / "examples", help="folder of the venvs")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--timeout", type=int, default=900, help="seconds for one installation or one recipe")
    parser.add_argument("--only", nargs="*", help="run these alone; the others keep their lines")
    args = parser.parse_args()
    args.venvs.mkdir(parents=True, exist_ok=True)
    constraint = args.venvs.resolve() / "torch.txt"  # builds in isolation keep to it as well
    constraint.write_text(f"{TORCH}\n", encoding="utf-8")
    os.environ["PIP_CONSTRAINT"] = str(constraint)
    lines = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for recipe in RECIPES:
        if args.only is None or (recipe.module or recipe.package).split()[0] in args.only:
            lines[recipe.name] = tried(recipe, args.venvs.resolve(), args.steps, args.timeout)
            print(f"{lines[recipe.name]['verdict']:<14} {recipe.name}: {lines[recipe.name]['output']}", flush=True)
            RESULTS.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(PART.sub(lambda part: part[1] + table(lines) + "\n" + part[2], text), encoding="utf-8")


def tried(recipe: Recipe, venvs: Path, steps: int, timeout: int) -> dict[str, str | float]:
    """Install and run a recipe; return its line."""
    start = time.time()
    line = {"version": "", "command": "", "seconds": 0.0}
    python = venvs / ("shared" if recipe.needs == SHARED else recipe.package) / "bin" / "python"
    stamp = python.parents[1] / "installed"
    if not stamp.exists():
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True)
        install = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
        install += ["-c", "constraints.txt"] * (recipe.needs == SHARED) + ["-e", *recipe.needs]
        rc, output = finished(install, timeout)
        if rc != 0:
            return line | {"verdict": "no install", "output": reason(output), "seconds": round(time.time() - start, 1)}
        stamp.touch()
    asked = f"from importlib.metadata import version; print(version({recipe.package!r}))"
    line["version"] = finished([str(python), "-c", asked], timeout)[1].strip()
    if not recipe.module:
        return line | {"verdict": "no recipe", "output": "installed, but there is no recipe"}
    line["command"] = " ".join(["python", *command(recipe, steps)])
    start = time.time()
    rc, output = finished([str(python), *command(recipe, steps)], timeout)
    line["seconds"] = round(time.time() - start, 1)
    results = [text for text in output.splitlines() if text.startswith("result: ")]
    if rc == 0 and results:
        return line | {"verdict": "runs", "output": results[-1].removeprefix("result: ")}
    return line | {"verdict": "fails", "output": reason(output)}


def finished(arguments: list[str], timeout: int) -> tuple[int, str]:
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


def table(lines: dict[str, dict]) -> str:
    """Return the table in Markdown; a recipe without a line has not been run."""
    rows = ["| library | version tried | mask | idle seats | command | verdict | what to mind |", "|" + "---|" * 7]
    for recipe in RECIPES:
        line = lines.get(recipe.name, {"version": "", "command": "", "verdict": "not run", "output": ""})
        run = f"`{line['command']}`" if line["command"] else "none"
        verdict = f"**{line['verdict']}**: {line['output']}" if line["output"] else f"**{line['verdict']}**"
        cells = [recipe.name, line["version"], recipe.mask, recipe.idle, run, verdict, recipe.mind]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
