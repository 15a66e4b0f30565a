"""Standard tasks in the registries of Gymnasium and PettingZoo.

``gymnasium.make(id)`` and ``make_vec(id)`` have one learner among opponents, ``pettingzoo.make("parallel", id)`` and
``pettingzoo.make("aec", id)`` (PettingZoo 1.27 or newer) all seats. Arguments override a task's settings:
``gymnasium.make("diamant_env/Diamant-5p-v0", opponents="bag:18")``.

Importing `diamant_env` registers them. The spawned workers of ``AsyncVectorEnv`` and ``SubprocVecEnv`` need the
module in the id, ``gymnasium.make("diamant_env:diamant_env/Diamant-v0")``; PettingZoo refuses such an id, so there the
worker imports `diamant_env` first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import pettingzoo

from diamant_env.editions import EDITIONS, RULEBOOK_PLAYERS
from diamant_env.observation import PUBLIC

_PLAYERS, _EDITION = 4, "iello-2016"  # defaults of the environments
_CONSTANT = ("expedition", "expeditions_left", "hidden_chests")  # in one expedition
_SEEN_BY_EXACT = ["must_decide", *(field.name for field in PUBLIC if field.name not in _CONSTANT)]


class Task(NamedTuple):
    """A registered environment.

    Attributes:
        id: Id in the registries, such as ``"diamant_env/Diamant-3p-v0"``.
        meaning: Short description.
        settings: Arguments that differ from ``"diamant_env/Diamant-v0"``.
    """

    id: str
    meaning: str
    settings: dict[str, Any]


def list_tasks() -> list[Task]:
    """Return the standard tasks.

    ``Diamant-v0``: all defaults; ``Diamant-Solitaire-v0``: one player; ``Diamant-<n>p-v0``: n players;
    ``Diamant-OneExpedition-<n>p-v0``: n players, one expedition, open chests, reward by score;
    ``Diamant-Exact-<n>p-v0``: the game and observation for which ``diamant exact`` computes exploitabilities;
    ``Diamant-<edition>-v0``: another published edition.
    """
    one = {"edition": f"{_EDITION}/expeditions:1", "reward": "score"}
    solved = {"edition": "iello-2016-fr/expeditions:1", "reward": "score", "observation": _SEEN_BY_EXACT}
    fewest, most = RULEBOOK_PLAYERS
    return [
        _task("", f"{_PLAYERS} players, the edition {_EDITION}"),
        _task("Solitaire", "1 player", num_players=1),
        *(_task(f"{n}p", f"{n} players", num_players=n) for n in range(fewest, most + 1) if n != _PLAYERS),
        *(
            _task(f"OneExpedition-{n}p", f"{n} players, one expedition, open chests", num_players=n, **one)
            for n in range(2, 6)
        ),
        *(
            _task(f"Exact-{n}p", f"{n} players, one expedition without relics, rivals unseen", num_players=n, **solved)
            for n in range(2, 6)
        ),
        *(
            _task(name, f"{_PLAYERS} players, {edition.source}", edition=name)
            for name, edition in EDITIONS.items()
            if name != _EDITION
        ),
    ]


def register_tasks() -> None:
    """Register the tasks that are not registered yet, with lazy imports."""
    for task in list_tasks():
        if task.id not in gymnasium.registry:
            gymnasium.register(
                task.id,
                entry_point="diamant_env.gym_env:DiamantEnv",
                vector_entry_point="diamant_env.gym_vector:DiamantVectorEnv",
                kwargs=task.settings,
            )
        if hasattr(pettingzoo, "register"):  # from 1.27 on
            for kind, function in (("parallel", "parallel_env"), ("aec", "env")):
                if task.id not in getattr(pettingzoo, f"{kind}_registry"):
                    pettingzoo.register(kind, task.id, f"diamant_env.diamant_v0:{function}", kwargs=task.settings)


def _task(name: str, meaning: str, **settings: Any) -> Task:
    return Task(f"diamant_env/Diamant-{name}{'-' if name else ''}v0", meaning, settings)
