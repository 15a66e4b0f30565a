"""Text for an output that does not know every character, such as one in ASCII: nothing that is printed may fail."""

from __future__ import annotations

import codecs
import sys
import unicodedata

_INSTEAD = {"±": "+-", "×": "x", "–": "-", "—": "-", "…": "...", "≤": "<=", "≥": ">=", "’": "'", "·": "*"}
_ERRORS = "diamant-plain"


def plain(text: str, encoding: str) -> str:
    """Return a text with characters that the encoding has: ± becomes +-, é becomes e, what has no likeness ?."""
    return text.encode(encoding, _ERRORS).decode(encoding)


def print_plainly() -> None:
    """Print on stdout from now on as `plain` does, instead of failing."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors=_ERRORS)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_likeness, error.object[error.start : error.end])), error.end


def _likeness(character: str) -> str:
    """Return what looks like a character in ASCII."""
    letters = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return _INSTEAD.get(character) or letters or "?"


codecs.register_error(_ERRORS, _replace)
