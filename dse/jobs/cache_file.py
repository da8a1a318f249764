"""The file of a store of finished work: SQLite in WAL mode, which one process holds at a time.

`application_id` in its header says that it is ours, `user_version` in which format it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from dse.jobs.store_errors import DamagedStoreError, cannot_write, damaged, foreign, is_locked, other_format, refusals

APPLICATION = int.from_bytes(b"ArOL")
FORMAT = 1
BESIDE = ("-wal", "-journal", "-shm")  # SQLite's own files beside the database end like this

Row = tuple[bytes, bytes, bytes, bytes]  # key, kind, value, seal

BUSY_SECONDS = 1.0  # how long another may take to let go of the file
_TABLE = "CREATE TABLE work (key BLOB PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL, seal BLOB NOT NULL)"
_MAGIC, _APPLICATION_AT = b"SQLite format 3\0", 68  # of the header, by SQLite's file format


def open_whole(path: Path) -> sqlite3.Connection | None:
    """The store that is there, locked; None where there is none.

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
    """Raises ArrayolError where `clear` would: `store-damaged` for a file of others, `store-locked`, `cannot-write`."""
    with suppress(DamagedStoreError):
        connection = _locked(path)
        if connection is not None:
            connection.close()


def clear(path: Path) -> None:
    """Remove the store that is there, damaged or whole. Raises ArrayolError as `open_whole` does."""
    try:
        connection = _locked(path)
    except DamagedStoreError:
        remove(path)
        return
    if connection is not None:
        with closing(connection):  # the lock goes last
            remove(path)


def create(path: Path) -> sqlite3.Connection:
    """A new store, empty and locked; where that fails nothing is left of it. Raises ArrayolError as `open_whole`."""
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
            empty = connection.in_transaction or (isinstance(refused, sqlite3.Error) and not is_locked(refused))
            with closing(connection):
                if empty:
                    remove(path)
            raise
        return connection


def write(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Put rows in a store, all or none. Raises sqlite3.Error."""
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
    """Remove a store's files, the database first: SQLite drops what it finds beside a new one."""
    with refusals(path):
        for ending in ("", *BESIDE):
            path.with_name(path.name + ending).unlink(missing_ok=True)


def _locked(path: Path) -> sqlite3.Connection | None:
    """The store that is there, ours and locked until it is closed, but perhaps not whole; None where there is none."""
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
    except DamagedStoreError:
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
        if not path.exists():
            return False
        if not path.is_file():
            raise cannot_write(path, "this name is taken by something that is not a file")
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
    with refusals(path), path.open("rb") as file:
        start = file.read(_APPLICATION_AT + 4)
    return start.startswith(_MAGIC) and start[_APPLICATION_AT:] == APPLICATION.to_bytes(4)


def _require_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Raises ArrayolError (`store-damaged`) unless the store has our format and SQLite finds nothing wrong with it."""
    if connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
        raise other_format(path)
    tables = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    if tables != [(_TABLE.encode(),)] or connection.execute("PRAGMA quick_check(1)").fetchall() != [(b"ok",)]:
        raise damaged(path)
