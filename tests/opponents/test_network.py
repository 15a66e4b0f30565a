"""Policy files: opened without torch and without running code, refused when damaged."""

import io
import itertools
import json
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from diamant_env import EDITIONS, Batch, Observations, opponents
from diamant_env.observation import NUM_FEATURES, columns
from diamant_env.opponents import make_agent
from diamant_env.opponents.inputs import CANONICAL, INPUTS, RAW
from diamant_env.opponents.network import FORMAT, LAYOUT, NetworkAgent, digest_of_tensors
from diamant_env.opponents.registry import SHIPPED
from tests.support.play import SCALE

RANDOM = np.random.default_rng(0)
TENSORS = {
    "0.weight": RANDOM.normal(size=(8, NUM_FEATURES)).astype(np.float32),
    "0.bias": np.zeros(8, np.float32),
    "1.weight": RANDOM.normal(size=(2, 8)).astype(np.float32),
    "1.bias": np.zeros(2, np.float32),
}
METADATA = {"format": FORMAT, "layout": LAYOUT, "activation": "relu"}


def content(tensors=TENSORS, **metadata):
    return save(tensors, {"diamant": json.dumps({**METADATA, "sha256": digest_of_tensors(tensors), **metadata})})


WHOLE = content()


def test_policy_file_opens_without_torch(tmp_path, monkeypatch):
    for package in ("torch", "stable_baselines3"):
        monkeypatch.setitem(sys.modules, package, None)  # to import it is an error now
    path = tmp_path / "policy.safetensors"
    path.write_bytes(WHOLE)
    agent = opponents.make_agent(str(path))
    assert str(agent) == str(path)
    row = RANDOM.normal(size=(1, NUM_FEATURES)).astype(np.float32)
    hidden = np.maximum(row @ TENSORS["0.weight"].T, 0)
    logits = hidden @ TENSORS["1.weight"].T
    expected = np.exp(logits[0, 1]) / np.exp(logits[0]).sum()
    assert agent.leave_probability(row)[0] == pytest.approx(expected, abs=1e-5)


def changed(**tensors):
    return content(TENSORS | tensors)


@pytest.mark.parametrize(
    "damaged",
    [
        save(TENSORS),
        save(TENSORS, {"diamant": "[]"}),
        save({"0.weight": np.zeros(2, np.float16)}, {"diamant": json.dumps(METADATA)}),
        content(format="other"),
        content(layout=[["must_decide", 1, 2]]),
        *(
            content(**{name: wrong})
            for name in ("layout", "activation", "inputs", "sha256")
            for wrong in (None, [], "x")
        ),
        changed(**{"1.bias": np.array([0, np.nan], np.float32)}),
        changed(**{"1.weight": np.zeros((2, 9), np.float32)}),
        changed(**{"1.weight": np.zeros((3, 8), np.float32), "1.bias": np.zeros(3, np.float32)}),
        content({"0.weight": TENSORS["0.weight"], "other": TENSORS["0.bias"]}),
        changed(**{"9/0.weight": TENSORS["1.weight"], "9/0.bias": TENSORS["1.bias"]}),
        changed(**{"4/0.weight": TENSORS["0.weight"]}),
        changed(**{"value/3/0.weight": np.zeros((1, 5), np.float32), "value/3/0.bias": np.zeros(1, np.float32)}),
    ],
)
def test_damaged_or_foreign_policy_file_is_refused(damaged, tmp_path):
    path = tmp_path / "policy.safetensors"
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=str(path)):
        NetworkAgent.load(path)


class Runs:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self.mark),)


def mutated(random: np.random.Generator, content: bytes) -> bytes:
    at = int(random.integers(len(content)))
    length = int(random.integers(1, 65))
    before, behind = content[:at], content[at + 1 :]
    damaged = [
        before + bytes([content[at] ^ 1 << int(random.integers(8))]) + behind,  # a flipped bit
        before,  # truncated
        before + content[at + length :],  # a gap
        before + random.bytes(length) + content[at:],  # an insertion
        before + bytes(min(4096, len(content) - at)) + content[at + 4096 :],  # zeros, as after a power failure
    ]
    return damaged[random.integers(len(damaged))]


def crafted(good: bytes, mark: Path) -> list[bytes]:
    """Return files that would create the folder `mark` if code in them ran."""
    torch, saved, objects = pytest.importorskip("torch"), io.BytesIO(), io.BytesIO()
    torch.save({"config": Runs(mark)}, saved)
    np.savez(objects, config=np.array([Runs(mark)], object))
    pickled = pickle.dumps(Runs(mark))
    return [b"", pickled, good + pickled, saved.getvalue(), objects.getvalue()]


def test_damaged_policy_file_is_an_error_and_runs_no_code(tmp_path):
    random, path, mark = np.random.default_rng(0), tmp_path / "policy.safetensors", tmp_path / "ran"
    digest = digest_of_tensors(TENSORS)
    refused = 0
    for content in [*crafted(WHOLE, mark), *(mutated(random, WHOLE) for _ in range(300 * SCALE))]:
        path.write_bytes(content)
        try:
            assert digest_of_tensors(NetworkAgent.load(path).tensors()) == digest
        except ValueError:
            refused += 1
    assert refused > 250
    assert not mark.exists()


def test_layers_are_float32_copies(tmp_path):
    weight, bias = RANDOM.normal(size=(2, NUM_FEATURES)), np.zeros(2)
    agent, row = NetworkAgent([(weight, bias)]), np.zeros((1, NUM_FEATURES), np.float32)
    bias += [0, 5]
    agent.weights()[0][1][1] = 5
    assert agent.leave_probability(row) == 0.5
    agent.save(tmp_path / "policy.safetensors")
    again = NetworkAgent.load(tmp_path / "policy.safetensors").weights()
    assert all(np.array_equal(*pair) for pair in zip(agent.weights()[0], again[0], strict=True))


def test_layout_in_another_order_is_refused():
    layer = np.zeros((2, 2), np.float32), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="the observer's own fields first"):
        NetworkAgent([layer], layout=[["bag", 1, 8], ["must_decide", 1, 1]])


@pytest.mark.parametrize("inputs", [RAW, CANONICAL])
def test_policy_file_of_fewer_fields_reads_its_own_columns(inputs, tmp_path):
    """A file states its fields: those added since, here `lead`, `rival_relics` and `turn`, do not move its columns."""
    added = ("lead", "rival_relics", "turn")
    kept = [field for field in LAYOUT if field[0] not in added]
    rows = Batch(50, 5).reset(3)[:, 0]
    removed = np.isin(np.arange(NUM_FEATURES), columns(*added))
    width = (~removed).sum() if inputs == RAW else INPUTS[CANONICAL].width
    weight = RANDOM.normal(size=(2, width)).astype(np.float32)
    tensors = {"0.weight": weight, "0.bias": np.zeros(2, np.float32)}
    path = tmp_path / "policy.safetensors"
    path.write_bytes(content(tensors, layout=kept, inputs=inputs))
    agent = NetworkAgent.load(path)
    seen = rows[:, ~removed] if inputs == RAW else INPUTS[CANONICAL](rows)
    logits = seen @ (weight[1] - weight[0])
    for each in (agent, agent.for_players(5)):
        np.testing.assert_allclose(each.leave_logit(rows), logits, rtol=1e-5, atol=1e-5)
    agent.save(path)
    again = NetworkAgent.load(path)
    assert (again.layout, again.inputs) == (kept, inputs)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_policy_plays_every_table(name):
    assert str(make_agent(name)) == name
    for edition, players in itertools.product(EDITIONS, range(3, 9)):
        seen = Batch(2, players, edition).reset(0).reshape(2 * players, -1)
        leave = make_agent(name).act(Observations(seen), np.ones(2 * players, bool))
        assert ((leave > 0) & (leave < 1)).all()
