"""Entries as files: scored again to the same figures; anything else is one clear error."""

import json
import shutil

import measured_parts  # docs/measured_parts.py
import pytest

from diamant_env.opponents import make, registry
from tests.benchmarking.test_suite import CONFIG
from train.benchmarking.check import check_entry

VALID = {
    **{"policy": "policy.safetensors", "task": "full-4-win", "task_version": 1, "algorithm": "mine", "seed": 3},
    **{"decisions": 800, "commit": "https://example.org/mine@1234"},
}


@pytest.fixture
def entry(tmp_path):
    """Return a function that writes an entry with a network, and returns its folder."""

    def write(**changes):
        make("champion").for_players(4).save(tmp_path / "policy.safetensors")
        (tmp_path / "entry.json").write_text(json.dumps(VALID | changes))
        return tmp_path

    return write


def test_entry_is_scored_and_again_to_the_same_figures(entry, tmp_path_factory):
    first = check_entry(entry(), CONFIG)
    assert {name: first[name] for name in ("task", "algorithm", "seed", "kind", "decisions", "commit")} == {
        **{"task": "full-4-win", "algorithm": "mine", "seed": 3, "kind": "learned", "decisions": 800},
        "commit": "https://example.org/mine@1234",
    }
    assert 0 < first["measures"]["held_out"]["win"]["mean"] < 1
    row = json.loads((entry() / "result.json").read_text())
    again = check_entry(entry(), CONFIG)
    assert again["measures"] == row["measures"]
    entries = tmp_path_factory.mktemp("entries")
    shutil.copytree(entry(), entries / "one")
    assert again in measured_parts.with_entries(entries)["runs"]
    shutil.copytree(entry(), entries / "two")
    with pytest.raises(ValueError, match=r"one and .*two are both seed 3 of mine on full-4-win"):
        measured_parts.with_entries(entries)
    row["measures"]["held_out"]["win"]["mean"] += 1e-12
    (entry() / "result.json").write_text(json.dumps(row))
    with pytest.raises(ValueError, match="has other measures than measured here"):
        check_entry(entry(), CONFIG)


def test_scripted_agent_is_an_entry(entry):
    row = check_entry(entry(policy="ev:0.75", decisions=0, task="expedition-2"), CONFIG)
    assert row["kind"] == "agent"
    assert row["measures"]["exact"]["nash_conv"] == pytest.approx(2 * 1.110192, abs=1e-6)  # docs/exact.md


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "full-5-win"}, "unknown task 'full-5-win'; tasks: expedition-2"),
        ({"algorithm": "ppo"}, "'ppo' is an algorithm of the benchmark; give the entry another name"),
        ({"task_version": 2}, "version 2 of full-4-win; version 1 is scored here"),
        ({"measures": {}}, "measures: Extra inputs are not permitted"),
        ({"policy": "../policy.safetensors"}, "a .safetensors or .onnx file in"),
        ({"policy": "model.zip"}, "a .safetensors or .onnx file in"),
        ({"policy": "os:system"}, "a .safetensors or .onnx file in"),
        ({"policy": "nobody"}, "a .safetensors or .onnx file in"),
    ],
)
def test_invalid_entry_is_refused(entry, changes, message):
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        check_entry(entry(**changes), CONFIG)


@pytest.mark.parametrize("policy", ["mine", "search:mine", " mine"])
def test_folder_of_the_current_one_is_no_policy(policy, entry, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(current := tmp_path_factory.mktemp("current"))
    (current / "mine").mkdir()
    make("champion").for_players(4).save(current / "mine" / "policy.safetensors")
    with pytest.raises(ValueError, match=r"a \.safetensors or \.onnx file in"):
        check_entry(entry(policy=policy), CONFIG)


def test_damaged_files_are_refused(entry):
    folder = entry()
    (folder / "result.json").write_text('{"measures": ')
    with pytest.raises(ValueError, match=r"result\.json is damaged"):
        check_entry(folder, CONFIG)
    (folder / "result.json").unlink()
    content = (folder / "policy.safetensors").read_bytes()
    (folder / "policy.safetensors").write_bytes(content[:-100])
    with pytest.raises(ValueError, match="is no safetensors file or is damaged"):
        check_entry(folder, CONFIG)
    (folder / "entry.json").write_text('{"policy": ')
    with pytest.raises(ValueError, match="is no JSON"):
        check_entry(folder, CONFIG)
    (folder / "entry.json").unlink()
    with pytest.raises(ValueError, match="can't be read"):
        check_entry(folder, CONFIG)


def test_onnx_is_an_entry(entry, monkeypatch):
    monkeypatch.setattr(registry, "load_model", lambda text: make("ev") if text.endswith("net.onnx") else None)
    folder = entry(policy="net.onnx", task="solitaire")
    (folder / "net.onnx").write_bytes(b"a network")
    assert check_entry(folder, CONFIG)["measures"]["score"]["mean"] > 60
