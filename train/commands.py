"""What the commands of this package share: an error in what was given ends them with one line and status 2."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def clear_errors(command: str) -> Iterator[None]:
    """Turn a ValueError or an OSError into one line on stderr and exit status 2; Ctrl-C into status 130."""
    try:
        yield
    except (ValueError, OSError) as error:
        print(f"{command}: error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print(f"{command}: stopped", file=sys.stderr)
        raise SystemExit(130) from None
