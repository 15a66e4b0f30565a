"""Ray: joining a cluster, and any function mapped over its machines."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def require_ray() -> None:
    """Raise a ValueError that says how to install Ray if it is not there."""
    if importlib.util.find_spec("ray") is None:
        raise ValueError(
            "Ray is not installed in this environment: "
            'pip install -c constraints-distributed.txt -e ".[train,distributed]", best in a venv of its own'
        )


def join_cluster(cores: int = 0) -> None:
    """Join the cluster that ``RAY_ADDRESS`` names or ``ray start`` began on this machine, or begin one here.

    Args:
        cores: How many will be asked for; if the cluster has fewer at the moment, a line on stderr says so.
    """
    require_ray()
    import ray

    if not ray.is_initialized():
        _require_address(os.environ.get("RAY_ADDRESS", ""))
        ray.init(logging_level="ERROR", log_to_driver=False)
    there = ray.cluster_resources().get("CPU", 0)
    if there < cores:
        print(f"{cores} cores are asked for, the cluster has {there:.0f}: waiting for more to join", file=sys.stderr)


def _require_address(address: str) -> None:
    """Raise ConnectionError if nothing answers at ``host:port``: Ray itself would try for many minutes."""
    host, _, port = address.rpartition(":")
    if host and "/" not in host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except OSError as error:
            raise ConnectionError(f"no Ray cluster answers at RAY_ADDRESS={address}: {error}") from None


def map_on_ray(function: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
    """Do what ``map(function, jobs)`` does, each job as a task on the cluster, all at once; the results in order.

    A job whose process or machine dies is done again elsewhere. The function and the classes of jobs and results must
    be importable there, or plain data; see docs/cluster.md.
    """
    join_cluster()
    import ray

    task = ray.remote(function)
    references = [task.remote(job) for job in jobs]
    for reference in references:
        try:
            result = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        yield result
