"""Bounds of settings, and training that diverges: it stops before anything broken is saved."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from pydantic import BaseModel, ValidationError

from diamant_env.opponents.network import NetworkAgent
from train.benchmarking.config import BenchmarkConfig
from train.cluster import ClusterConfig
from train.ppo import Learner, main
from train.responding.config import ResponseConfig


def numbers(kind: type[BaseModel]) -> Iterator[tuple[type[BaseModel], str]]:
    """Every key of a configuration that is a number, or several."""
    for name, field in kind.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from numbers(annotation)
        elif annotation in (int, float, int | None) or "int" in str(annotation):
            yield kind, name


@pytest.mark.parametrize("config", [ClusterConfig, BenchmarkConfig, ResponseConfig])
def test_every_number_has_bounds(config):
    for kind, name in numbers(config):
        several = "tuple" in str(kind.model_fields[name].annotation)
        for value in (-1, 10**30, 1e300, math.inf, math.nan):
            with pytest.raises(ValidationError, match=rf"{name}.* = "):
                kind.model_validate({name: [value] if several else value})


def test_training_that_diverges_stops_and_saves_nothing_broken(tmp_path, monkeypatch, capsys):
    standardised, times = Learner.standardised, []

    def break_down(model, advantages):
        times.append(model)
        if len(times) == 3:
            with torch.no_grad():
                model.policy.mlp_extractor.value_net[0].weight[0, 0] = math.nan
        return standardised(model, advantages)

    monkeypatch.setattr(Learner, "standardised", break_down)
    words = "--ppo.decisions 8000 --ppo.games 20 --ppo.turns 32 --network.hidden 8 --judge.curve-points 0"
    words += f" --checkpoints 100 --ppo.epochs 1 --out {tmp_path} --no-judge"
    assert main(words.split()) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert "error: the training has diverged after" in line
    assert "lower ppo.learning_rate = 0.003" in line
    (folder,) = tmp_path.iterdir()
    assert not (folder / "policy.safetensors").exists()
    saved = list((folder / "checkpoints").iterdir())
    assert len(saved) == 2
    for path in saved:
        assert all(np.isfinite(weight).all() for weight, _ in NetworkAgent.load(path).layers)
