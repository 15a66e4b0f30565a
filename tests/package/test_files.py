"""Files are written whole or not at all."""

import errno
import os
import threading
from pathlib import Path

import pytest

from diamant_env.storage.files import write_whole


def test_bytes_and_texts(tmp_path):
    path = tmp_path / "new" / ("x" * 255)  # as long as the system allows: no other name is made from it
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
def test_what_fails_leaves_the_old_file_alone(tmp_path, monkeypatch, failing, old, error):
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


def test_many_writers_of_one_file(tmp_path):
    """Each reader sees the whole content of one of them."""
    path, contents = tmp_path / "file", [bytes([letter]) * 50_000 for letter in b"abcd"]

    def write(content):
        for _ in range(20):
            write_whole(path, content)

    writers = [threading.Thread(target=write, args=[content]) for content in contents]
    write_whole(path, contents[0])
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals here")
def test_a_link_leads_nowhere_else_and_a_device_stays_one(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert (tmp_path / "link").read_bytes() == b"new"
    reader, terminal = os.openpty()
    write_whole(os.ttyname(terminal), b"new")
    assert os.read(reader, 10) == b"new"
    assert Path(os.ttyname(terminal)).is_char_device()
    os.close(reader)
    os.close(terminal)
