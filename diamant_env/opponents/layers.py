"""Multilayer perceptrons in NumPy: checked when they are made, so that nothing that is observed can overflow."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]
"""Weight (outputs, inputs) and bias (outputs,) of each layer, float32."""
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, np.float32(0), out=x),
    "tanh": lambda x: np.tanh(x, out=x),
}


def one_blas_thread() -> AbstractContextManager:
    """Return a context in which BLAS uses one thread: for small products more are slower, above all on busy cores."""
    return _controller().limit(limits=1, user_api="blas")


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def check_layers(layers: Layers, activation: str, largest: NDArray[np.float64], outputs: int) -> None:
    """Check that layers fit each other and that no sum can overflow, partial ones included, whatever goes in.

    Logits of infinity less infinity would be no number.

    Args:
        layers: What is checked.
        activation: One of `ACTIVATIONS`, between the layers.
        largest: float64 (inputs,), the largest absolute value of each input.
        outputs: How many logits the last layer must give.

    Raises:
        ValueError: If they don't, or a weight is not a finite number.
    """
    width, values = len(largest), largest
    for weight, bias in layers:
        if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
            raise ValueError(f"a layer of shapes {weight.shape} and {bias.shape} after one of {width} outputs")
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise ValueError("a weight that is not a finite number")
        width = len(bias)
        sums = np.abs(weight.astype(np.float64)) @ values + np.abs(bias.astype(np.float64))
        if sums.max(initial=0) >= np.finfo(np.float32).max / 2:  # half of it, since two logits are subtracted
            raise ValueError(f"weights so large that float32 can overflow: sums of up to {sums.max():.0e}")
        values = np.minimum(sums, 1) if activation == "tanh" else sums
    if not layers or width != outputs:
        raise ValueError(f"the last layer has {width} outputs; it must give {outputs} logits")


def transposed(layers: Layers) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return each layer with its weight as (inputs, outputs), which `hidden` multiplies by."""
    return [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]


def hidden(values: NDArray[np.float32], layers: Layers, activation: str) -> NDArray[np.float32]:
    """Return what transposed layers make of rows of inputs, with the activation after each."""
    activate = ACTIVATIONS[activation]
    for weight, bias in layers:
        values = values @ weight
        values += bias
        values = activate(values)
    return values
