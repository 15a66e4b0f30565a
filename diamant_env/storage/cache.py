"""What can be made anew and is kept on disk: compiled code and solved expeditions, all in one place.

The place is ``$DIAMANT_CACHE_DIR`` if that is set, else ``$NUMBA_CACHE_DIR``, and no other if they name one; by default
the user's cache folder (``~/.cache/diamant_env`` on Linux), and where that can't be made, for lack of a home say, a
private folder among the temporary files. Each version of the sources has a folder of its own there, and the last few
that were used stay. What can't be kept is made anew each time: a full disk stops nobody.

Loading compiled code runs what a file says. So a folder counts only if nobody but its user can write to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from diamant_env.storage.files import write_whole

_KEPT_VERSIONS = 8
_FOLDER = re.compile("diamant-[0-9a-f]{16}")
_DIGEST_SIZE = hashlib.sha256().digest_size


PACKAGE_STAMP = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parents[1].rglob("*.py")))
).hexdigest()
"""A digest of all source files of the package."""


def cache_folder() -> Path | None:
    """Return where this version of the package keeps compiled code and solutions, None if there is no place.

    The folder is made if need be, in ``$DIAMANT_CACHE_DIR``, else ``$NUMBA_CACHE_DIR``, else the user's cache folder,
    else among the temporary files. Only its user can write to it.
    """
    for place in _places():
        folder = place / f"diamant-{PACKAGE_STAMP[:16]}"
        with contextlib.suppress(OSError):
            _make(folder)
            if _is_private(folder.resolve()):
                with contextlib.suppress(OSError):  # it may be read-only
                    os.utime(folder)  # in use
                return folder
    return None


def load(name: str) -> NDArray[np.uint8] | None:
    """Return what was kept under this name, uint8 (bytes,), None if there is no such file or it is damaged."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        if not (folder / name).is_file():  # a pipe would be waited for
            return None
        content = np.fromfile(folder / name, np.uint8)
    except OSError:
        return None
    data, digest = content[:-_DIGEST_SIZE], content[-_DIGEST_SIZE:]
    return data if hashlib.sha256(data.data).digest() == digest.tobytes() else None


def save(name: str, *parts: bytes | memoryview) -> None:
    """Keep bytes, one part after the other, under this name, if they can be written."""
    folder = cache_folder()
    if folder is None:
        return
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    with contextlib.suppress(OSError):
        write_whole(folder / name, *parts, digest.digest())


def _places() -> Iterator[Path]:
    """Yield the folders that may hold those of the versions, best first."""
    chosen = os.environ.get("DIAMANT_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    with contextlib.suppress(RuntimeError):  # no home, of which older versions say "~"
        own = platformdirs.user_cache_path("diamant_env", appauthor=False)
        if own.is_absolute():
            yield own
    with contextlib.suppress(OSError):
        yield Path(tempfile.gettempdir(), f"diamant_env-{os.getuid() if hasattr(os, 'getuid') else 'cache'}")


def _make(folder: Path) -> None:
    """Make the folder of a version, if it is not there; the first process that comes removes the oldest others."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    with contextlib.suppress(OSError):  # another process may remove the same ones
        versions = [path for path in folder.parent.iterdir() if _FOLDER.fullmatch(path.name)]
        for old in sorted(versions, key=lambda path: path.stat().st_mtime)[:-_KEPT_VERSIONS]:
            shutil.rmtree(old, ignore_errors=True)


def _is_private(folder: Path) -> bool:
    """Whether nobody but this process's user and root can put a file into a folder, or another folder in its place."""
    if os.name == "nt":
        return folder.is_dir()  # the user's folders are private there
    found = folder.stat()
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    place = folder.parent.stat()
    above = [parent.stat().st_mode for parent in folder.parents]
    return (
        own
        and (place.st_uid in (0, os.getuid()))
        and all(mode & stat.S_ISVTX or not mode & stat.S_IWOTH for mode in above)
    )
