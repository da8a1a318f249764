"""Jobs: parts of a search or of a verification that stand for themselves, so that they can be done anywhere.

A `JobPlan` yields jobs, is sent what they found in the same order, and returns what it makes of it. In this process a
job is done as it is (`done`); to another one the context comes along as bytes (`perform`), to a cluster jobs and the
digest of the program too (`RemoteJob`).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from time import perf_counter
from traceback import format_exc
from typing import Any, Protocol, TypeVar

from arrayol.errors import ArrayolError, error
from dse.jobs.digest import code_digest

Result = TypeVar("Result")


class Job(Protocol):
    """A picklable job in a context of some kind, and how what it finds is written in a cache."""

    @property
    def kind(self) -> str:
        """For people who look into a cache."""

    @property
    def cost(self) -> float:
        """Roughly how many seconds it takes."""

    def key(self, context: Any) -> bytes:
        """The digest of all that the result depends on."""

    def run(self, context: Any) -> Any:
        """Do it."""

    def dump(self, result: Any) -> str:
        """A result as text."""

    def load(self, text: str) -> Any:
        """A result from the text that `dump` made of it. Raises ValueError for a text that `dump` did not write."""


JobPlan = Generator[Sequence[Job], Sequence[Any], Result]


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
    """What `perform` returns or raises, as a value. Jobs of another version are not unpacked: `cluster-version`."""
    try:
        if code != code_digest():
            raise error(
                "cluster-version",
                "a worker has another version of arrayol, of Python, or of a library that arrayol computes with",
                hint="install the same versions where the exploration starts and on all workers",
            )
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


# How far a search with the machine model is: one record for all methods and phases.

SEARCHING, COMBINING, SIMULATING = "searching", "combining", "simulating"
DESCRIBING, WRITING = "describing", "writing"


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """What is done of a phase: `done` of `total` (None: not known) things, named in the plural by `counted`.

    With `at_most` the phase may end before the total. `designs` are the group designs looked at so far; 0 where these
    are not what is worked on. `work` is the share, 0 to 1, of the estimated work that is done, where that tells the
    time left better than `done` does. `place` is where the search is, as "subspace 3 of 8". `hypervolume` gives the
    share of the box between 1 and a reference, on logarithmic axes, that the front so far dominates, None before there
    is a whole design; it is called when it is shown, in the thread that reports. So is `bound`, after it: the least
    share that this front has of the hypervolume of any other, None where that is not known.

    What the first record of a phase counts (a resumed search's finished work) is taken as there before it began.
    """

    phase: str
    done: int = 0
    total: int | None = None
    counted: str = ""
    at_most: bool = False
    designs: int = 0
    work: float | None = None
    place: str = ""
    hypervolume: Callable[[], float | None] = field(default=lambda: None, compare=False)
    bound: Callable[[], float | None] = field(default=lambda: None, compare=False)


Report = Callable[[SearchProgress], None]
