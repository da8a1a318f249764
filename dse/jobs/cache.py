"""The cache of jobs: results of jobs by content hashes of what they depend on, kept beside the results.

What is in it outlives a killed process; work that is not yet committed is done again. `CacheRows` is a folder's file
as rows of keys and texts, which waits, commits and cleans up; `JobCache` reads and writes the results of jobs as such.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from arrayol.errors import ArrayolError
from dse.jobs.cache_file import (
    BESIDE,
    FORMER,
    bring_back,
    create,
    damaged,
    keep_only,
    open_whole,
    refusals,
    remove,
    require_replaceable,
    set_aside,
    write,
)
from dse.jobs.digest import digest
from dse.jobs.jobs import Job

CACHE_NAME = "work.sqlite"
FORMER_NAME = FORMER + CACHE_NAME  # the cache of the former result, until the new one is whole
CACHE_FILES = (CACHE_NAME, *(CACHE_NAME + ending for ending in BESIDE), FORMER_NAME)  # all that one may leave there
COMMIT_SECONDS = 1.0  # so much work is lost at most when the process is killed
COMMIT_BYTES = 4_000_000  # of values that wait
_TEXT = ("utf-8", "surrogatepass")


@contextmanager
def open_rows(folder: Path, *, resume: bool) -> Iterator[CacheRows]:
    """The cache of a folder: with `resume` the one that is there, else a new one, for which a former one makes room.

    Nothing is written before the first rows are committed; folder and file are made then, and a former cache is set
    aside then (FORMER_NAME). It comes back where nothing comes of the new one, and goes with the former result.
    At the end what waits is committed, also when the block is interrupted or fails. Raises ArrayolError, now and when
    rows are read or committed: `store-damaged`, `store-locked` where another process has it open, `cannot-write`.
    """
    rows = CacheRows(folder / CACHE_NAME, resume=resume)
    try:
        yield rows
    except BaseException:
        with suppress(ArrayolError):  # what ended the block is told, and once
            rows.close()
        raise
    rows.close()


class CacheRows:
    """Rows by key, from `open_rows`; for one process and one thread. An empty cache counts as true."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path = path
        self._resume = resume
        self._used: set[bytes] = set()  # keys that were put here, or found
        self._waiting: dict[bytes, tuple[bytes, bytes]] = {}  # kind and value by key
        self._waiting_bytes = 0
        self._committed_at = monotonic()
        self._made_folder = False
        self._is_made = self._is_new = False  # the file was made here; and for rows that are not yet in it
        self._usable = True  # not closed, and no commit has failed
        self._connection: sqlite3.Connection | None = None
        if resume:
            bring_back(path)  # a process was killed before it had made a new one
            self._connection = open_whole(path)
        else:
            require_replaceable(path)

    def get(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The values of those keys that have one. Raises ArrayolError (`store-damaged`) for a row that was changed."""
        rows = {key: value.decode(*_TEXT) for key in keys if (value := self._value(key)) is not None}
        self._used |= rows.keys()
        return rows

    def put(self, key: bytes, kind: str, value: str) -> None:
        """Keep a value instead of the key's former one, if any; `kind` tells people what it is.

        It is committed with others, once a second has passed since the last time or much waits.
        """
        self._require_usable()
        self._used.add(key)
        row = kind.encode(*_TEXT), value.encode(*_TEXT)
        self._waiting[key] = row
        self._waiting_bytes += len(row[1])
        if self._waiting_bytes >= COMMIT_BYTES or monotonic() - self._committed_at >= COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Write what waits. Raises ArrayolError; then rows of former commits are kept, and none can be added."""
        self._require_usable()
        if self._waiting:
            try:
                self._write()
            except Exception:
                self._usable = False
                if self._is_new or self._connection is None:
                    with suppress(ArrayolError):
                        self.discard()
                raise
            self._waiting.clear()
            self._waiting_bytes = 0
        self._committed_at = monotonic()

    def finish(self) -> None:
        """All work is done: rows that it did not need go, and what was done in a moment is not kept at all.

        Then a former cache that was not gone on with makes room too: it belongs to a former result.
        """
        self._require_usable()
        if self._connection is None:
            self._waiting.clear()
            with suppress(ArrayolError):  # another exploration has begun
                set_aside(self.path)
            return
        self.commit()
        with suppress(sqlite3.Error):  # what is too much does no harm
            keep_only(self._connection, self._used)

    def close(self) -> None:
        """Commit what waits and leave one plain file. Raises ArrayolError as `commit`, once."""
        try:
            if self._usable:
                self.commit()
        finally:
            self._release()

    def withdraw(self) -> None:
        """Nothing came of the work: a cache that was made for it goes, one that was there before comes back."""
        self._waiting.clear()
        if self._is_made:
            self.discard()

    def discard(self) -> None:
        """Close and remove the cache, and its folder where that was made for it and holds nothing else.

        A former cache that made room for it comes back.
        """
        try:
            if self._connection is not None:
                remove(self.path)
        finally:
            self._release()
            bring_back(self.path)
        if self._made_folder:
            with suppress(OSError):
                self.path.parent.rmdir()

    def __len__(self) -> int:
        """How many keys have a value."""
        new = sum(self._row(key) is None for key in self._waiting)
        if self._connection is None:
            return new
        with refusals(self.path):
            return new + int(self._connection.execute("SELECT count(*) FROM work").fetchone()[0])

    def __bool__(self) -> bool:
        return True

    def _former(self) -> sqlite3.Connection | None:
        if self._resume:
            return open_whole(self.path)
        set_aside(self.path)
        return None

    def _write(self) -> None:
        rows = [(key, kind, value, digest(key, kind, value)) for key, (kind, value) in self._waiting.items()]
        with refusals(self.path):
            if self._connection is None:
                self._make_folder()
                self._connection = self._former()  # another process may have made one meanwhile
            if self._connection is None:
                self._connection = create(self.path)
                self._is_new = self._is_made = True
            write(self._connection, rows)
            self._is_new = False

    def _make_folder(self) -> None:
        if not self.path.parent.is_dir():
            self.path.parent.mkdir()
            self._made_folder = True

    def _value(self, key: bytes) -> bytes | None:
        if key in self._waiting:
            return self._waiting[key][1]
        row = self._row(key)
        if row is None:
            return None
        kind, value, seal = row
        if seal != digest(key, kind, value):
            raise damaged(self.path)
        return value

    def _row(self, key: bytes) -> tuple[bytes, bytes, bytes] | None:
        """Kind, value and seal; in a damaged file they may be of other types too."""
        if self._connection is None:
            return None
        with refusals(self.path):
            row = self._connection.execute("SELECT kind, value, seal FROM work WHERE key = ?", (key,)).fetchone()
        return None if row is None else tuple(row)

    def _require_usable(self) -> None:
        if not self._usable:
            raise ValueError("the store is closed, or could not be written")

    def _release(self) -> None:
        self._usable = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class JobCache:
    """Finds results of jobs in a cache and puts new ones there; without a cache it knows nothing."""

    def __init__(self, rows: CacheRows | None) -> None:
        self.rows = rows

    def keys(self, jobs: Sequence[Job], context: Any) -> list[bytes | None]:
        """The key of each job; None without a cache."""
        return [None if self.rows is None else job.key(context) for job in jobs]

    def known(self, jobs: Sequence[Job], keys: Sequence[bytes | None]) -> dict[int, Any]:
        """The results that are there, by the number of the job. Raises ArrayolError (`store-damaged`)."""
        if self.rows is None:
            return {}
        rows = self.rows.get([key for key in keys if key is not None])
        results = {}
        for number, (job, key) in enumerate(zip(jobs, keys, strict=True)):
            if key in rows:
                try:
                    results[number] = job.load(rows[key])
                except ValueError:
                    raise damaged(self.rows.path) from None
        return results

    def keep(self, job: Job, key: bytes | None, result: Any) -> None:
        """Put a result in the cache."""
        if self.rows is not None and key is not None:
            self.rows.put(key, job.kind, job.dump(result))

    def finish(self) -> None:
        """The exploration has ended well: only its own rows stay, and none where it was over in a moment."""
        if self.rows is not None:
            self.rows.finish()
