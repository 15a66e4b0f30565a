"""What the commands of this package share: an error in what was given ends them with one line and status 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from agents.plain import print_plainly


@contextmanager
def clear_errors(command: str) -> Iterator[None]:
    """Turn a ValueError or an OSError into one line on stderr and exit status 2; Ctrl-C into status 130."""
    print_plainly()
    try:
        yield
    except BrokenPipeError:  # whoever read the output has stopped, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError) as error:
        print(f"{command}: error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print(f"{command}: stopped", file=sys.stderr)
        raise SystemExit(130) from None
