"""What the whole suite needs."""

from __future__ import annotations

import os

from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=wide looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.register_profile("wide", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
