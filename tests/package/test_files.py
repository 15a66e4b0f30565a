"""Atomic file writes; bounded parsing."""

import errno
import os
from pathlib import Path

import pytest

from diamant_env.storage.files import write_whole


def test_write_whole_bytes_and_text(tmp_path):
    path = tmp_path / "new" / ("x" * 255)  # the longest name allowed
    for content, expected in ((b"\x00\xff", b"\x00\xff"), ("é\n", "é\n".encode()), (b"", b"")):
        write_whole(path, content)
        assert path.read_bytes() == expected
    assert list((tmp_path / "new").iterdir()) == [path]


@pytest.mark.parametrize(
    ("failing", "old", "error"),
    [
        ("fsync", None, OSError(errno.ENOSPC, "No space left on device")),
        ("fsync", b"old", KeyboardInterrupt("pressed")),
        ("replace", b"old", OSError(errno.ENOSPC, "No space left on device")),
    ],
)
def test_failed_write_keeps_old_file(tmp_path, monkeypatch, failing, old, error):
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)

    def fail(*_):
        raise error

    monkeypatch.setattr(*((os, "fsync") if failing == "fsync" else (Path, "replace")), fail)
    message = f"No space left on device: '{path}'" if isinstance(error, OSError) else "pressed"
    with pytest.raises(type(error), match=message):
        write_whole(path, b"new")
    assert [found.read_bytes() for found in tmp_path.iterdir()] == ([] if old is None else [old])


def test_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", b"new")
    assert [(tmp_path / name).read_bytes() for name in ("file", "link")] == [b"old", b"new"]
