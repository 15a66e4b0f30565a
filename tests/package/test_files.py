"""Files are written whole or not at all."""

import errno
import os
import stat
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


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("old", [None, b"old"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt("pressed")])
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


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_the_mode_is_that_of_any_new_file(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~umask


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


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        write_whole(tmp_path, b"new")


def test_all_that_write_go_through_it():
    """No file of the package, the agents and the training is opened for writing elsewhere."""
    root, ways = Path(__file__).parents[2], (".write_text(", ".write_bytes(", ".savefig(", '"w")', '"wb")', "np.savez(")
    found = {
        (str(path.relative_to(root)), way)
        for folder in ("diamant_env", "agents", "train")
        for path in (root / folder).rglob("*.py")
        for way in ways
        if way in path.read_text(encoding="utf-8")
    }
    assert found == {("diamant_env/storage/files.py", ".write_bytes("), ("train/runs/run_folder.py", ".savefig(")}
