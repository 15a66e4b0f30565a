"""Processes side by side as one contender: each has a batch of its own, and hands nothing to the others."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection

from benchmarks.engine import action_ring
from benchmarks.measure import Play

Make = Callable[..., Play]  # of the number of games, the players, and arrays of actions


def processes_play(make: Make, num_games: int, players: int, leave_probability: float, processes: int) -> Play:
    """Return a contender that shares the games among so many processes; they end when it is thrown away.

    Args:
        make: A function of `benchmarks.engine` that makes a contender.
        num_games: Of all processes together.
        players: At each table.
        leave_probability: Of the random actions.
        processes: How many.
    """
    context = multiprocessing.get_context("spawn")
    pipes = []
    for _ in range(processes):
        ours, theirs = context.Pipe()
        task = (theirs, make, num_games // processes, players, leave_probability)
        context.Process(target=_serve, args=task, daemon=True).start()
        theirs.close()
        pipes.append(ours)
    _await(pipes)

    def play(steps: int) -> None:
        for pipe in pipes:
            pipe.send(steps)
        _await(pipes)

    return play


def _await(pipes: list[Connection]) -> None:
    for pipe in pipes:
        pipe.recv()


def _serve(pipe: Connection, make: Make, num_games: int, players: int, leave_probability: float) -> None:
    """Play as many steps as each message says, until there are no more messages."""
    play = make(num_games, players, action_ring(num_games, players, leave_probability))
    try:
        while True:
            pipe.send("ready")
            play(pipe.recv())
    except (EOFError, ConnectionError):
        return
