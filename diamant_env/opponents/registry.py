"""Registry of agents by spec: ``make_agent("bag:18")``, ``make_agent("search:champion")``."""

from __future__ import annotations

import os
from pathlib import Path

from diamant_env.agent import Agent
from diamant_env.opponents import custom, solved
from diamant_env.opponents.custom import AgentSpec
from diamant_env.opponents.models.files import is_model_file, load_model
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.scripted import comparisons, thresholds
from diamant_env.opponents.scripted.family import Scripted, parameters
from diamant_env.opponents.search import PREFIX, SearchAgent, parse_search_spec
from diamant_env.storage.files import nearest

POLICY_FILE = "policy.safetensors"
DATA = Path(__file__).parent / "data"
"""The folder of the shipped policies and the pools."""
SHIPPED = {file.stem: file for file in sorted(DATA.glob("*.safetensors"))}
"""The shipped policies by name."""
POOL_NAMES = sorted(file.stem.replace("_", "-") for file in DATA.glob("*.toml"))
"""The shipped pools by name, see `diamant_env.opponents.pools`."""
FAMILIES: dict[str, type[Scripted]] = {
    family.family: family
    for family in (
        thresholds.RandomAgent,
        thresholds.ContinueAgent,
        thresholds.CardsAgent,
        thresholds.BagAgent,
        thresholds.TrapsAgent,
        thresholds.BagOrTrapsAgent,
        comparisons.ExpectedValueAgent,
        comparisons.OthersStayAgent,
        thresholds.SoloGrabAgent,
        comparisons.CatchUpAgent,
        thresholds.FollowAgent,
        comparisons.OpposeAgent,
        thresholds.MixtureAgent,
    )
}
"""The families of scripted agents by the prefix of their specs."""
SOLVED: dict[str, type[solved.EquilibriumAgent]] = {
    family.family: family for family in (solved.EquilibriumAgent, solved.SinglePlayerAgent, solved.MinimaxAgent)
}
"""The agents of exact solutions by the prefix of their specs."""


def make_agent(spec: AgentSpec, seed: int | None = None, *, importing: bool = True) -> Agent:
    """Return an agent made from a spec, a path, an object, a class or a function.

    A spec or a class makes a new agent; an object is used as it is, see `diamant_env.opponents.Agent`.

    Args:
        spec: A spec (see below) or a path; an agent, its class or a function of the observations (see
            `diamant_env.opponents.custom.ALLOWED`); or (name, any of these), under that name. Texts:

            - A scripted family with its defaults (``"bag"``) or with all its parameters (``"bag-or-traps:18,3"``).
              ``make_agent(str(agent))`` makes the same agent.
            - An exact solution of the edition at the table, ``"equilibrium"``, ``"single-player"`` or ``"minimax"``.
            - A trained policy: the name of a shipped one (``"champion"``), a path that ends in ``.safetensors``, or
              the folder of a run that has a ``policy.safetensors``.
            - A model of stable-baselines3 or sb3-contrib, ``"ppo.zip"``; loading may execute code in the file.
            - ``"module:object"``, a custom agent; the module is imported.
            - ``"search:"`` before any of these, see `diamant_env.opponents.search.parse_search_spec`.
        seed: Seed of a stochastic agent made from a spec or a class, such as ``"mixture"`` or a search.
        importing: Whether ``"module:object"`` is allowed; False for specs from a file.

    Raises:
        ValueError: If it is not an agent.
    """
    name = None
    while isinstance(spec, tuple) and len(spec) == 2 and isinstance(spec[0], str):
        name, spec = (name or spec[0]), spec[1]
    if isinstance(spec, str | Path):
        agent = _named(str(spec).strip(), importing)
        agent = custom.agent_of(agent, name) if name else agent
    else:
        agent = custom.agent_of(spec, name)
    if seed is not None and isinstance(spec, str | Path | type) and callable(reseed := getattr(agent, "seed", None)):
        reseed(seed)
    return agent


def may_run_code(spec: str) -> bool:
    """Return whether `make_agent` imports a module or opens a model for this spec, which may execute code."""
    if spec.startswith(PREFIX):
        return may_run_code(parse_search_spec(spec)[1])
    if is_model_file(spec):
        return True
    return not is_scripted(spec) and policy_file(spec) is None and custom.NAMES_OBJECT.fullmatch(spec) is not None


def is_scripted(spec: str) -> bool:
    """Return whether a spec begins with the name of a scripted or solved family."""
    return spec.partition(":")[0] in {**FAMILIES, **SOLVED}


def policy_file(spec: str) -> Path | None:
    """Return the file of the trained policy that a spec names, or None."""
    if spec in SHIPPED:
        return SHIPPED[spec]
    path = Path(spec)
    if path.suffix == ".safetensors":
        return path
    return path / POLICY_FILE if spec and os.path.isdir(path) else None


def describe(family: type[Scripted]) -> str:
    """Return a family with its parameters and their defaults, such as ``bag:gems (bag:18)``."""
    names = ",".join(field.name for field in parameters(family))
    return f"{family.family}:{names} ({family()})" if names else family.family


def _named(spec: str, importing: bool) -> Agent:
    """Return the agent that a spec names, see `make_agent`."""
    if spec.startswith(PREFIX):
        budget, base = parse_search_spec(spec)
        return SearchAgent(make_agent(base, importing=importing), budget)
    if is_scripted(spec):
        return _make_scripted(spec)
    if may_run_code(spec):
        if not importing:
            raise ValueError(f"agent {spec!r} would run code, which a file may not request")
        return _imported(spec)
    path = policy_file(spec)
    if path is None and ((Path(spec).suffix and ":" not in spec) or Path(spec).name != spec):  # a path
        allowed = "a policy ends in .safetensors, a model in .zip; an agent of your own is module:object"
        raise ValueError(f"no agent {spec!r}: it is not a run folder; {allowed}")
    if path is None:
        if spec.replace("_", "-") in POOL_NAMES:
            raise ValueError(f"{spec!r} is a pool, not one agent")
        agents = [*(str(family()) for family in FAMILIES.values()), *SOLVED, *SHIPPED, f"{PREFIX}AGENT"]
        allowed = f"agents: {', '.join(agents)}, a file or module:object; pools: {', '.join(POOL_NAMES)}"
        near = nearest(spec, [*FAMILIES, *SOLVED, *SHIPPED, *POOL_NAMES], allowed)
        raise ValueError(f"unknown agent {spec!r}; {near}")
    if not path.is_file():
        raise ValueError(f"no trained policy {spec!r}: there is no file {path}")
    agent = NetworkAgent.load(path)
    agent.name = spec if spec in SHIPPED else str(Path(spec))  # the folder, not the file in it
    return agent


def _imported(spec: str) -> Agent:
    """Return an agent of an imported module or a model file."""
    if is_model_file(spec):
        return load_model(spec)
    imported = custom.find_object(spec, f"agent {spec!r}")
    try:
        return custom.agent_of(imported, spec)
    except ValueError as error:
        raise ValueError(f"agent {spec!r}: {error}") from error.__cause__


def _make_scripted(spec: str) -> Scripted:
    """Return the agent of a family that a spec names; raise ValueError if its numbers are invalid."""
    name, colon, rest = spec.partition(":")
    family = {**FAMILIES, **SOLVED}[name]
    parts = rest.split(",") if colon else []
    if len(parts) not in (0, len(parameters(family))):
        raise ValueError(f"{len(parts)} numbers in {spec!r}; give all or none: {describe(family)}")
    try:
        return family(*map(float, parts))
    except ValueError as error:
        raise ValueError(f"agent {spec!r}: {error}; {describe(family)}") from None
