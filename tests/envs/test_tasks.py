"""Ids registered with Gymnasium and PettingZoo; lazy imports."""

import multiprocessing

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from diamant_env import EDITIONS, FIELDS, NUM_FEATURES, Observations, columns, diamant_v0, find_edition, list_tasks
from diamant_env.exact.response import observations_at
from diamant_env.gym_env import DiamantEnv
from diamant_env.gym_vector import DiamantVectorEnv

pytestmark = pytest.mark.filterwarnings("error")
TASKS = list_tasks()
IDS = [task.id for task in TASKS]
FIELD_NAMES = [field.name for field in FIELDS]


def test_registered_ids():
    names = ["", "Solitaire-", *[f"{players}p-" for players in (3, 5, 6, 7, 8)]]
    names += [f"OneExpedition-{players}p-" for players in range(2, 6)]
    names += [f"Exact-{players}p-" for players in range(2, 6)]
    names += [f"{edition}-" for edition in list(EDITIONS)[1:]]
    assert [f"diamant_env/Diamant-{name}v0" for name in names] == IDS
    assert {name for name in gymnasium.registry if name.startswith("diamant_env/")} == set(IDS)


@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_task_has_its_settings(task):
    single, many = gymnasium.make(task.id), gymnasium.make_vec(task.id, num_envs=2)
    assert type(single.unwrapped) is DiamantEnv
    assert type(many) is DiamantVectorEnv
    again = type(single.spec).from_json(single.spec.to_json())  # JSON round trip
    assert again.kwargs == task.settings
    assert gymnasium.make(again).unwrapped.edition == single.unwrapped.edition
    observation, _ = single.reset(seed=3)
    assert np.array_equal(many.reset(seed=3)[0][0], observation)
    obs, settings = fields_of(observation, task), task.settings
    edition = find_edition(settings.get("edition", "iello-2016"))
    assert obs["num_players"] == settings.get("num_players", 4)
    assert single.unwrapped.edition == edition
    if "observation" not in settings:
        assert obs["expeditions_left"] == edition.expeditions - 1
        assert obs["hidden_chests"] == edition.hidden_chests
    over = False
    while not over:
        observation, _, over, _, _ = single.step(single.action_space.sample())
    assert fields_of(observation, task)["expeditions_left"] == 0
    if hasattr(pettingzoo, "register"):  # from 1.27 on
        parallel, aec = pettingzoo.make("parallel", task.id), pettingzoo.make("aec", task.id)
        assert (type(parallel), type(aec)) == (diamant_v0.parallel_env, OrderEnforcingWrapper)
        seen = parallel.reset(seed=1)[0]["player_0"]
        aec.reset(seed=1)
        assert np.array_equal(aec.observe("player_0"), seen)
        for name in ("num_players", "expeditions_left", "hidden_chests"):
            assert fields_of(seen, task)[name] == obs[name]
        other = pettingzoo.make("parallel", task.id, edition="everdeck").edition
        assert other == gymnasium.make(task.id, edition="everdeck").unwrapped.edition


def fields_of(row, task) -> Observations:
    """Return the fields of a task's observation, 0 where it selects others."""
    flat = np.zeros(NUM_FEATURES, np.float32)
    flat[columns(*task.settings.get("observation", FIELD_NAMES))] = row
    return Observations(flat)


@pytest.mark.parametrize("players", [2, 5])
def test_exact_task_shows_what_exact_asks(players):
    """The learner's rows are columns of the observations for which `exact` computes responses."""
    task = next(task for task in TASKS if task.id == f"diamant_env/Diamant-Exact-{players}p-v0")
    env = gymnasium.make_vec(task.id, num_envs=50, opponents="random:0.1")
    rows, shown = env.reset(seed=0)[0], columns(*task.settings["observation"])
    inside, over = set(), np.zeros(50, bool)
    for _ in range(30):
        asked = observations_at(env.unwrapped.games, EDITIONS["iello-2016-fr"])[:, shown]
        assert rows[~over].tobytes() == asked[~over].tobytes()
        inside |= set(env.unwrapped.games["num_inside"][~over].tolist())
        rows, _, over, _, _ = env.step(np.zeros(50, int))
    assert inside == set(range(1, players + 1))


WORKER = """
import sys, warnings
assert "diamant_env" not in sys.modules
warnings.simplefilter("error", DeprecationWarning)
import diamant_env, pettingzoo
for kind in ("parallel", "aec"):
    env = pettingzoo.make(kind, "diamant_env/Diamant-3p-v0")
    env.reset(seed=0)
    assert env.max_num_agents == 3
"""


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="from PettingZoo 1.27 on")
def test_pettingzoo_in_spawned_worker():
    with pytest.raises(pettingzoo.env_registry.exceptions.PettingZooRegistryError, match="Malformed"):
        pettingzoo.make("parallel", "diamant_env:diamant_env/Diamant-v0")  # as docs/libraries.md says
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(exec, (WORKER, {}))


def test_settings_override_task():
    env = gymnasium.make("diamant_env/Diamant-OneExpedition-3p-v0", num_players=5, opponents="bag:18", seat=4)
    observation, info = env.reset(seed=0)
    assert (Observations(observation)["num_players"], info["seat"]) == (5, 4)
    if hasattr(pettingzoo, "register"):
        env = pettingzoo.make("parallel", "diamant_env/Diamant-3p-v0", mask="none", reward="win", num_players=5)
        assert set(env.reset(seed=0)[1]["player_4"]) == {"active"}
