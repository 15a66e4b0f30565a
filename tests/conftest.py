"""Settings of the whole suite: hypothesis profiles, one thread, no fsync, caches in build/."""

import os
import signal
from pathlib import Path

from hypothesis import HealthCheck, settings

# Deterministic examples; HYPOTHESIS_PROFILE=wide searches for new ones.
# No test depends on the clock.
NO_CLOCK = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, database=None, **NO_CLOCK)
settings.register_profile("wide", max_examples=2000, print_blob=True, **NO_CLOCK)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Tests run in parallel and train small networks, for which more threads are slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_THREAD_LIMIT", "1")

# Atomicity is tested against kills, not power failures: fsync is skipped.
os.fsync = lambda _: None

# Children would inherit the ignored SIGINT of a background job.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compile caches and solutions in build/, not in the home directory.
BUILD = Path(__file__).parents[1] / "build"
os.environ.setdefault("NUMBA_CACHE_DIR", str(BUILD / "cache"))
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(BUILD / "jax"))
