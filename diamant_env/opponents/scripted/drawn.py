"""Opponents drawn by a seed that was secret during training, against tuning to the published pools.

The seed is published as a hash before results and revealed after them.
"""

from __future__ import annotations

from hashlib import sha256

RANGES: dict[str, tuple[tuple[float, ...], ...]] = {
    "random": ((0.1, 0.15, 0.2, 0.25, 0.3),),
    "cards": (tuple(range(4, 11)),),
    "bag": (tuple(range(5, 21)),),
    "traps": ((2, 3),),
    "bag-or-traps": (tuple(range(8, 25)), (2, 3)),
    "ev": ((0, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25),),
    "ev-others-stay": ((0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),),
    "solo-grab": (tuple(range(3, 13)), tuple(range(8, 19))),
    "catch-up": (tuple(range(8, 23)), (0.25, 0.5, 0.75, 1, 1.25)),
    "follow": ((1, 2, 3), tuple(range(5, 17))),
    "oppose": (tuple(range(6, 17)), (0, 1, 2, 3, 4)),
    "mixture": (tuple(range(5, 13)), tuple(range(13, 25))),
}
"""The values among which each parameter of a family is drawn: none makes an agent that never or always leaves."""


def drawn_pool(seed: str) -> tuple[str, ...]:
    """Return one agent of each family, as texts that `make` takes, the same for a seed on every machine.

    >>> drawn_pool("an example")[:3]
    ('random:0.3', 'cards:5', 'bag:5')

    Raises:
        ValueError: If the seed is empty.
    """
    if not seed.strip():
        raise ValueError("the seed of the line-ups is empty; any other text is allowed")
    return tuple(
        f"{family}:{','.join(f'{_drawn(seed, family, place, values):g}' for place, values in enumerate(parameters))}"
        for family, parameters in RANGES.items()
    )


def commitment(seed: str) -> str:
    """Return what is published before the seed is: the SHA-256 of its UTF-8, in hexadecimal digits."""
    return sha256(seed.encode()).hexdigest()


def _drawn(seed: str, family: str, place: int, values: tuple[float, ...]) -> float:
    # By a hash: the streams of numpy's generators may change from version to version.
    number = int.from_bytes(sha256(f"{seed}\n{family}\n{place}".encode()).digest())
    return values[number % len(values)]
