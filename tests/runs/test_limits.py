"""What somebody may give has bounds, and training that diverges stops before anything broken is saved."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from pydantic import BaseModel, ValidationError

from diamant_env.opponents.network import NetworkAgent
from diamant_env.records.log import GameRecord
from diamant_env.storage.reading import read_bytes
from train.benchmarking.config import BenchmarkConfig
from train.cluster import ClusterConfig
from train.ppo import Learner, main
from train.responding.config import ResponseConfig
from train.runs.config import read_config


def numbers(kind: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel], str]]:
    """Every key of a configuration that is a number, or several."""
    for name, field in kind.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from numbers(annotation)
        elif annotation in (int, float, int | None) or "int" in str(annotation):
            yield f"{kind.__name__}.{name}", kind, name


NUMBERS = {label: rest for top in (ClusterConfig, BenchmarkConfig, ResponseConfig) for label, *rest in numbers(top)}


@pytest.mark.parametrize("label", NUMBERS)
def test_every_number_has_bounds(label):
    kind, name = NUMBERS[label]
    field = kind.model_fields[name]
    several = "tuple" in str(field.annotation)
    for value in (-1, 10**30, 1e300, math.inf, math.nan):
        with pytest.raises(ValidationError, match=rf"{name}.* = "):
            kind.model_validate({name: [value] if several else value})


@pytest.mark.parametrize("part", ["policy_net", "value_net"])
def test_training_that_diverges_stops_and_saves_nothing_broken(part, tmp_path, monkeypatch, capsys):
    standardised, times = Learner.standardised, []

    def break_down(model, advantages):
        times.append(model)
        if len(times) == 3:
            with torch.no_grad():
                getattr(model.policy.mlp_extractor, part)[0].weight[0, 0] = math.nan
        return standardised(model, advantages)

    monkeypatch.setattr(Learner, "standardised", break_down)
    words = "--ppo.decisions 8000 --ppo.games 20 --ppo.turns 32 --network.hidden 8 --judge.curve-points 0"
    words += f" --checkpoints 100 --ppo.epochs 1 --out {tmp_path} --no-judge"
    assert main(words.split()) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert "error: the training has diverged after" in line
    assert "take a lower ppo.learning_rate than 0.003" in line
    (folder,) = tmp_path.iterdir()
    assert not (folder / "policy.safetensors").exists()
    saved = list((folder / "checkpoints").iterdir())
    assert len(saved) == 2
    for path in saved:
        assert all(np.isfinite(weight).all() for weight, _ in NetworkAgent.load(path).layers)


def test_a_byte_order_mark_is_no_part_of_a_configuration(tmp_path):
    (tmp_path / "mine.toml").write_text("seed = 3", encoding="utf-8-sig")
    assert read_config(tmp_path / "mine.toml").seed == 3


def test_a_file_without_an_end(tmp_path):
    with pytest.raises(ValueError, match="more than 1,000 bytes"):
        read_bytes("/dev/zero", 1_000)
    (tmp_path / "game.txt").write_bytes(bytes(1_000_001))
    with pytest.raises(ValueError, match=r"game.txt is no record: it has more than 1,000,000 bytes"):
        GameRecord.read(tmp_path / "game.txt")
