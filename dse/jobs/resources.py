"""What an exploration may use: processes or a cluster to work on, and a folder that keeps what is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from arrayol.errors import InfeasibleError
from dse.jobs.cache import open_store
from dse.jobs.cluster import cluster
from dse.jobs.keeper import JobCache
from dse.jobs.pools import InProcess, Pool, processes
from dse.jobs.runner import JobRunner


@dataclass(frozen=True, slots=True)
class Resources:
    """`workers` processes of this machine, or those of the dask cluster at `cluster`.

    Finished work is kept in the store of `folder`; with `resume` what is there is used.
    """

    workers: int = 1
    cluster: str | None = None
    folder: Path | None = None
    resume: bool = False


@contextmanager
def open_runner(resources: Resources) -> Iterator[JobRunner]:
    """A job runner with these resources. Raises ArrayolError as `open_store` and `cluster` do."""
    with _cache(resources) as cache, _pool(resources) as pool:
        yield JobRunner(pool, cache)


@contextmanager
def _cache(resources: Resources) -> Iterator[JobCache]:
    """After an exploration that ended well the rows that it used are kept, after a failure all rows."""
    if resources.folder is None:
        yield JobCache(None)
        return
    with open_store(resources.folder, resume=resources.resume) as store:
        cache = JobCache(store)
        try:
            yield cache
        except InfeasibleError:
            store.withdraw()
            raise
        cache.finish()


def _pool(resources: Resources) -> AbstractContextManager[Pool]:
    if resources.cluster is not None:
        return cluster(resources.cluster)
    return processes(resources.workers) if resources.workers > 1 else nullcontext(InProcess())
