"""What the whole suite needs."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=wide looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.register_profile("wide", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Compiled code and solutions are kept here and not in the home of whoever runs the tests.
os.environ.setdefault("DIAMANT_CACHE_DIR", str(Path(__file__).parents[1] / "build" / "cache"))
