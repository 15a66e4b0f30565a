"""Diverging training: stopped before a broken policy is saved."""

from __future__ import annotations

import math

import numpy as np
import torch

from diamant_env.opponents.network import NetworkAgent
from train.ppo import Learner, main


def test_diverged_training_stops_and_saves_finite_policies(tmp_path, monkeypatch, capsys):
    loss, times = Learner.loss, []

    def break_down(model, batch):
        times.append(model)
        if len(times) == 3:
            with torch.no_grad():
                model.policy.mlp_extractor.value_net[0].weight[0, 0] = math.nan
        return loss(model, batch)

    monkeypatch.setattr(Learner, "loss", break_down)
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
