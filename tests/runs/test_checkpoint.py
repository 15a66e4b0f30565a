"""Checkpoints: they run nothing, damage is noticed, and what does not fit the run is one line."""

import copy
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from train.ppo import main, train
from train.runs.config import Config
from train.runs.run_folder import CHECKPOINT, load_checkpoint, new_run_folder, save_checkpoint

CONFIG = Config.model_validate(
    {
        "checkpoints": 1,
        "ppo": {"decisions": 1_500, "games": 8, "turns": 16, "minibatch": 64, "explore": 0.5, "average": 0.5},
        "opponents": {"learner": 0.4, "snapshots": 0.3, "scripted": 0.3, "snapshot_every": 500, "snapshot_places": 2},
        "network": {"hidden": [4]},
        "judge": {"curve_points": 1, "curve_games": 100},
    }
)
SAVES = """
import sys
from pathlib import Path
import numpy as np
from train.runs.config import Config
from train.runs.run_folder import save_checkpoint
number = 0
while True:
    save_checkpoint(Path(sys.argv[1]), Config(), {"numbers": np.full(100_000, number), "number": number})
    number += 1
    print(number, flush=True)
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run that is finished, and the state in its checkpoint."""
    folder = new_run_folder(tmp_path_factory.mktemp("runs"), CONFIG)
    train(CONFIG, folder)
    return folder, load_checkpoint(folder, CONFIG)


@pytest.fixture
def resume(finished, tmp_path, capsys):
    """Resume a run from an altered state in a sound file; return the one line of the error."""

    def resumed(state):
        (tmp_path / "config.toml").write_bytes((finished[0] / "config.toml").read_bytes())
        save_checkpoint(tmp_path, CONFIG, state)
        assert main(["--resume", str(tmp_path), "--no-judge"]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1, lines
        return lines[0]

    return resumed


def altered(state, path, value):
    """Return a copy with another value at a place, none if it is None."""
    state = copy.deepcopy(state)
    place = state
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return state


def test_a_state_is_read_as_it_was_written(tmp_path):
    generator = np.random.default_rng(3)
    arrays = {str(kind): np.arange(3).astype(kind) for kind in ("f4", "f8", "i1", "i4", "i8", "u1", "?")}
    arrays |= {"none": np.zeros((0, 4), np.float32), "one": np.array(2.5)}
    state = {"random": generator.bit_generator.state, "number": 3, "nothing": None, "empty": {}, "list": [{"a": 0.1}]}
    save_checkpoint(tmp_path, Config(), {"arrays": arrays, **state})
    found = load_checkpoint(tmp_path, Config())
    assert {**found, "arrays": None} == {**state, "arrays": None}
    for name, array in arrays.items():
        assert found["arrays"][name].dtype == array.dtype
        np.testing.assert_array_equal(found["arrays"][name], array)


class Crafted:
    """Runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


@pytest.mark.parametrize("write", [torch.save, lambda content, path: path.write_bytes(pickle.dumps(content))])
def test_a_crafted_file_runs_nothing(write, tmp_path, capsys):
    folder, ran = new_run_folder(tmp_path, CONFIG), tmp_path / "ran"
    write({"config": CONFIG.model_dump(mode="json"), "state": Crafted(ran)}, folder / CHECKPOINT)
    assert main(["--resume", str(folder)]) == 2
    error = capsys.readouterr().err
    assert f"{folder / CHECKPOINT} is damaged" in error
    assert error.count("\n") == 1
    assert not ran.exists()
    assert not (folder / "policy.safetensors").exists()


def test_every_flipped_bit_of_an_array_is_noticed(finished, tmp_path):
    """What is between the arrays, such as the time of the file's parts, says nothing about the run."""
    state = {"weights": np.random.default_rng(0).random(4_000)}
    save_checkpoint(tmp_path, CONFIG, state)
    content = (tmp_path / CHECKPOINT).read_bytes()
    start = content.index(state["weights"].tobytes())
    random = np.random.default_rng(0)
    for place in start + random.integers(0, state["weights"].nbytes, 100):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(random.integers(8))
        (tmp_path / CHECKPOINT).write_bytes(damaged)
        with pytest.raises(ValueError, match="is damaged"):
            load_checkpoint(tmp_path, CONFIG)
    for length in (0, 1, 100, len(content) // 2, len(content) - 1):
        (tmp_path / CHECKPOINT).write_bytes(content[:length])
        with pytest.raises(ValueError, match="is damaged"):
            load_checkpoint(tmp_path, CONFIG)


def test_a_kill_leaves_a_whole_checkpoint(tmp_path):
    """A real SIGKILL, at moments of the writing that chance chooses."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for wait in (1, 5, 9):
        command = [sys.executable, "-c", SAVES, tmp_path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
            for _ in range(wait):
                last = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
        found = load_checkpoint(tmp_path, Config())
        assert found["number"] >= last - 1
        assert (found["numbers"] == found["number"]).all()


def test_another_configuration_is_refused(finished):
    with pytest.raises(ValueError, match="belongs to another configuration"):
        load_checkpoint(finished[0], CONFIG.model_copy(update={"seed": 1}))


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        ("learner/policy/action_net.bias", np.zeros(3, np.float32), "size mismatch for action_net.bias"),
        ("learner/policy/action_net.bias", None, "Missing key(s) in state_dict"),
        ("learner/optimizer/param_groups", [], "different number of parameter groups"),
        ("learner/shuffle/bit_generator", "MT19937", "must be for a PCG64"),
        ("learner/shuffle/state/state", 2**200, "too large"),
        ("learner/buffer/open/row", np.full(1, 10**6, np.int32), "rows wait for an outcome"),
        ("learner/buffer/pending", np.full(10**4, 5), "rows wait for an outcome"),
        ("learner/exploration", None, "KeyError: 'exploration'"),
        ("league/networks", [[[np.zeros((4, 3), np.float32), np.zeros(4, np.float32)]]] * 2, "ValueError"),
        ("learner/layout", "[]", "games are those of another version"),
        ("learner/games", np.zeros((8, 3), np.uint8), "ValueError"),
        ("league", None, f"{CHECKPOINT} does not fit the run: KeyError: 'league'"),
    ],
)
def test_what_does_not_fit_the_run_is_named(finished, resume, place, value, complaint):
    error = resume(altered(finished[1], place.split("/"), value))
    assert f"{CHECKPOINT} does not fit the run: " in error
    assert complaint in error


def test_open_decisions_belong_to_rows_that_wait(finished, resume):
    """Compiled code goes by these numbers: one out of place would write past its arrays."""
    state = finished[1]
    buffer = state["learner"]["buffer"]
    assert len(buffer["open"]["row"]) > 1
    rows, pending = buffer["open"]["row"], buffer["pending"]
    place = ["learner", "buffer", "open"]
    for wrong in (rows[::-1].copy(), rows + 10**6, -rows - 1, rows[:-1].copy()):
        assert "wait for an outcome" in resume(altered(state, [*place, "row"], wrong))
    moved = np.where(pending < 0, -1, 10**6)
    assert "wait for an outcome" in resume(altered(state, ["learner", "buffer", "pending"], moved))
    actions = np.full_like(buffer["open"]["action"], 7)
    assert "an action of an open decision is neither 0 nor 1" in resume(altered(state, [*place, "action"], actions))
