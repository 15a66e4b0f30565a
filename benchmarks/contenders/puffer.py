"""PufferLib's `squared` built from its sources: their own build wants raylib from GitHub and all of torch."""

from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
from pathlib import Path

from benchmarks.contenders.reference import compiler

VERSION = "3.0.0"
SOURCES = f"pufferlib-{VERSION}.tar.gz"
SHA256 = "7df3a3e3f5f894d78d2a1f5374097890aec01473183e748abefe4f3faa10eaa9"
# As its setup.py has them.
FLAGS = ("-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-DPLATFORM_DESKTOP", "-O2", "-flto")
# What drawing needs to compile; nothing is drawn.
RAYLIB_HEADER = """
#include <stdbool.h>
typedef struct { unsigned char r, g, b, a; } Color;
enum { KEY_ESCAPE = 256 };
static inline bool IsWindowReady(void) { return false; }
static inline bool IsKeyDown(int key) { return false; }
static inline void InitWindow(int width, int height, const char *title) {}
static inline void SetTargetFPS(int fps) {}
static inline void BeginDrawing(void) {}
static inline void EndDrawing(void) {}
static inline void ClearBackground(Color color) {}
static inline void DrawRectangle(int x, int y, int width, int height, Color color) {}
static inline void CloseWindow(void) {}
"""
NEEDED = ("pufferlib/environments/__init__.py", "pufferlib/ocean/squared/", "pufferlib/ocean/env_binding.h")
_PLACES = "import numpy, sysconfig; p = sysconfig.get_path; print(p('purelib'), p('include'), numpy.get_include())"


def build_squared(python: Path, folder: Path) -> None:
    """Put `pufferlib` with its one compiled environment into a virtual environment that has NumPy.

    Args:
        python: Of the environment.
        folder: Where `SOURCES` is: pip gives the file to nobody whose machine can't build all of it.

    Raises:
        RuntimeError: If the sources are not there or damaged, or there is no C compiler, or it fails.
    """
    packed = _read(folder / SOURCES)
    places = subprocess.run([str(python), "-c", _PLACES], capture_output=True, text=True, check=True)
    packages, *includes = map(Path, places.stdout.split())
    _unpack(packed, packages)
    squared = packages / "pufferlib" / "ocean" / "squared"
    # Theirs imports every environment there is.
    (squared.parent / "__init__.py").write_text("")
    (squared / "raylib.h").write_text(RAYLIB_HEADER)
    command = [compiler(), "-shared", "-fPIC", *FLAGS, *(f"-I{place}" for place in includes)]
    command += ["-o", str(squared / "binding.so"), str(squared / "binding.c")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {result.stderr.strip()}")


def _read(sources: Path) -> bytes:
    """Return the sources, packed."""
    if not sources.exists():
        raise RuntimeError(f"no {sources}: put the source distribution of pufferlib {VERSION} from PyPI there")
    packed = sources.read_bytes()
    if hashlib.sha256(packed).hexdigest() != SHA256:
        raise RuntimeError(f"{sources}: another file than the one expected")
    return packed


def _unpack(packed: bytes, packages: Path) -> None:
    """Write the package's own modules and what `squared` needs; its other environments are left out."""
    top = f"pufferlib-{VERSION}/"
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive.getmembers():
            name = member.name.removeprefix(top)
            own = Path(name).match("pufferlib/*.py")
            if member.isfile() and (own or name.startswith(NEEDED)):
                member.name = name
                archive.extract(member, packages, filter="data")
