"""Fork, threads, pickle and copies: a batch or an environment goes on, and its copy goes on by itself."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from diamant_env import Batch, diamant_v0
from diamant_env.gym_vector import DiamantVectorEnv
from tests.faults.child import Child, in_child
from tests.faults.table import Effort, Row, Trials

_GAMES, _SEATS = 64, 4


def copies(effort: Effort) -> Iterator[Row]:
    """All rows about forks, threads and copies."""
    yield forked(effort)
    yield threads(effort)
    yield copied(effort)


def _started(threads: int, seed: int) -> Batch:
    batch = Batch(_GAMES, _SEATS, threads=threads)
    batch.reset(seed)
    return batch


def _go_on(batch: Batch, turns: int = 3) -> bytes:
    """Play some turns; return what was seen and earned."""
    random, found = np.random.default_rng(0), b""
    for _ in range(turns):
        actions = (random.random((_GAMES, _SEATS)) < 0.2).astype(np.int8)
        found += b"".join(array.tobytes() for array in batch.step(actions, auto_reset=True))
    return found


def forked(effort: Effort) -> Row:
    """Step a batch, fork, and step it in the child and in the parent."""
    trial = Trials("a batch with threads is stepped, the process forks, both go on", effort)
    for seed in effort.trials(300, seconds=120):
        threads = 1 + (seed + 1) % 3

        def work(seed: int = seed, threads: int = threads) -> str | None:
            batch, alone = _started(threads, seed), _started(1, seed)
            both = [_go_on(each) for each in (batch, alone)]
            child = Child(partial(_go_on, batch))
            both += [_go_on(each) for each in (batch, alone)]
            end = child.end(60)
            if end.problem is not None:
                return f"threads={threads}: in the child {end.problem}"
            return None if both[0] == both[1] and both[2] == both[3] == end.result else "they differ"

        end = in_child(work)
        trial(end.problem or end.result)
    return trial.row("a thread that is waited for in the child", in_child(_waits, seconds=2).problem == "it hangs")


def _waits() -> None:
    """The control: the thread that would answer is not there after a fork."""
    asked, answered = threading.Event(), threading.Event()
    threading.Thread(target=lambda: (asked.wait(), answered.set()), daemon=True).start()

    def ask() -> None:
        asked.set()
        answered.wait()

    in_child(ask)


def threads(effort: Effort) -> Row:
    """Let four threads of Python make the first use of a batch at once, each with arrays of its own."""
    trial = Trials("four threads of Python first use one batch with threads=2 at once", effort)
    for seed in effort.trials(300, seconds=120):
        end = in_child(partial(_four, _started, seed), seconds=60)
        trial(end.problem or end.result)
    end = in_child(partial(_four, lambda threads, seed: _Confused(_started(1, seed)), 0))
    return trial.row("a batch that writes all answers to one array", end.problem is not None or end.result is not None)


def _four(make: Callable[[int, int], Any], seed: int) -> str | None:
    batch, found, together = make(2, seed), [], threading.Barrier(4)

    def watch() -> None:
        together.wait()
        rows = [batch.observe() for _ in range(20)]
        found.append(len({row.tobytes() for row in rows}) == 1 and len({id(row) for row in rows}) == 20)

    users = [threading.Thread(target=watch) for _ in range(4)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    return None if found == [True] * 4 else "one of the threads saw something else"


class _Confused:
    """The control: every call writes into the same array."""

    def __init__(self, batch: Batch) -> None:
        self.batch, self.rows = batch, batch.observe()

    def observe(self) -> np.ndarray:
        """Observe into the one array."""
        return self.batch.observe(self.rows)


def _of_env(env: Any) -> Callable[[], bytes]:
    def play() -> bytes:
        agents = list(env.agents)
        observations, rewards, *_ = env.step({agent: place % 2 for place, agent in enumerate(agents)})
        return b"".join(observations[agent].tobytes() for agent in agents) + repr(sorted(rewards.items())).encode()

    return play


def _of_gym(env: Any, number: int | None = None) -> Callable[[], bytes]:
    def play() -> bytes:
        seen, reward, *_ = env.step(0 if number is None else np.zeros(number, np.int64))
        return np.asarray(seen).tobytes() + np.asarray(reward).tobytes()

    return play


def _things(seed: int) -> dict[str, tuple[Any, Callable[[Any], Callable[[], bytes]]]]:
    """Return what can be copied in the middle of a game, each with what plays a turn of it."""
    env, aec = diamant_v0.parallel_env(num_players=5), diamant_v0.env(num_players=3)
    single, vector = gymnasium.make("diamant_env/Diamant-v0"), DiamantVectorEnv(6)
    for each in (env, aec, single, vector):
        each.reset(seed=seed)

    def turn_of_aec(aec: Any) -> Callable[[], bytes]:
        def play() -> bytes:
            aec.step(0)
            return np.asarray(aec.observe(aec.agent_selection)).tobytes()

        return play

    return {
        "Batch": (_started(1, seed), lambda batch: partial(_go_on, batch)),
        "Batch(threads=2)": (_started(2, seed), lambda batch: partial(_go_on, batch)),
        "parallel_env": (env, _of_env),
        "AEC": (aec, turn_of_aec),
        "gymnasium": (single, _of_gym),
        "gymnasium vector": (vector, lambda vector: _of_gym(vector, 6)),
    }


def copied(effort: Effort) -> Row:
    """Copy things in the middle of a game; original and copy go on alike and apart."""
    trial = Trials("pickled or deeply copied in the middle of a game: goes on alike, by itself", effort)
    ways = [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
    for seed in effort.trials(1_000 // 12, seconds=120):
        for name, (thing, player) in _things(seed).items():
            for way in ways:
                player(thing)()
                trial(_differs(name, thing, player, way))
    shared = _differs("Batch", _started(1, 0), lambda batch: partial(_go_on, batch), lambda thing: thing)
    return trial.row("a copy that shares its games", shared is not None)


def _differs(name: str, thing: Any, player: Callable, way: Callable[[Any], Any]) -> str | None:
    try:
        twin = way(thing)
        if isinstance(thing, diamant_v0.parallel_env):  # a copy is a new environment with the same arguments
            twin.reset(seed=0)
            twin.restore_state(way(thing.clone_state()))
        there = player(twin)()
        here = player(thing)()
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    return None if here == there else f"{name}: the copy does not go on like the original"
