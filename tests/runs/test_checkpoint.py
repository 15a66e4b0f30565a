"""Checkpoints: they run nothing, damage is noticed, and what is missing, unknown or of another shape is named."""

import copy
import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import save

from train.learning.training import train
from train.ppo import main
from train.runs.checkpoint import CHECKPOINT, check_like, load_checkpoint, save_checkpoint
from train.runs.config import Config
from train.runs.run_folder import new_run_folder

CONFIG = Config.model_validate(
    {
        "threads": 1,
        "checkpoints": 1,
        "ppo": {"decisions": 1_500, "games": 8, "turns": 16, "minibatch": 64, "explore": 0.5, "average": 0.5},
        "opponents": {"learner": 0.4, "snapshots": 0.3, "scripted": 0.3, "snapshot_every": 500, "snapshot_places": 2},
        "network": {"hidden": [4]},
        "judge": {"curve_points": 1, "curve_games": 100},
    }
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run that is finished, and the state in its checkpoint."""
    folder = new_run_folder(tmp_path_factory.mktemp("runs"), CONFIG)
    train(CONFIG, folder)
    return folder, load_checkpoint(folder, CONFIG)


@pytest.fixture
def resume(finished, tmp_path, capsys):
    """Resume a run from an altered state with a sound digest; return the one line of the error."""

    def resumed(state):
        (tmp_path / "config.toml").write_bytes((finished[0] / "config.toml").read_bytes())
        save_checkpoint(tmp_path, CONFIG, state)
        assert main(["--resume", str(tmp_path), "--no-judge"]) == 2
        error = capsys.readouterr().err
        lines = [line for line in error.splitlines() if "training" not in line]
        assert len(lines) == 1, error
        return lines[0]

    return resumed


def leaves(state, path=()):
    for key, value in state.items():
        yield from leaves(value, (*path, key)) if isinstance(value, dict) else [(*path, key)]


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
    state = {"arrays": {**arrays, "none": np.zeros((0, 4), np.float32), "one": np.array(2.5)}, "list": [{"a": 0.1}]}
    state |= {"random": generator.bit_generator.state, "number": 3, "nothing": None, "empty": {}}
    save_checkpoint(tmp_path, Config(), state)
    found = load_checkpoint(tmp_path, Config())
    check_like(found, state)
    assert {**found, "arrays": None} == {**state, "arrays": None}
    for name, array in state["arrays"].items():
        np.testing.assert_array_equal(found["arrays"][name], array)
    assert (tmp_path / CHECKPOINT).stat().st_size < 3_000


def test_a_crafted_pickle_is_not_opened(tmp_path, capsys):
    folder = new_run_folder(tmp_path, CONFIG)
    ran = tmp_path / "ran"

    class Crafted:
        def __reduce__(self):
            return ran.touch, ()

    (folder / CHECKPOINT).write_bytes(pickle.dumps(Crafted()))
    assert main(["--resume", str(folder)]) == 2
    error = capsys.readouterr().err
    assert f"{folder / CHECKPOINT} is damaged" in error
    assert error.count("\n") == 1
    assert not ran.exists()
    assert not (folder / "policy.safetensors").exists()


def test_every_flipped_bit_is_noticed(finished, tmp_path):
    content = (finished[0] / CHECKPOINT).read_bytes()
    random = np.random.default_rng(0)
    header = 8 + int.from_bytes(content[:8], "little")
    places = [*range(0, 80), *random.integers(80, header, 100), *random.integers(header, len(content), 120)]
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(random.integers(8))
        (tmp_path / CHECKPOINT).write_bytes(damaged)
        with pytest.raises(ValueError, match=r"is damaged|belongs to another configuration"):
            load_checkpoint(tmp_path, CONFIG)
    for length in (0, 7, 8, header - 1, len(content) - 1):
        (tmp_path / CHECKPOINT).write_bytes(content[:length])
        with pytest.raises(ValueError, match="is damaged"):
            load_checkpoint(tmp_path, CONFIG)


@pytest.mark.parametrize(
    "about",
    [
        *({}, [], "", "[", "[" * 100_000, {"format": "diamant-checkpoint-9"}),
        {"format": "diamant-checkpoint-1", "sha256": 1, "state": []},
    ],
    ids=range(7),
)
def test_other_safetensors_files_are_refused(tmp_path, about):
    text = about if isinstance(about, str) else json.dumps(about)
    (tmp_path / CHECKPOINT).write_bytes(save({"a": np.zeros(3)}, {"diamant": text}))
    with pytest.raises(ValueError, match="is damaged"):
        load_checkpoint(tmp_path, CONFIG)


def test_another_configuration_is_refused(finished):
    with pytest.raises(ValueError, match="belongs to another configuration"):
        load_checkpoint(finished[0], CONFIG.model_copy(update={"seed": 1}))


def test_each_missing_and_unknown_key_is_named(finished):
    _, state = finished
    places = list(leaves(state))
    assert len(places) > 80
    for place in places:
        with pytest.raises(ValueError, match=f"^the key {'/'.join(place)} is missing$"):
            check_like(altered(state, place, None), state)
        other = (*place[:-1], "other")
        with pytest.raises(ValueError, match=f"^unknown key {'/'.join(other)}$"):
            check_like(altered(state, other, 1), state)


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        ("model/policy/action_net.bias", np.zeros(3, np.float32), "is float32 (3,); float32 (2,) is expected"),
        ("model/policy/action_net.bias", np.zeros(2), "is float64 (2,); float32 (2,) is expected"),
        ("model/policy/action_net.bias", 3, "is 3; of type ndarray is expected"),
        ("model/num_timesteps", -1, "is -1; 0 is expected"),
        ("model/num_timesteps", True, "is True; 0 is expected"),
        ("model/buffer/shuffle/bit_generator", "MT19937", "is 'MT19937'; 'PCG64' is expected"),
        ("model/buffer/shuffle/state/state", 2**200, "too large"),
        ("model/buffer/shuffle", [], "is []; of type dict is expected"),
        ("model/buffer/open/row", np.full(1, 10**6, np.int32), "open decisions"),
        ("model/buffer/pending", np.full(10**4, 5), "is expected"),
        ("league/networks/0/0/weight", np.zeros((4, 3), np.float32), "is expected"),
        ("games/layout", "[]", "is '[]'"),
        ("games/records", np.zeros((8, 3), np.uint8), "is uint8 (8, 3); uint8 (8, "),
        ("progress/curve", [{"decisions": 3}], "the key progress/curve/high is missing"),
        ("progress/curve", [3], "progress/curve is 3; "),
        ("exploration", 3, "unknown key exploration"),
        ("model/speed", 3, "unknown key model/speed"),
        ("league", None, f"{CHECKPOINT} does not fit the run: the key league is missing"),
        ("model/optimizer/3/exp_avg", None, "the key model/optimizer/3/exp_avg is missing"),
    ],
)
def test_what_does_not_fit_the_run_is_named(finished, resume, place, value, complaint):
    assert complaint in resume(altered(finished[1], place.split("/"), value))


def test_open_decisions_belong_to_rows_that_wait(finished, resume):
    """Compiled code goes by these numbers: one out of place would write past its arrays."""
    state = finished[1]
    buffer = state["model"]["buffer"]
    assert len(buffer["open"]["row"]) > 1
    rows, pending = buffer["open"]["row"], buffer["pending"]
    place = ["model", "buffer", "open"]
    for wrong in (rows[::-1].copy(), rows + 10**6, -rows - 1, rows[:-1].copy()):
        assert "open decisions" in resume(altered(state, [*place, "row"], wrong))
    assert "open decisions" in resume(altered(state, ["model", "buffer", "pending"], np.where(pending < 0, -1, 10**6)))
    actions = np.full_like(buffer["open"]["action"], 7)
    assert "an action of an open decision is neither 0 nor 1" in resume(altered(state, [*place, "action"], actions))
