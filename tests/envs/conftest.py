"""What the tests of the environments share."""

from __future__ import annotations

import warnings

import pytest


@pytest.fixture
def warnings_are_errors():
    """Let every warning fail the test, but those of integers that overflow on purpose, uncompiled."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "overflow encountered in scalar")
        yield
