"""Checkpoints: round trip, and one-line errors for states that do not fit the run."""

import copy

import numpy as np
import pytest

from train.ppo import main, train
from train.runs.config import Config
from train.runs.run_folder import CHECKPOINT, load_checkpoint, new_run_folder, save_checkpoint

CONFIG = Config.model_validate(
    {
        "checkpoints": 1,
        "ppo": {"decisions": 1_500, "games": 8, "turns": 16, "minibatch": 64, "explore": 0.5, "average": 0.5},
        "opponents": {"learner": 0.4, "snapshot_every": 500, "snapshot_places": 2},
        "network": {"hidden": [4]},
        "judge": {"curve_points": 1},
    }
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return the folder of a finished run and the state of its checkpoint."""
    folder = new_run_folder(tmp_path_factory.mktemp("runs"), CONFIG)
    train(CONFIG, folder)
    return folder, load_checkpoint(folder, CONFIG)


@pytest.fixture
def resume(finished, tmp_path, capsys):
    """Resume a run from an altered state in a valid file; return the error line."""

    def resumed(state):
        (tmp_path / "config.toml").write_bytes((finished[0] / "config.toml").read_bytes())
        save_checkpoint(tmp_path, CONFIG, state)
        assert main(["--resume", str(tmp_path), "--no-judge"]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1, lines
        return lines[0]

    return resumed


def altered(state, path, value):
    """Return a copy with the value at a path replaced, or deleted if None."""
    state = copy.deepcopy(state)
    place = state
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return state


def test_other_configuration_is_refused(finished):
    with pytest.raises(ValueError, match="has another configuration"):
        load_checkpoint(finished[0], CONFIG.model_copy(update={"seed": 1}))


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        ("learner/policy/action_net.bias", np.zeros(3, np.float32), "size mismatch for action_net.bias"),
        ("learner/shuffle/bit_generator", "MT19937", "must be for a PCG64"),
        ("learner/league/networks", [[[np.zeros((4, 3), np.float32), np.zeros(4, np.float32)]]] * 2, "ValueError"),
        ("learner/layout", "[]", "games have the layout of another version"),
        ("learner/league", None, f"{CHECKPOINT} does not fit the run: KeyError: 'league'"),
    ],
)
def test_mismatched_state_is_named(finished, resume, place, value, complaint):
    error = resume(altered(finished[1], place.split("/"), value))
    assert f"{CHECKPOINT} does not fit the run: " in error
    assert complaint in error


def test_open_decisions_are_bounds_checked(finished, resume):
    """Compiled code indexes arrays by these numbers."""
    state = finished[1]
    buffer = state["learner"]["buffer"]
    assert len(buffer["open"]["row"]) > 1
    rows, pending = buffer["open"]["row"], buffer["pending"]
    place = ["learner", "buffer", "open"]
    for wrong in (rows[::-1].copy(), rows + 10**6, -rows - 1, rows[:-1].copy()):
        assert "with an open decision" in resume(altered(state, [*place, "row"], wrong))
    moved = np.where(pending < 0, -1, 10**6)
    assert "with an open decision" in resume(altered(state, ["learner", "buffer", "pending"], moved))
    actions = np.full_like(buffer["open"]["action"], 7)
    assert "an action of an open decision is neither 0 nor 1" in resume(altered(state, [*place, "action"], actions))
