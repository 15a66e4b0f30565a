"""Atomic file writes."""

import errno
import os

import pytest

from diamant_env.storage.files import write_atomic


def test_write_atomic_bytes_and_text(tmp_path):
    path = tmp_path / "new" / ("x" * 255)  # the longest name allowed
    for content, expected in ((b"\x00\xff", b"\x00\xff"), ("é\n", "é\n".encode()), (b"", b"")):
        write_atomic(path, content)
        assert path.read_bytes() == expected
    assert list((tmp_path / "new").iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt("pressed")])
def test_failed_write_keeps_old_file(tmp_path, monkeypatch, error):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*_):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        write_atomic(path, b"new")
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"old"]


def test_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomic(tmp_path / "link", b"new")
    assert [(tmp_path / name).read_bytes() for name in ("file", "link")] == [b"old", b"new"]
