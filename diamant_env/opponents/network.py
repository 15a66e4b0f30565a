"""Trained policies in NumPy: multilayer perceptrons in a safetensors file, loaded without torch or code execution."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

from diamant_env.agent import answer_deciding
from diamant_env.observation import FIELDS, OWN, PUBLIC, RIVALS, Observations, columns
from diamant_env.opponents.inputs import INPUTS, RAW
from diamant_env.opponents.layers import ACTIVATIONS, Layers, check_layers, hidden, one_blas_thread, transposed
from diamant_env.opponents.values import Values
from diamant_env.storage.files import write_atomic

FORMAT = "diamant-policy-1"
_VALUE = "value/"  # prefix of a value network's tensors, before the table size
LAYOUT = [[field.name, field.size, field.scale] for field in FIELDS]
"""Name, size and scale of each field of an observation, in order; policy files contain those of their rows."""


class NetworkAgent:
    """Agent with a multilayer perceptron.

    Args:
        layers: Weight (outputs, inputs) and bias (outputs,) of each layer, float32; the last one gives the logits
            of CONTINUE and LEAVE.
        activation: ``"relu"`` or ``"tanh"``, between the layers.
        name: Name of the agent.
        metadata: Metadata of the file, such as the training configuration.
        inputs: Name of the transformation of observations, one of `diamant_env.opponents.inputs.INPUTS`.
        values: Value networks for starts of expeditions under this policy, or None.
        by_players: Layers by number of players, in place of `layers`.
        layout: Name, size and scale of the fields of its rows, in order; by default those of `FIELDS`.

    Raises:
        ValueError: If the shapes of the layers do not match each other or the inputs, or observations lack a field of
            the layout.
    """

    stateless = True

    def __init__(
        self,
        layers: Layers,
        activation: str = "relu",
        name: str = "network",
        metadata: dict[str, Any] | None = None,
        inputs: str = RAW,
        values: Values | None = None,
        by_players: Mapping[int, Layers] | None = None,
        layout: list[list] = LAYOUT,
    ) -> None:
        if activation not in ACTIVATIONS:
            raise ValueError(f"unknown activation {activation!r}; allowed: {', '.join(ACTIVATIONS)}")
        if inputs not in INPUTS:
            raise ValueError(f"unknown inputs {inputs!r}; allowed: {', '.join(INPUTS)}")
        by_players = by_players or {}
        self.layout = layout
        self._columns = None if self.layout == LAYOUT else columns_of(self.layout)
        width = INPUTS[inputs].width if self._columns is None or inputs != RAW else len(self._columns)
        for network in (layers, *by_players.values()):
            check_layers(network, width, 2)
        self.layers = transposed(layers)
        self.by_players = {players: transposed(network) for players, network in by_players.items()}
        self.activation = activation
        self.inputs = inputs
        self.name = name
        self.metadata = metadata or {}
        self.values = values

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        return answer_deciding(obs, lambda rows: self.leave_probability(obs.flat[rows]))

    def leave_probability(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return P(LEAVE), float32 (rows,), for flat observations, float32 (rows, NUM_FEATURES)."""
        return logistic(self.leave_logit(flat))

    def leave_logit(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the logit of LEAVE less that of CONTINUE, float32 (rows,)."""
        inputs = INPUTS[self.inputs](flat)
        if self._columns is not None and self.inputs == RAW:
            inputs = inputs[:, self._columns]
        if not self.by_players:
            return self._leave_logit(self.layers, inputs)
        players = Observations(flat)["num_players"].astype(np.int64)
        sizes = np.bincount(players).nonzero()[0].tolist()
        logits = np.empty(len(flat), np.float32)
        for size in sizes:
            rows = slice(None) if len(sizes) == 1 else players == size  # a slice does not copy
            logits[rows] = self._leave_logit(self.by_players.get(size, self.layers), inputs[rows])
        return logits

    def _leave_logit(self, layers: Layers, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        weight, bias = layers[-1]
        with one_blas_thread(len(inputs)):
            activations = hidden(inputs, layers[:-1], self.activation)
            # Softmax over two logits is the logistic function of their difference.
            return activations @ (weight[:, 1] - weight[:, 0]) + (bias[1] - bias[0])

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Return all weights by their names in a policy file."""
        networks = {"": self.weights()} | {f"{players}/": self.weights(players) for players in self.by_players}
        if self.values is not None:
            networks |= {f"{_VALUE}{players}/": layers for players, layers in self.values.weights().items()}
        return {
            f"{prefix}{number}.{kind}": array
            for prefix, layers in networks.items()
            for number, layer in enumerate(layers)
            for kind, array in zip(("weight", "bias"), layer, strict=True)
        }

    def for_players(self, players: int) -> NetworkAgent:
        """Return the agent with a single network, the one for this number of players."""
        return NetworkAgent(self.weights(players), self.activation, self.name, inputs=self.inputs, layout=self.layout)

    def weights(self, players: int | None = None) -> Layers:
        """Return copies of the weight (outputs, inputs) and the bias (outputs,) of each layer.

        Args:
            players: Number of players; None for the network that is shared by several numbers.
        """
        layers = self.layers if players is None else self.by_players.get(players, self.layers)
        return [(weight.T.copy(), bias.copy()) for weight, bias in layers]

    def save(self, path: str | Path, about: dict[str, Any] | None = None) -> None:
        """Write a policy file for `load`.

        Args:
            path: Path of the file.
            about: JSON values for `metadata`, such as the training configuration.
        """
        tensors = self.tensors()
        form = {"format": FORMAT, "layout": self.layout, "activation": self.activation, "inputs": self.inputs}
        # One entry, since safetensors does not preserve the order of several.
        metadata = form | (about or {}) | form | {"sha256": digest_of_tensors(tensors)}
        write_atomic(path, save(tensors, {"diamant": json.dumps(metadata)}))

    @classmethod
    def load(cls, path: str | Path) -> NetworkAgent:
        """Return the agent of a policy file.

        Args:
            path: Path of the file, which becomes the agent's name.

        Raises:
            OSError: If the file can't be read.
            ValueError: If it is damaged, not a policy of this package, or reads fields that observations lack.
        """
        try:
            tensors, metadata = _read_safetensors(Path(path).read_bytes())
            if metadata["format"] != FORMAT:
                raise ValueError(f"its format is not {FORMAT}")
            if metadata["sha256"] != digest_of_tensors(tensors):
                raise ValueError("its weights don't match its digest")
            networks = _networks(tensors)
            by_players = {int(name): layers for name, layers in networks.items() if name.isdecimal()}
            prefixed = {name: layers for name, layers in networks.items() if name.startswith(_VALUE)}
            values = Values({int(name.removeprefix(_VALUE)): layers for name, layers in prefixed.items()})
            return cls(
                networks[""], metadata["activation"], str(path), metadata, metadata.get("inputs", RAW),
                values if prefixed else None, by_players, metadata["layout"],
            )  # fmt: skip
        except (SafetensorError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged or not a policy of diamant_env: {error}") from None


def columns_of(layout: list[list]) -> NDArray[np.intp]:
    """Return the columns of an observation that form a row of another layout, int (features,)."""
    if wrong := [field for field in layout if field not in LAYOUT]:
        raise ValueError(f"its rows have the field {wrong[0]} (name, size, scale), which observations lack")
    names = [name for name, _, _ in layout]
    parts = [{field.name for field in part} for part in (OWN, RIVALS, PUBLIC)]
    observer, rivals, public = ([name for name in names if name in part] for part in parts)
    if names != [*observer, *rivals, *public]:
        raise ValueError(
            "its rows must have the observer's own fields first, then those of rivals, then the public ones"
        )
    by_rival = zip(*(columns(name) for name in rivals), strict=True)  # interleaved
    return np.array([*columns(*observer), *chain.from_iterable(by_rival), *columns(*public)], np.intp)


def logistic(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return P(LEAVE), float32, for the logit of LEAVE less that of CONTINUE."""
    return (1 / (1 + np.exp(-np.minimum(np.maximum(logits, -80), 80)))).astype(np.float32)


def digest_of_tensors(tensors: Mapping[str, NDArray[np.float32]]) -> str:
    """Return the SHA-256 of tensors with their names and shapes."""
    digest = hashlib.sha256()
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {list(tensor.shape)}\n".encode())
        digest.update(np.ascontiguousarray(tensor, "<f4").data)
    return digest.hexdigest()


def _networks(tensors: dict[str, NDArray[np.float32]]) -> dict[str, Layers]:
    """Return the layers of policies by ``""`` or ``"PLAYERS"``, and of value networks by ``"value/PLAYERS"``."""
    prefixes = Counter(name.rpartition("/")[0] for name in tensors)
    networks: dict[str, Layers] = {}
    for network, count in prefixes.items():
        places = [f"{network}/{layer}".lstrip("/") for layer in range(math.ceil(count / 2))]
        networks[network] = [(tensors[f"{place}.weight"], tensors[f"{place}.bias"]) for place in places]
    return networks


def _read_safetensors(content: bytes) -> tuple[dict[str, NDArray[np.float32]], Any]:
    """Return the float32 tensors and the metadata of a safetensors file's content."""
    tensors = {
        name: np.frombuffer(tensor["data"], "<f4").reshape(tensor["shape"]).astype(np.float32)
        for name, tensor in deserialize(content)
    }
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return tensors, json.loads(header["__metadata__"]["diamant"])
