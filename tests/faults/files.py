"""Opening files: damaged or made to do harm, they are refused within bounds, or are what they were."""

from __future__ import annotations

import hashlib
import os
import pickle
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from diamant_env import Edition, Observations, diamant_v0
from diamant_env.exact.equilibrium import EQUILIBRIUM
from diamant_env.exact.moves import start_of_expedition
from diamant_env.exact.nodes import lay_out
from diamant_env.exact.stored import load_values, save_values
from diamant_env.opponents.network import NetworkAgent
from diamant_env.records.log import GameRecord
from diamant_env.records.recorder import Recorder
from tests.faults.child import in_child
from tests.faults.hostile import hostile_contents, mutated, special_files
from tests.faults.table import Effort, Row, Trials
from train.runs.checkpoint import CHECKPOINT, load_checkpoint, save_checkpoint
from train.runs.config import Config, read_config
from train.runs.run_folder import CONFIG, save_policy

_MEMORY = 1 << 30  # bytes that opening a small file may take
_SECONDS = 5.0  # of CPU time
_CHUNK = 500  # files that one process opens


def fingerprint(content: Any) -> str:
    """Return a digest of a value that knows nothing of how it was stored."""
    digest = hashlib.sha256()
    _feed(digest, content)
    return digest.hexdigest()


def _feed(digest: Any, content: Any) -> None:
    if isinstance(content, torch.Tensor):
        content = content.detach().numpy()
    if isinstance(content, np.random.Generator):
        content = content.bit_generator.state
    if isinstance(content, np.generic) and not isinstance(content, np.void):
        content = content.item()
    if isinstance(content, Mapping):
        digest.update(b"{")
        for name, value in sorted(content.items(), key=lambda item: str(item[0])):
            digest.update(f"{name}=".encode())
            _feed(digest, value)
        digest.update(b"}")
    elif isinstance(content, list | tuple):
        digest.update(b"[")
        for value in content:
            _feed(digest, value)
        digest.update(b"]")
    elif isinstance(content, np.ndarray | np.void):
        digest.update(f"{content.dtype.descr}{content.shape}".encode() + content.tobytes())
    elif hasattr(content, "__dict__"):
        _feed(digest, vars(content))
    else:
        digest.update(f"{content!r};".encode())


def an_edition() -> Edition:
    """A game whose expeditions are solved at once."""
    return Edition("small", treasures=(5, 7, 11), traps=("snake", "fire"), trap_copies=2, expeditions=2)


def a_game(seed: int) -> GameRecord:
    """A recorded game of three."""
    env = Recorder(diamant_v0.parallel_env(num_players=3))
    env.reset(seed=seed)
    random = np.random.default_rng(seed)
    while env.agents:
        env.step({agent: int(random.random() < 0.3) for agent in env.agents})
    return env.record


@dataclass(frozen=True)
class Opened:
    """A kind of file.

    Attributes:
        path: Where it lies; its folder holds what it needs.
        load: Opens it and returns what is in it as a text; "" where a lost file is no loss.
        may_differ: Whether damage may give another content that is as good: a text.
    """

    path: Path
    load: Callable[[], str]
    may_differ: bool


def kinds(folder: Path, state: Mapping) -> dict[str, Opened]:
    """Write one file of each kind."""
    folder.mkdir(parents=True)
    config = Config()
    save_checkpoint(folder, config, state)
    a_game(5).write(folder / "game.txt")
    (folder / CONFIG).write_text(Path("configs/default.toml").read_text(encoding="utf-8"), encoding="utf-8")
    network = NetworkAgent([(np.full((2, 90), 0.25, np.float32), np.zeros(2, np.float32))])
    save_policy(folder / "policy.safetensors", network, config, 1)
    expedition = lay_out(start_of_expedition(an_edition(), 2), an_edition())
    os.environ["DIAMANT_CACHE_DIR"] = str(folder / "solved")
    save_values(expedition, EQUILIBRIUM, np.full(expedition.boxes.size, 1.5), 0.0)
    (values,) = [path for path in (folder / "solved").rglob("*") if path.is_file()]

    def policy() -> str:
        agent = NetworkAgent.load(folder / "policy.safetensors")
        leave = agent.leave_probability(np.ones((3, 90), np.float32))
        assert ((leave >= 0) & (leave <= 1)).all(), f"it leaves with probability {leave}"
        assert agent.act(Observations(np.ones((3, 90), np.float32)), np.ones(3, bool)).shape == (3,)
        return fingerprint(agent.layers)

    def solved() -> str:
        os.environ["DIAMANT_CACHE_DIR"] = str(folder / "solved")
        found = load_values(expedition, EQUILIBRIUM)
        return "" if found is None else fingerprint(found)

    return {
        "policy": Opened(folder / "policy.safetensors", policy, False),
        "record": Opened(folder / "game.txt", lambda: GameRecord.read(folder / "game.txt").to_text(), True),
        "checkpoint": Opened(folder / CHECKPOINT, lambda: fingerprint(load_checkpoint(folder, config)), False),
        "configuration": Opened(folder / CONFIG, lambda: repr(read_config(folder / CONFIG)), True),
        "exact cache": Opened(values, solved, False),
    }


def files(effort: Effort, state: Mapping) -> Iterator[Row]:
    """All rows about opening files; `state` is one that a run saves."""
    for name, opened in kinds(effort.folder / "kinds", state).items():
        yield damaged(effort, name, opened)
        yield crafted(effort, name, opened)


def _raw(opened: Opened) -> Opened:
    """The control: it believes what it reads, and lets a pickle run."""

    def load() -> str:
        content = opened.path.read_bytes()
        return fingerprint(pickle.loads(content)) if content[:1] in b"\x80c" else fingerprint(content)

    return Opened(opened.path, load, False)


def damaged(effort: Effort, name: str, opened: Opened) -> Row:
    """Open files with random damage."""
    trial = Trials(f"{name}: random damage", effort)
    good, worst = opened.path.read_bytes(), [0.0, 0.0]
    wanted = opened.load()
    chunk = min(_CHUNK, effort.times(10_000))
    for part in effort.trials(10_000 // _CHUNK, seconds=150):
        for problem, evidence in _open_damaged(opened, good, wanted, effort.seed + part, chunk, worst):
            trial(problem, evidence)
    opened.path.write_bytes(good)
    control = _raw(opened)
    caught = any(problem for problem, _ in _open_damaged(control, good, control.load(), 0, 20, [0.0, 0.0]))
    opened.path.write_bytes(good)
    figures = f"{worst[0]:.2f} s of CPU, {worst[1]:.0f} MiB more"
    return trial.row("a loader that believes what it reads", caught, figures)


def _open_damaged(
    opened: Opened, good: bytes, wanted: str, seed: int, number: int, worst: list[float]
) -> Iterator[tuple[str | None, bytes | None]]:
    """Open so many damaged files in one process; yield what is wrong with each."""

    def work() -> list[tuple[str | None, bytes | None, float, float]]:
        random, found = np.random.default_rng(seed), []
        for _ in range(number):
            content = mutated(random, good)
            opened.path.write_bytes(content)
            problem, seconds, memory = _bounded(opened, wanted if content != good else None)
            found.append((problem, content if problem else None, seconds, memory))
        return found

    end = in_child(work, memory=_MEMORY)
    if end.problem is not None:
        yield f"damage number {seed}: {end.problem}", opened.path.read_bytes()
        return
    for problem, content, seconds, memory in end.result:
        worst[0], worst[1] = max(worst[0], seconds), max(worst[1], memory)
        yield problem, content


def _bounded(opened: Opened, wanted: str | None) -> tuple[str | None, float, float]:
    """Open a file once; return what is wrong, the CPU seconds and the mebibytes more at the peak."""
    before, began = _peak(), time.process_time()
    problem = _outcome(opened, wanted)
    seconds, memory = time.process_time() - began, _peak() - before
    if problem is None and seconds > _SECONDS:
        problem = f"it took {seconds:.1f} s of CPU"
    return problem, seconds, memory


def _outcome(opened: Opened, wanted: str | None) -> str | None:
    try:
        found = opened.load()
    except (ValueError, OSError) as error:
        return None if len(str(error).splitlines()) <= 1 else f"its error has several lines: {error}"
    except BaseException as error:
        return f"it raised {type(error).__name__}: {error}"
    same = wanted is None or found in (wanted, "")
    return None if same or opened.may_differ else "another content was loaded without a word"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def crafted(effort: Effort, name: str, opened: Opened) -> Row:
    """Open files that are made to do harm, each in a process of its own."""
    trial = Trials(f"{name}: files made to do harm", effort)
    good, mark = opened.path.read_bytes(), effort.folder / f"ran-{name}"
    contents = hostile_contents(good, mark)
    worst = [0.0, 0.0]
    ways: dict[str, Callable[[Path], object]] = {
        key: partial(lambda path, content: path.write_bytes(content), content=content)
        for key, content in contents.items()
    }
    ways |= special_files(effort.folder / f"special-{name}")
    chosen = effort.random.permutation(len(ways))[: max(5, effort.times(len(ways)))]
    for key in [list(ways)[i] for i in chosen]:
        _clear(opened.path)
        ways[key](opened.path)
        # Every one of them is another file than the good one, but what is behind it may be nothing but a line's end.
        end = in_child(partial(_bounded, opened, None), memory=_MEMORY, seconds=60)
        problem = end.problem or end.result[0]
        if end.problem is None:
            worst = [max(pair) for pair in zip(worst, end.result[1:], strict=True)]
        if mark.exists():
            problem, _ = "code from the file ran", mark.rmdir()
        trial(f"{key}: {problem}" if problem else None, contents.get(key, b"")[: 1 << 20])
    _clear(opened.path)
    opened.path.write_bytes(contents["a pickle"])
    in_child(_raw(opened).load)
    caught = mark.exists()
    _clear(opened.path)
    opened.path.write_bytes(good)
    return trial.row("a loader that unpickles", caught, f"{worst[0]:.2f} s of CPU, {worst[1]:.0f} MiB more")


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
