"""A batch in anyone's hands: forks, threads, pickle, copies, and records that no rule has made."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from tests.support.guarded_games import guards_notice, strange_round

from diamant_env import Batch, diamant_v0
from diamant_env.gym_vector import DiamantVectorEnv
from tests.faults.child import Child, in_child
from tests.faults.table import Effort, Row, Trials

_GAMES, _SEATS = 64, 4
_RECORDS, _ROUND = 100_000, 250


def memory(effort: Effort) -> Iterator[Row]:
    """Records that are refused where they enter, or played inside the arrays."""
    trials = Trials("strange records handed to a batch, stepped with every reward between guard bytes", effort)
    refused = 0
    for number in range(effort.times(_RECORDS // _ROUND)):
        found, problem = strange_round(effort.seed + number, _ROUND)
        refused += found
        trials(problem, times=_ROUND)
    worst = f"{refused:,} refused, {trials.number - refused:,} played to the end"
    yield trials.row("a reward written as the record says", guards_notice(), worst)


def copies(effort: Effort) -> Iterator[Row]:
    """All rows about forks, threads and copies."""
    yield forked(effort)
    yield threads(effort)
    yield copied(effort)


def _started(threads: int, seed: int) -> Batch:
    batch = Batch(_GAMES, _SEATS, threads=threads)
    batch.reset(seed)
    return batch


def _go_on(batch: Batch) -> bytes:
    """Play three turns; return what was seen and earned."""
    random, found = np.random.default_rng(0), b""
    for _ in range(3):
        actions = (random.random((_GAMES, _SEATS)) < 0.2).astype(np.int8)
        found += b"".join(array.tobytes() for array in batch.step(actions, auto_reset=True))
    return found


def forked(effort: Effort) -> Row:
    """Step a batch, fork, and step it in the child and in the parent."""
    trial = Trials("a batch with threads is stepped, the process forks, both go on", effort)
    for seed in effort.trials(300, seconds=120):
        end = in_child(partial(_fork, 1 + (seed + 1) % 3, seed))
        trial(end.problem or end.result)
    return trial.row("a thread that is waited for in the child", in_child(_waits, seconds=2).problem == "it hangs")


def _fork(threads: int, seed: int) -> str | None:
    batch, alone = _started(threads, seed), _started(1, seed)
    both = [_go_on(each) for each in (batch, alone)]
    child = Child(partial(_go_on, batch))
    both += [_go_on(each) for each in (batch, alone)]
    end = child.end(60)
    if end.problem is not None:
        return f"threads={threads}: in the child {end.problem}"
    return None if both[0] == both[1] and both[2] == both[3] == end.result else "they differ"


def _waits() -> None:
    """The control: the thread that would answer is not there after a fork."""
    asked, answered = threading.Event(), threading.Event()
    threading.Thread(target=lambda: (asked.wait(), answered.set()), daemon=True).start()
    in_child(lambda: (asked.set(), answered.wait()))


def threads(effort: Effort) -> Row:
    """Let four threads of Python make the first use of a batch at once, each with arrays of its own."""
    trial = Trials("four threads of Python first use one batch with threads=2 at once", effort)
    for seed in effort.trials(300, seconds=120):
        end = in_child(lambda seed=seed: _four(_started(2, seed).observe), seconds=60)
        trial(end.problem or end.result)
    batch = _started(1, 0)
    rows = batch.observe()
    end = in_child(lambda: _four(lambda: batch.observe(rows)))
    return trial.row("a batch that writes all answers to one array", end.problem is not None or end.result is not None)


def _four(observe: Callable[[], np.ndarray]) -> str | None:
    together = threading.Barrier(4)

    def watch(_user: int) -> bool:
        together.wait()
        rows = [observe() for _ in range(20)]
        return len({row.tobytes() for row in rows}) == 1 and len({id(row) for row in rows}) == 20

    with ThreadPoolExecutor(4) as users:
        return None if all(users.map(watch, range(4))) else "one of the threads saw something else"


# Copies. Each `_turn` plays a turn and returns what was seen and earned.


def _env_turn(env: Any) -> bytes:
    agents = list(env.agents)
    observations, rewards, *_ = env.step({agent: place % 2 for place, agent in enumerate(agents)})
    return b"".join(observations[agent].tobytes() for agent in agents) + repr(sorted(rewards.items())).encode()


def _aec_turn(aec: Any) -> bytes:
    aec.step(0)
    return np.asarray(aec.observe(aec.agent_selection)).tobytes()


def _gym_turn(env: Any) -> bytes:
    seen, reward, *_ = env.step(np.zeros(env.action_space.shape, np.int64) if env.action_space.shape else 0)
    return np.asarray(seen).tobytes() + np.asarray(reward).tobytes()


def _things(seed: int) -> dict[str, tuple[Any, Callable[[Any], bytes]]]:
    """Return what can be copied in the middle of a game, each with what plays a turn of it."""
    env, aec = diamant_v0.parallel_env(num_players=5), diamant_v0.env(num_players=3)
    single, vector = gymnasium.make("diamant_env/Diamant-v0"), DiamantVectorEnv(6)
    for each in (env, aec, single, vector):
        each.reset(seed=seed)
    return {
        "Batch": (_started(1, seed), _go_on),
        "Batch(threads=2)": (_started(2, seed), _go_on),
        "parallel_env": (env, _env_turn),
        "AEC": (aec, _aec_turn),
        "gymnasium": (single, _gym_turn),
        "gymnasium vector": (vector, _gym_turn),
    }


def copied(effort: Effort) -> Row:
    """Copy things in the middle of a game; original and copy go on alike and apart."""
    trial = Trials("pickled or deeply copied in the middle of a game: goes on alike, by itself", effort)
    for seed in effort.trials(1_000 // 12, seconds=120):
        for name, (thing, turn) in _things(seed).items():
            for way in (copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))):
                turn(thing)
                problem = _differs(thing, turn, way)
                trial(problem and f"{name}: {problem}")
    shared = _differs(_started(1, 0), _go_on, lambda thing: thing)
    return trial.row("a copy that shares its games", shared is not None)


def _differs(thing: Any, turn: Callable[[Any], bytes], way: Callable[[Any], Any]) -> str | None:
    try:
        twin = way(thing)
        return None if turn(twin) == turn(thing) else "the copy does not go on like the original"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
