"""What a worker does: jobs in a context that comes along as bytes."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from time import perf_counter
from traceback import format_exc
from typing import Any

from arrayol.errors import ArrayolError
from dse.jobs.piece import Job, require_same_code

Done = tuple[list[Any], float]

_ONE_AT_A_TIME = Lock()  # caches of a context, and isl, are not made for threads, which workers of a cluster may have


def perform(context: bytes, jobs: Sequence[Job]) -> Done:
    """What the jobs find, and the seconds it took; the context is unpacked once for all of its jobs.

    Raises what the jobs raise.
    """
    with _ONE_AT_A_TIME:
        return done(_unpacked(context), jobs)


@dataclass(frozen=True, slots=True)
class RemoteJob:
    """Jobs as bytes, done where the remote job is unpacked: `attempt`'s value takes its place.

    What carries it there needs no arrayol; who unpacks it without gets ImportError, or AttributeError from a version
    that knows no remote jobs.
    """

    code: bytes
    context: bytes
    jobs: bytes

    def __reduce__(self) -> tuple[Any, ...]:
        return attempt, (self.code, self.context, self.jobs)


def attempt(code: bytes, context: bytes, jobs: bytes) -> Done | Exception:
    """What `perform` returns or raises, as a value. Jobs of another version are not even unpacked."""
    try:
        require_same_code(code)
        return perform(context, pickle.loads(jobs))
    except ArrayolError as refused:
        return refused
    except Exception as raised:  # its traceback does not come along
        raised.add_note(f"on a worker of the cluster:\n{format_exc()}")
        return raised


def done(context: Any, jobs: Sequence[Job]) -> Done:
    """What the jobs find, and the seconds it took."""
    started = perf_counter()
    return [job.run(context) for job in jobs], perf_counter() - started


@lru_cache(maxsize=4)
def _unpacked(context: bytes) -> Any:
    return pickle.loads(context)
