"""Jobs: parts of a search or of a verification that stand for themselves, so that they can be done anywhere; and where.

A `JobPlan` yields jobs, is sent what they found in the same order, and returns what it makes of it. In this process a
job is done as it is (`done`); to another one the context comes along as bytes (`perform`), to a cluster jobs and the
digest of the program too (`RemoteJob`).

Until processes have loaded what jobs need, which takes them about two seconds, work goes on in this one.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from multiprocessing import forkserver
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from threading import Lock, Thread
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


Task = Future[tuple[list[Any], float]]
MOST_WORKERS = 1024  # processes of one machine
WORTH_SECONDS = 4.0  # of work, left or done so far, for which processes are started
_WORTH_ONCE_STARTED = 0.3
_WAITING = 1  # tasks per worker that wait behind the one in work, so that none is idle


class Pool(Protocol):
    """Takes tasks, each some jobs in a context."""

    @property
    def slots(self) -> int:
        """How many tasks it should have at a time."""

    @property
    def worth_seconds(self) -> float:
        """How much work there must be for it to pay."""

    def is_ready(self) -> bool:
        """Whether a task would start at once. To ask is to want it: what takes time begins in the background."""

    def submit(self, context: Any, jobs: Sequence[Job]) -> Task:
        """Start a task: what `perform` returns."""

    def check(self) -> None:
        """See from time to time whether all is well. Raises ArrayolError where the pool is lost."""

    def result(self, task: Task) -> tuple[list[Any], float]:
        """What a task that has ended found. Raises what its jobs raised, and ArrayolError where the pool is lost."""


class InProcess:
    """One task at a time, done when it is given."""

    slots = 1
    worth_seconds = 0.0

    def is_ready(self) -> bool:
        """It is."""
        return True

    def submit(self, context: Any, jobs: Sequence[Job]) -> Task:
        """Do it now."""
        task: Task = Future()
        task.set_result(done(context, jobs))
        return task

    def check(self) -> None:
        """All is well."""

    def result(self, task: Task) -> tuple[list[Any], float]:
        """What it found."""
        return task.result()


class Sender:
    """Packs a context once for all tasks in it."""

    def __init__(self) -> None:
        self._last: tuple[Any, bytes] | None = None

    def packed(self, context: Any) -> bytes:
        """The context as bytes."""
        if self._last is None or self._last[0] is not context:
            self._last = context, pickle.dumps(context, pickle.HIGHEST_PROTOCOL)
        return self._last[1]


class Processes:
    """Some worker processes of this machine."""

    def __init__(self, executor: ProcessPoolExecutor, workers: int) -> None:
        self.worth_seconds = WORTH_SECONDS
        self.slots = workers * (1 + _WAITING)
        self._executor = executor
        self._sender = Sender()
        self._start: Thread | None = None

    def is_ready(self) -> bool:
        """Whether processes can be forked, which the first call sees to; where all work is worth them it waits."""
        if not self.worth_seconds:
            return True
        if self._start is None:
            self._start = Thread(target=self._begin, daemon=True)
            self._start.start()
        return not self._start.is_alive()

    def _begin(self) -> None:
        with suppress(Exception):  # the next task is told of it, if one comes
            self._executor.submit(int).result()

    def submit(self, context: Any, jobs: Sequence[Job]) -> Task:
        """Queue it for the next process that is free."""
        self.worth_seconds = min(self.worth_seconds, _WORTH_ONCE_STARTED)
        try:
            return self._executor.submit(perform, self._sender.packed(context), jobs)
        except BrokenProcessPool:
            raise _lost() from None

    def check(self) -> None:
        """A task tells by itself when its process has ended."""

    def result(self, task: Task) -> tuple[list[Any], float]:
        """What it found. Raises ArrayolError (`worker-lost`) where a process ended before it."""
        try:
            return task.result()
        except BrokenProcessPool:
            raise _lost() from None


@contextmanager
def processes(workers: int) -> Iterator[Processes]:
    """Worker processes, which start when they are wanted and end with the block, at once where it fails."""
    method = _start_method()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for the workers: threads of all of them would crowd the cores
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(workers, mp_context=method, initializer=_start_worker)
    try:
        yield Processes(executor, workers)
    except BaseException:
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _start_method() -> BaseContext:
    """A server that forks loaded processes where the system can fork, else each process loads all by itself.

    So it does on macOS, whose own libraries do not bear a fork once they are in use, as NumPy uses them.
    """
    if sys.platform == "darwin" or "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    method = multiprocessing.get_context("forkserver")
    method.set_forkserver_preload(["dse.search.machine"])
    _reap_server_at_exit()
    return method


@cache
def _reap_server_at_exit() -> None:
    """Have the server that forks workers end before this process does, so that their seconds count as its children's.

    Else it ends by itself, a moment later, waited for by no one. The standard library has no other word for it.
    """
    atexit.register(forkserver._forkserver._stop)  # type: ignore[attr-defined]  # noqa: SLF001


def _start_worker() -> None:
    """Interrupts are the main process's affair, and a worker ends with it, however that ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "workers have one"
    wait([parent.sentinel])
    os._exit(1)


def _lost() -> Exception:
    return error(
        "worker-lost",
        "a worker process has ended before its work: it was killed, perhaps because memory ran out",
        hint="take fewer with --workers, and continue with --resume",
    )
