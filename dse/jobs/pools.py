"""Where jobs are done: in this process or in others. A cluster has a module of its own.

Until processes have loaded what jobs need, which takes them about two seconds, work goes on in this one.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any, Protocol

from arrayol.errors import error
from dse.jobs.jobs import Job, done, perform

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
