"""Files of users: read where they are regular and not too large; written whole or not at all.

What is written has a temporary name beside the target until it is whole, and is then renamed.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from arrayol.errors import ArrayolError, error

MOST_TEXT_BYTES = 64 << 20  # of a text that somebody writes: a specification, a platform, a study, C
MOST_DATA_BYTES = 512 << 20  # of data in memory: a table of constants, an image
MOST_DOCUMENT_BYTES = 1 << 30  # of a document that arrayol has written: a result, figures
_PART_BYTES = 1 << 20  # read at once
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class IrregularFileError(OSError):
    """A path that is neither a regular file nor a folder; `strerror` says what it is."""

    hint = "write what it gives to a file first, and name that"


class LargeFileError(OSError):
    """A file of more bytes than its kind may have; `strerror` says how many."""


def hint_of(refused: OSError) -> str | None:
    """What to do about a file that cannot be read, where more can be said than the reason."""
    return refused.hint if isinstance(refused, IrregularFileError) else None


def resolved(path: Path) -> Path:
    """A path from the root, without links; one that leads back to itself stays, where `Path.resolve` may fail."""
    return Path(os.path.realpath(path))


def require_regular(path: Path) -> None:
    """Raises OSError for what is no file to read: missing, a folder, or IrregularFileError for pipes and devices.

    Nothing is opened, so a pipe without a writer is not waited for.
    """
    _require_regular(path, path.stat())


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A regular file opened to read. Raises OSError as `require_regular` does, also if it is another one by then."""
    require_regular(path)
    with open(path, "rb", opener=_without_waiting) as file:
        _require_regular(path, os.fstat(file.fileno()))
        yield file


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file. Raises OSError as `require_regular`, LargeFileError for more than `most` bytes.

    No more than that is read, whatever size the system says that the file has.
    """
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise _too_large(path, most)
        parts, left = list[bytes](), most
        while part := file.read(min(_PART_BYTES, left + 1)):
            if len(part) > left:
                raise _too_large(path, most)
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def read_text(path: Path, most: int) -> str:
    """A regular file's content as UTF-8 text of at most `most` bytes.

    Raises OSError as `read_bytes`, and UnicodeDecodeError, which is a ValueError.
    """
    return read_bytes(path, most).decode("utf-8")


def read_json(path: Path) -> Any:
    """A JSON document of at most `MOST_DOCUMENT_BYTES`.

    Raises OSError as `read_bytes`, and ValueError for what is no JSON, or is nested deeper than Python reads.
    """
    try:
        return json.loads(read_text(path, MOST_DOCUMENT_BYTES))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _require_regular(path: Path, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kind = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
    raise IrregularFileError(errno.EINVAL, f"it is {kind}, not a file", str(path))


def _without_waiting(name: str, flags: int) -> int:
    """Open a file as a pipe without a writer is opened too: at once."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _too_large(path: Path, most: int) -> LargeFileError:
    return LargeFileError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))


# Writing


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary path to write; it becomes `path` when the block ends well and is removed when it does not.

    The temporary file lies in the target's folder and keeps the suffix of `path`, for writers that choose a format by
    it; a link of that name may lead to any other. Raises ArrayolError (`cannot-write`) where the folder is missing or
    may not be written, where `path` is something else than a file, and where the disk is full.
    """
    with _temporary_file(path) as (temporary, target):
        with writing(path):
            yield temporary
        with _refusals(path):
            temporary.replace(target)


@contextmanager
def atomic_files(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Temporary paths to write, one for each of several files: all of them take their places, or none does.

    What a file held before comes back where a later one cannot be put in its place. Raises as `atomic_file` does, but
    for a full disk: enclose what writes the file of one path in `writing`.
    """
    with ExitStack() as stack:
        pairs = [stack.enter_context(_temporary_file(path)) for path in paths]
        yield [temporary for temporary, _ in pairs]
        kept: list[tuple[Path, Path | None]] = []
        try:
            for path, (temporary, target) in zip(paths, pairs, strict=True):
                with _refusals(path):
                    _put(temporary, target, kept)
        except BaseException:
            _put_back(kept)
            raise
        for _, old in kept:
            if old is not None:
                old.unlink(missing_ok=True)


def write_next_to(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files whose names are paths from the folder of `path`; one that is there with these bytes stays.

    Raises ArrayolError: `exists` for one that is there with others, and as `atomic_file` does.
    """
    for name, content in files.items():
        target = path.parent / name
        if holds(target, content):
            continue
        if target.exists():
            hint = "move it away, or write the specification into another folder"
            raise error(
                "exists", f"another file than the one that '{path.name}' reads is here", hint=hint, file=str(target)
            )
        with _refusals(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as temporary:
            temporary.write_bytes(content)


def holds(path: Path, content: bytes) -> bool:
    """Whether a file is there with this content. Raises OSError where it may not be read."""
    return path.is_file() and path.stat().st_size == len(content) and read_bytes(path, len(content)) == content


def writing(path: Path) -> AbstractContextManager[None]:
    """A full disk in the block becomes an error of the target `path` (`cannot-write`)."""
    return _refusals(path, only=_NO_ROOM)


@contextmanager
def _temporary_file(path: Path) -> Iterator[tuple[Path, Path]]:
    """An empty temporary file, gone at the end unless it was renamed, and the target with links followed."""
    with _refusals(path):
        target = resolved(path)  # a link stays a link
        if target.is_symlink():
            raise error("cannot-write", "this is a link that leads back to itself", file=str(path))
        if target.exists() and not target.is_file():
            raise error("cannot-write", "this name is taken by something that is not a file", file=str(path))
    temporary = target.with_name(_temporary_name(target) + path.suffix)
    try:
        with _refusals(path):
            temporary.touch(exist_ok=False)
        yield temporary, target
    finally:
        with suppress(OSError):  # most often it is gone, by its new name
            temporary.unlink()


def _put(temporary: Path, target: Path, kept: list[tuple[Path, Path | None]]) -> None:
    """Put a file in its place, and enter in `kept` where the former one is."""
    old = target.with_name(_temporary_name(target) + "-old") if target.exists() else None
    kept.append((target, old))
    if old is not None:
        target.rename(old)
    temporary.replace(target)


def _put_back(kept: Sequence[tuple[Path, Path | None]]) -> None:
    """Former files take their places again, and new ones go."""
    for target, old in reversed(kept):
        if old is None:
            target.unlink(missing_ok=True)
        elif old.exists():
            old.replace(target)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A temporary folder to fill; it takes the place of `path`, and of all in it, when the block ends well.

    Whether a folder that is there may be replaced is the caller's decision. Raises ArrayolError as `atomic_file` does.
    """
    with _refusals(path):
        target = resolved(path)
        if target.exists() and not target.is_dir():
            raise error("cannot-write", "this name is taken by something that is not a folder", file=str(path))
    temporary = target.with_name(_temporary_name(target))
    try:
        with _refusals(path):
            temporary.mkdir()
            (temporary / "new").mkdir()
        with _refusals(path, only=_NO_ROOM):
            yield temporary / "new"
        with _refusals(path):
            _exchange(target, temporary / "new", temporary / "old")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def carry_over(path: Path, target: Path, ignore: Callable[[str, list[str]], set[str]] | None = None) -> None:
    """Put what is at `path` at `target` too, without reading it where the file system has hard links; links stay links.

    Of a folder all but what `ignore` names, beside what is there already. Raises OSError.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, target, symlinks=True, ignore=ignore, copy_function=_linked, dirs_exist_ok=True)
    else:
        _linked(path, target)


def _linked(path: Path | str, target: Path | str) -> None:
    """Make a file, pipe or link available at another path too: by a hard link, else by a copy."""
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, target, follow_symlinks=False)


def _temporary_name(target: Path) -> str:
    return f".{target.stem[:50]}-{secrets.token_hex(6)}"


def _exchange(target: Path, new: Path, old: Path) -> None:
    """Put `new` where `target` is; a former folder goes to `old`, and comes back where that fails."""
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise


@contextmanager
def _refusals(path: Path, *, only: set[int] | None = None) -> Iterator[None]:
    """What the system refuses, told as an error of the target; with `only`, other error numbers pass."""
    try:
        yield
    except OSError as refused:
        if only is not None and refused.errno not in only:
            raise
        raise _cannot_write(path, refused) from None


def _cannot_write(path: Path, refused: OSError) -> ArrayolError:
    if isinstance(refused, FileNotFoundError | NotADirectoryError):
        hint = "create the folder first, or name another place"
        return error("cannot-write", f"there is no folder '{path.parent}' to write to", file=str(path), hint=hint)
    return error("cannot-write", f"this cannot be written: {refused.strerror}", file=str(path))


# Where the specifications and platforms that come with arrayol lie.


def shipped_folder() -> Path:
    """The folder of lpsf.aol and the others: inside the installed package, or specs/ of a source checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "specs"
    return installed if installed.is_dir() else package.parent / "specs"
