"""Layers of imports."""

import ast
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("diamant_env", "agents", "train", "benchmarks", "docs", "examples")
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for top in PRODUCT
    for path in sorted((ROOT / top).rglob("*.py"))
}
# A folder of the package imports from its own line and from the lines above it.
LAYERS = [
    "storage editions compilation",
    "state observation",
    "rules random_numbers",
    "rewards",
    "engine agent",
    "batch drawing exact game",
    "opponents",
    "envs evaluation advice benchmark",
    "diamant_v0 gym_env gym_vector sb3 tasks open_spiel jax",
    "records",
    "page",
    "commands",
    "__main__",
]
COMMANDS = {module for module, path in FILES.items() if path.parent == ROOT / "train" and path.stem != "__init__"}


def imports(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the modules that these statements import, files of this repository by their own names."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found.update(full if full in FILES else str(node.module) for full in names.values())
    return found


TREES = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in FILES.items()}
GRAPH = {module: imports(ast.walk(tree)) & set(FILES) - {module} for module, tree in TREES.items()}


def component(module: str) -> str:
    """Return the top-level folder or file of a package that holds a module."""
    return ".".join(module.split(".")[:2])


def expect_no(problems: Iterable[str]) -> None:
    """Fail with all problems in one message."""
    found = sorted(problems)
    assert not found, "\n".join(found)


def test_imports_follow_the_layers():
    line = {f"diamant_env.{name}": number for number, names in enumerate(LAYERS) for name in names.split()}
    assert set(line) == {name for name in map(component, FILES) if name.startswith("diamant_env.")}
    problems = []
    for module, imported in GRAPH.items():
        top, here = module.split(".")[0], component(module)
        for other in imported:
            wrong = line.get(component(other), len(LAYERS)) > line.get(here, len(LAYERS))
            wrong |= top in ("diamant_env", "agents") and other.split(".")[0] not in ("diamant_env", top)
            # Files in folders of train/ import no command but train.ppo and train.league, whose learners they subclass.
            wrong |= top == "train" and module != here and other in COMMANDS - {"train.ppo", "train.league"}
            problems += [f"{module} imports {other}"] * wrong
    expect_no(problems)
