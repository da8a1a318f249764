"""Outputs that are whole or absent: written under a temporary name beside the target, then renamed."""

from __future__ import annotations

import errno
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from arrayol.errors import ArrayolError, error

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary path to write; it becomes `path` when the block ends well and is removed when it does not.

    The temporary file lies in the target's folder and keeps the target's suffix, for writers that choose a format by
    it. Raises ArrayolError (`cannot-write`) where the folder is missing or may not be written, where `path` is
    something else than a file, and where the disk is full.
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


def place_beside(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files whose names are paths from the folder of `path`; one that is there with these bytes stays.

    Raises ArrayolError: `exists` for one that is there with others, and as `atomic_file` does.
    """
    for name, content in files.items():
        target = path.parent / name
        if target.is_file() and target.read_bytes() == content:
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


def writing(path: Path) -> AbstractContextManager[None]:
    """A full disk in the block is told as an error of the target `path` (`cannot-write`)."""
    return _refusals(path, only=_NO_ROOM)


@contextmanager
def _temporary_file(path: Path) -> Iterator[tuple[Path, Path]]:
    """An empty temporary file, gone at the end unless it was renamed, and the target with links followed."""
    with _refusals(path):
        target = path.resolve()  # a link stays a link
        if target.exists() and not target.is_file():
            raise error("cannot-write", "this name is taken by something that is not a file", file=str(path))
    temporary = target.with_name(_temporary_name(target) + target.suffix)
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
        target = path.resolve()
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
