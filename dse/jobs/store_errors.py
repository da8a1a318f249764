"""What can be wrong with a store of finished work, in our words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arrayol.errors import ArrayolError, Diagnostic, error

_ELSEWHERE = "name another folder with --out"
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
# ERROR too: our statements are right, so what they name is missing.
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
_UNWRITABLE = {
    sqlite3.SQLITE_FULL: "no space is left on the disk",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "it may not be opened",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_NOLFS: "it is too large for the disk",
}


class DamagedStoreError(ArrayolError):
    """A store of ours that cannot be gone on from, and may be replaced."""


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """What SQLite and the system refuse in the block, told as an error of the store at `path`."""
    try:
        yield
    except sqlite3.Error as refused:
        told = _told(refused, path)
        if told is None:
            raise
        raise told from None
    except UnicodeDecodeError:  # of a name that SQLite quotes from a damaged file
        raise damaged(path) from None
    except OSError as refused:
        raise cannot_write(path, refused.strerror or str(refused)) from None


def damaged(path: Path) -> DamagedStoreError:
    """Of a store of ours that cannot be relied on."""
    return _not_usable(path, "this store of finished work is damaged")


def other_format(path: Path) -> DamagedStoreError:
    """Of a store in a format that this version does not know."""
    return _not_usable(path, "this store of finished work is from another version of arrayol")


def _not_usable(path: Path, message: str) -> DamagedStoreError:
    hint = "explore without --resume, which starts a new one"
    return DamagedStoreError([Diagnostic("store-damaged", message, hint=hint, file=str(path))])


def foreign(path: Path) -> ArrayolError:
    """Of a file by the store's name that arrayol did not write, or that nothing tells it did."""
    message = "this is no store of finished work of 'arrayol explore', or too damaged to be known as one"
    return error("store-damaged", message, hint=f"remove the file, or {_ELSEWHERE}", file=str(path))


def locked(path: Path) -> ArrayolError:
    """Of a store that another process holds."""
    hint = f"wait for its end, or {_ELSEWHERE}"
    return error("store-locked", "another exploration is working in this folder", hint=hint, file=str(path))


def cannot_write(path: Path, why: str) -> ArrayolError:
    """Of a store that may not be read and written."""
    folder = path.parent  # asked about by `os.access` alone, which never fails
    if not os.access(folder, os.F_OK):
        if not os.access(folder.parent, os.F_OK):
            why = f"there is no folder '{folder.parent}'"
    elif not os.access(folder, os.W_OK | os.X_OK):
        why = f"the folder '{folder}' may not be written to"
    elif os.access(path, os.F_OK) and not os.access(path, os.R_OK | os.W_OK):
        why = "it may not be read and written"
    return error("cannot-write", f"this cannot be written: {why}", hint=_ELSEWHERE, file=str(path))


def disk_full(path: Path) -> ArrayolError:
    """Of a store for which there is no room left."""
    message = "this cannot be written: no space is left on the disk"
    hint = "make room, then go on with --resume from the work that is in the store"
    return error("cannot-write", message, hint=hint, file=str(path))


def is_locked(refused: sqlite3.Error) -> bool:
    """Whether another connection holds the file."""
    return getattr(refused, "sqlite_errorcode", 0) & 0xFF in _LOCKED


def _told(refused: sqlite3.Error, path: Path) -> ArrayolError | None:
    """An error of SQLite in our words; None for a mistake in our use of it."""
    if not hasattr(refused, "sqlite_errorcode"):
        return None
    if is_locked(refused):
        return locked(path)
    if _is_damage(refused, path):
        return damaged(path)
    code = refused.sqlite_errorcode & 0xFF  # without what is said in addition
    if code == sqlite3.SQLITE_FULL:
        return disk_full(path)
    return cannot_write(path, _UNWRITABLE[code]) if code in _UNWRITABLE else None


def _is_damage(refused: sqlite3.Error, path: Path) -> bool:
    """Whether the file is to blame: also where it says by itself that it must not be written."""
    code = refused.sqlite_errorcode & 0xFF
    if code == sqlite3.SQLITE_READONLY:
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
    return code in _DAMAGED
