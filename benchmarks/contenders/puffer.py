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
_PLACES = "import numpy, sysconfig; p = sysconfig.get_path; print(p('purelib'), p('include'), numpy.get_include())"


def build_squared(python: Path, folder: Path) -> None:
    """Put `pufferlib` with its one compiled environment into a virtual environment that has NumPy.

    Args:
        python: Of the environment.
        folder: Where `SOURCES` is: pip gives the file to nobody whose machine can't build all of it.

    Raises:
        RuntimeError: If the sources are not there or damaged, or there is no C compiler.
        CalledProcessError: If the compiler fails.
    """
    sources = folder / SOURCES
    if not sources.exists():
        raise RuntimeError(f"no {sources}: put the source distribution of pufferlib {VERSION} from PyPI there")
    packed = sources.read_bytes()
    if hashlib.sha256(packed).hexdigest() != SHA256:
        raise RuntimeError(f"{sources}: another file than the one expected")
    places = subprocess.run([str(python), "-c", _PLACES], capture_output=True, text=True, check=True)
    packages, *includes = map(Path, places.stdout.split())
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(packages, filter="data")
    (packages / f"pufferlib-{VERSION}" / "pufferlib").rename(packages / "pufferlib")
    squared = packages / "pufferlib" / "ocean" / "squared"
    (squared.parent / "__init__.py").write_text("")  # theirs imports every environment there is
    (squared / "raylib.h").write_text(RAYLIB_HEADER)
    command = [compiler(), "-shared", "-fPIC", *FLAGS, *(f"-I{place}" for place in includes)]
    command += ["-o", str(squared / "binding.so"), str(squared / "binding.c")]
    subprocess.run(command, capture_output=True, text=True, check=True)
