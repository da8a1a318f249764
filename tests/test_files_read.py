"""Files that users name to be read: regular ones below a limit, whatever else lies there is refused at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from case import SPECIAL, made

from arrayol.errors import ArrayolError
from arrayol.files import (
    LargeFileError,
    atomic_file,
    carry_over,
    hint_of,
    holds,
    opened,
    read_bytes,
    read_json,
    require_regular,
    resolved,
)

MOST = 1 << 20  # bytes: a check that fails reads no more of /dev/zero
HINT = "write what it gives to a file first, and name that"
REFUSED = {
    "folder": ("Is a directory", None),
    "pipe": ("it is a pipe, not a file", HINT),
    "socket": ("it is a socket, not a file", HINT),
    "zeros": ("it is a device, not a file", HINT),
    "huge": ("it is larger than 1 MiB", None),
    "loop": ("Too many levels of symbolic links", None),
    "nowhere": ("No such file or directory", None),
    "above": ("Is a directory", None),
}


def refusal(path: Path) -> OSError | None:
    """How reading ends, None for bytes. It runs beside the test, which would wait for a pipe without end."""
    found: list[OSError | None] = []

    def read() -> None:
        try:
            read_bytes(path, MOST)
        except OSError as refused:
            found.append(refused)
        else:
            found.append(None)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(60)
    assert found, "it waits for what never comes"
    return found[0]


@pytest.mark.parametrize("kind", sorted(SPECIAL.keys() - {"empty"}))
def test_what_is_no_file_is_refused_with_what_it_is(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path has few characters
    made(Path("x"), kind)
    refused = refusal(Path("x"))
    assert refused is not None
    assert (refused.strerror, hint_of(refused)) == REFUSED[kind]


def test_no_more_is_read_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for size in (0, 1, 1000):
        path.write_bytes(bytes(size))
        assert read_bytes(path, 1000) == bytes(size)
    path.write_bytes(bytes(1001))
    with pytest.raises(LargeFileError):
        read_bytes(path, 1000)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no files here that say 0 bytes and have more")
def test_what_says_that_it_is_empty_is_read_and_bounded() -> None:
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    assert b"Name:" in read_bytes(path, MOST)
    with pytest.raises(LargeFileError):
        read_bytes(path, 10)


def test_a_file_that_becomes_a_pipe_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is opened counts, not what lay there before: nothing is waited for, nothing read."""
    path = tmp_path / "x"
    path.touch()

    def exchange(checked: Path) -> None:
        require_regular(checked)
        made(path, "pipe")

    monkeypatch.setattr("arrayol.files.require_regular", exchange)
    with pytest.raises(OSError, match="it is a pipe, not a file"), opened(path):
        pytest.fail("the block ran")


@pytest.mark.parametrize("text", [b"{", b"[" * 100_000, b"\xff", b"", b"9" * 5000])
def test_what_is_no_json(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "x.json").write_bytes(text)
    with pytest.raises(ValueError):  # noqa: PT011  whoever reads it says what it should have been
        read_json(tmp_path / "x.json")


def test_a_huge_file_is_not_read_to_be_compared(tmp_path: Path) -> None:
    made(tmp_path / "x", "huge")
    assert not holds(tmp_path / "x", b"\0")
    (tmp_path / "y").write_bytes(b"\0")
    assert holds(tmp_path / "y", b"\0")
    assert not holds(tmp_path / "y", b"1")


def test_a_link_in_a_circle_can_neither_be_followed_nor_written(tmp_path: Path) -> None:
    made(tmp_path / "x", "loop")
    assert resolved(tmp_path / "x") == resolved(tmp_path) / "x"
    with pytest.raises(ArrayolError, match=r"error\[cannot-write\]: this is a link that leads back to itself"):
        atomic_file(tmp_path / "x").__enter__()
    assert (tmp_path / "x").is_symlink()


def test_a_link_to_a_file_of_another_suffix(tmp_path: Path) -> None:
    """Who writes chooses a format by the name that was given."""
    (tmp_path / "x.svg").symlink_to("plain")
    with atomic_file(tmp_path / "x.svg") as temporary:
        assert temporary.suffix == ".svg"
        temporary.write_text("new")
    assert (tmp_path / "plain").read_text() == "new"
    assert (tmp_path / "x.svg").is_symlink()


@pytest.mark.parametrize("kind", ["pipe", "socket", "huge", "loop", "zeros", "empty"])
def test_what_lies_in_a_folder_is_carried_over_unread(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(Path("old/x"), kind)
    Path("new").mkdir()
    carry_over(Path("old/x"), Path("new/x"))
    carry_over(Path("old"), Path("new/old"))
    for path in (Path("new/x"), Path("new/old/x")):
        assert path.lstat().st_mode == Path("old/x").lstat().st_mode
        assert path.lstat().st_size == Path("old/x").lstat().st_size
