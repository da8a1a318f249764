"""The file of a cache of jobs: SQLite in WAL mode, which one process holds at a time.

`application_id` in its header says that it is ours, `user_version` in which format it is. Every row has a seal, the
digest of the rest, and every refusal of SQLite or of the system is told as an error in our words.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.files import opened

APPLICATION = int.from_bytes(b"ArOL")
FORMAT = 1
BESIDE = ("-wal", "-journal", "-shm")  # SQLite's own files beside the database end like this
FORMER = "former-"  # so begins the name of a cache that waits until the one in its place is whole

Row = tuple[bytes, bytes, bytes, bytes]  # key, kind, value, seal

BUSY_SECONDS = 1.0  # how long another may take to let go of the file
_TABLE = "CREATE TABLE work (key BLOB PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL, seal BLOB NOT NULL)"
_MAGIC, _APPLICATION_AT = b"SQLite format 3\0", 68  # of the header, by SQLite's file format

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


class DamagedCacheError(ArrayolError):
    """A cache of ours that cannot be gone on from, and may be replaced."""


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """What SQLite and the system refuse in the block, told as an error of the cache at `path`."""
    try:
        yield
    except sqlite3.Error as refused:
        told = _explained(refused, path)
        if told is None:
            raise
        raise told from None
    except UnicodeDecodeError:  # of a name that SQLite quotes from a damaged file
        raise damaged(path) from None
    except OSError as refused:
        raise _cannot_write(path, refused.strerror or str(refused)) from None


def damaged(path: Path) -> DamagedCacheError:
    """The error of a cache of ours that cannot be relied on."""
    return _not_usable(path, "this store of finished work is damaged")


def other_format(path: Path) -> DamagedCacheError:
    """The error of a cache in a format that this version does not know."""
    return _not_usable(path, "this store of finished work is from another version of arrayol")


def _not_usable(path: Path, message: str) -> DamagedCacheError:
    hint = "explore without --resume, which starts a new one"
    return DamagedCacheError([Diagnostic("store-damaged", message, hint=hint, file=str(path))])


def foreign(path: Path) -> ArrayolError:
    """The error of a file by the cache's name that arrayol did not write, or of which nothing shows that it did."""
    message = "this is no store of finished work of 'arrayol explore', or too damaged to be known as one"
    return error("store-damaged", message, hint=f"remove the file, or {_ELSEWHERE}", file=str(path))


def locked(path: Path) -> ArrayolError:
    """The error of a cache that another process holds."""
    hint = f"wait for its end, or {_ELSEWHERE}"
    return error("store-locked", "another exploration is working in this folder", hint=hint, file=str(path))


def _cannot_write(path: Path, why: str) -> ArrayolError:
    """The error of a cache that may not be read and written."""
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
    """The error of a cache for which the disk has no space left."""
    message = "this cannot be written: no space is left on the disk"
    hint = "make room, then run the same command with --resume: finished work is in the store"
    return error("cannot-write", message, hint=hint, file=str(path))


def _is_locked(refused: sqlite3.Error) -> bool:
    """Whether another connection holds the file."""
    return getattr(refused, "sqlite_errorcode", 0) & 0xFF in _LOCKED


def _explained(refused: sqlite3.Error, path: Path) -> ArrayolError | None:
    """An error of SQLite in our words; None for a mistake in our use of it."""
    if not hasattr(refused, "sqlite_errorcode"):
        return None
    if _is_locked(refused):
        return locked(path)
    if _is_damage(refused, path):
        return damaged(path)
    code = refused.sqlite_errorcode & 0xFF  # without what is said in addition
    if code == sqlite3.SQLITE_FULL:
        return disk_full(path)
    return _cannot_write(path, _UNWRITABLE[code]) if code in _UNWRITABLE else None


def _is_damage(refused: sqlite3.Error, path: Path) -> bool:
    """Whether the file is to blame: also where it says by itself that it must not be written."""
    code = refused.sqlite_errorcode & 0xFF
    if code == sqlite3.SQLITE_READONLY:
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
    return code in _DAMAGED


def open_whole(path: Path) -> sqlite3.Connection | None:
    """The cache that is there, locked; None where there is none.

    Raises ArrayolError: `store-damaged` (also for files of others), `store-locked`, `cannot-write`.
    """
    connection = _locked(path)
    if connection is None:
        return None
    try:
        with refusals(path):
            _require_whole(connection, path)
            _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def require_replaceable(path: Path) -> None:
    """Raises ArrayolError where `set_aside` would: `store-damaged` (another's file), `store-locked`, `cannot-write`."""
    with suppress(DamagedCacheError):
        connection = _locked(path)
        if connection is not None:
            connection.close()


def former_of(path: Path) -> Path:
    """Where the cache that was at `path` waits."""
    return path.with_name(FORMER + path.name)


def set_aside(path: Path) -> None:
    """Make room for a new cache: the one that is there waits as `former_of` says, a damaged one goes.

    One that waits already belongs to the last result that is whole, and stays. Raises as `open_whole` does.
    """
    try:
        connection = _locked(path)
        if connection is None:
            return
        with closing(connection), refusals(path):  # the lock goes last
            if former_of(path).exists():
                remove(path)
            else:
                connection.execute("PRAGMA journal_mode = DELETE")  # all of it in one file
                path.rename(former_of(path))
    except DamagedCacheError:
        remove(path)


def bring_back(path: Path) -> None:
    """The cache that waits takes its place again, if nothing is there."""
    with refusals(path):
        if former_of(path).exists() and not path.exists():
            former_of(path).rename(path)


def create(path: Path) -> sqlite3.Connection:
    """A new cache, empty and locked; where that fails nothing is left of it. Raises ArrayolError as `open_whole`."""
    with refusals(path):
        connection = _connected(path)
        try:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute(_TABLE)
            connection.execute("COMMIT")
            _prepare(connection)
        except BaseException as refused:
            # Without the lock the file is another's; with it nothing can be in it yet.
            empty = connection.in_transaction or (isinstance(refused, sqlite3.Error) and not _is_locked(refused))
            with closing(connection):
                if empty:
                    remove(path)
            raise
        return connection


def write(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Put rows in a cache, all or none. Raises sqlite3.Error."""
    connection.execute("BEGIN")
    try:
        connection.executemany("INSERT OR REPLACE INTO work VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT), ?)", rows)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite has rolled back by itself where the disk is full
            connection.execute("ROLLBACK")
        raise


def keep_only(connection: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    """Remove the rows of all other keys. Raises sqlite3.Error."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("CREATE TEMP TABLE kept (key BLOB PRIMARY KEY)")
    connection.executemany("INSERT INTO kept VALUES (?)", ((key,) for key in keys))
    removed = connection.execute("DELETE FROM work WHERE key NOT IN (SELECT key FROM kept)").rowcount
    connection.execute("DROP TABLE kept")
    if removed:
        connection.execute("VACUUM")


def remove(path: Path) -> None:
    """Remove a cache's files, the database first: SQLite drops what it finds beside a new one."""
    with refusals(path):
        for ending in ("", *BESIDE):
            path.with_name(path.name + ending).unlink(missing_ok=True)


def _locked(path: Path) -> sqlite3.Connection | None:
    """The cache that is there, ours and locked until it is closed, but perhaps not whole; None where there is none."""
    if not _has_content(path):
        return None
    with refusals(path):
        connection = _connected(path)
    try:
        with refusals(path):
            owner = connection.execute("PRAGMA application_id").fetchone()[0]
            if not _has_content(path):  # SQLite has undone what a killed process had begun
                connection.close()
                return None
            if owner != APPLICATION:
                raise foreign(path)
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
    except DamagedCacheError:
        connection.close()
        if not _has_our_header(path):
            raise foreign(path) from None
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _has_content(path: Path) -> bool:
    """Whether there is a file with something in it. Raises ArrayolError (`cannot-write`) for anything but a file."""
    with refusals(path):
        for place in (path, *(path.with_name(path.name + ending) for ending in BESIDE)):
            if place.exists() and not place.is_file():
                raise _cannot_write(place, "this name is taken by something that is not a file")
        if not path.exists():
            return False
        return path.stat().st_size > 0


def _connected(path: Path) -> sqlite3.Connection:
    """A connection that keeps every lock it takes, so that no shared memory is needed either; nothing is read yet."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.text_factory = bytes  # damaged text is told by the seal
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Set how rows are committed: a killed process loses none, a computer without power perhaps the last ones."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def _has_our_header(path: Path) -> bool:
    """Whether a file that SQLite cannot read begins like ours; only for a closed one, or its lock would be lost."""
    with refusals(path), opened(path) as file:
        start = file.read(_APPLICATION_AT + 4)
    return start.startswith(_MAGIC) and start[_APPLICATION_AT:] == APPLICATION.to_bytes(4)


def _require_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Raises ArrayolError (`store-damaged`) unless the cache has our format and SQLite finds nothing wrong with it."""
    if connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
        raise other_format(path)
    tables = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    if tables != [(_TABLE.encode(),)] or connection.execute("PRAGMA quick_check(1)").fetchall() != [(b"ok",)]:
        raise damaged(path)
