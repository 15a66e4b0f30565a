"""Multilayer perceptrons in NumPy."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]
"""Weight (outputs, inputs) and bias (outputs,) of each layer, float32."""
_FEW_ROWS = 8
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, np.float32(0), out=x),
    "tanh": lambda x: np.tanh(x, out=x),
}


def one_blas_thread(rows: int) -> AbstractContextManager:
    """Return a context that limits BLAS to one thread, faster for small products; few rows use one thread anyway."""
    return nullcontext() if rows < _FEW_ROWS else _controller().limit(limits=1, user_api="blas")


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def check_layers(layers: Layers, inputs: int, outputs: int) -> None:
    """Raise a ValueError if layers don't map `inputs` features to `outputs` logits, or a weight is not finite."""
    width = inputs
    for weight, bias in layers:
        if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
            raise ValueError(f"a layer of shapes {weight.shape} and {bias.shape} for {width} inputs")
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise ValueError("a weight that is not a finite number")
        width = len(bias)
    if not layers or width != outputs:
        raise ValueError(f"the last layer has {width} outputs; it must give {outputs} logits")


def transposed(layers: Layers) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return a float32 copy of each layer with its weight as (inputs, outputs), the layout of `hidden`."""
    return [(np.array(weight.T, np.float32, order="C"), np.array(bias, np.float32)) for weight, bias in layers]


def hidden(activations: NDArray[np.float32], layers: Layers, activation: str) -> NDArray[np.float32]:
    """Return the output of transposed layers, each followed by the activation."""
    activate = ACTIVATIONS[activation]
    for weight, bias in layers:
        activations = activations @ weight
        activations += bias
        activations = activate(activations)
    return activations
