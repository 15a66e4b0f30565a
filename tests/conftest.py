"""Settings of the whole suite: hypothesis profiles, one thread, no fsync, cache in build/."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from hypothesis import HealthCheck, settings

# The same examples in every run; HYPOTHESIS_PROFILE=wide looks for new ones.
# No test depends on the clock: there is no deadline, and drawing may be as slow as the machine is.
NO_CLOCK = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, database=None, **NO_CLOCK)
settings.register_profile("wide", max_examples=2000, print_blob=True, **NO_CLOCK)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Tests run side by side and train small networks, for which more threads are slower, whatever a configuration says.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_THREAD_LIMIT", "1")

# Files are whole after the death of a process, as tests see to, but no test cuts the power: so no disk is waited for.
os.fsync = lambda _: None

# Where the tests run in the background, SIGINT is ignored, and a child would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiled code and solutions are kept here and not in the home of whoever runs the tests.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / "build" / "cache"))
