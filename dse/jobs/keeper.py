"""What jobs found, kept in a store by what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dse.jobs.cache import JobStore
from dse.jobs.piece import Job
from dse.jobs.store_errors import damaged


class JobCache:
    """Finds results of jobs in a store and puts new ones there; without a store it knows nothing."""

    def __init__(self, store: JobStore | None) -> None:
        self.store = store

    def keys(self, jobs: Sequence[Job], context: Any) -> list[bytes | None]:
        """The key of each job; None without a store."""
        return [None if self.store is None else job.key(context) for job in jobs]

    def known(self, jobs: Sequence[Job], keys: Sequence[bytes | None]) -> dict[int, Any]:
        """The results that are there, by the number of the job. Raises ArrayolError (`store-damaged`)."""
        if self.store is None:
            return {}
        rows = self.store.get([key for key in keys if key is not None])
        found = {}
        for number, (job, key) in enumerate(zip(jobs, keys, strict=True)):
            if key in rows:
                try:
                    found[number] = job.load(rows[key])
                except ValueError:
                    raise damaged(self.store.path) from None
        return found

    def keep(self, job: Job, key: bytes | None, result: Any) -> None:
        """Put a result in the store."""
        if self.store is not None and key is not None:
            self.store.put(key, job.kind, job.dump(result))

    def finish(self) -> None:
        """The exploration has ended well: only its own rows stay, and none where it was over in a moment."""
        if self.store is not None:
            self.store.finish()
