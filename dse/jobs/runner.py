"""Carries out plans by their jobs, on whatever pool there is, and keeps what they find in a cache.

Every plan is asked for jobs until it waits for one that is neither cached nor done; these wait in one line and go to
the pool in tasks of about TASK_SECONDS, by estimates that are set right by the seconds that tasks took. A plan sees its
results in its own order, so what it finds does not depend on the pool, nor on what ends first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

from arrayol.errors import InfeasibleError
from dse.jobs.cache import JobCache, open_rows
from dse.jobs.cluster import cluster
from dse.jobs.jobs import InProcess, Job, JobPlan, Pool, Task, processes

Result = TypeVar("Result")
CHECK_SECONDS = 2.0  # between two looks at the pool where no task ends
_UNMEASURED = 3  # times as much work as is worth a pool has to be there before a task was measured
TASK_SECONDS = 0.3  # how long a task for a pool should take: long beside what it costs to send it,
_SHORT = 0.1  # and where little is left


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the work is done, of what is known of it so far, in estimated seconds."""

    done: float
    known: float

    @property
    def of_all(self) -> float:
        """From 0 to 1."""
        return self.done / self.known if self.known else 0.0


Watch = Callable[[Share, Sequence[Any]], None]


class TimeOverError(Exception):
    """The time that a runner has is over: `JobRunner.within`."""


class JobRunner:
    """A pool, and a cache where there is one. Works find the same with any, unless their time is over before."""

    def __init__(self, pool: Pool | None = None, cache: JobCache | None = None) -> None:
        self.pool = pool or InProcess()
        self.cache = cache or JobCache(None)
        self.worked = 0.0  # seconds that all tasks so far took
        self._ends: float | None = None

    @contextmanager
    def within(self, seconds: float | None) -> Iterator[None]:
        """The time that what is done within has, by the clock; None for any time."""
        outer, self._ends = self._ends, None if seconds is None else monotonic() + seconds
        try:
            yield
        finally:
            self._ends = outer

    def heed_time(self) -> None:
        """Raises TimeOverError if the time is over."""
        if self._ends is not None and monotonic() > self._ends:
            raise TimeOverError

    def do(
        self,
        context: Any,
        plans: Sequence[JobPlan[Result]],
        watch: Watch = lambda _share, _results: None,
        more: float = 0.0,
    ) -> list[Result]:
        """What the plans return, in their order; jobs of all of them are done as they come.

        `watch` is told how far it is, with the latest results of jobs. `more` are the seconds of work that may come
        after these plans, estimated as those of jobs: a pool pays for them too. Raises what jobs raise, TimeOverError
        between two jobs where the time is over, and ArrayolError of the pool (`worker-lost`, `cluster-lost`,
        `cluster-version`) and of the cache.
        """
        states: list[_PlanState[Result]] = [_PlanState(plan) for plan in plans]
        _Run(self, context, watch, more).run(states)
        return [state.result for state in states]  # type: ignore[misc]  # all have ended


@dataclass(eq=False)
class _PlanState(Generic[Result]):
    """A plan on its way: the jobs that it waits for, and what they have found so far."""

    plan: JobPlan[Result]
    jobs: Sequence[Job] = ()
    results: list[Any] = field(default_factory=list)
    missing: int = 0
    started: bool = False
    ended: bool = False
    result: Result | None = None

    def advance(self) -> None:
        """Let the plan make of its jobs what it can."""
        try:
            self.jobs = self.plan.send(self.results if self.started else None)  # type: ignore[arg-type]
        except StopIteration as stop:
            self.jobs, self.result, self.ended = (), stop.value, True
        self.started = True
        self.results = [None] * len(self.jobs)
        self.missing = len(self.jobs)


@dataclass(frozen=True, slots=True)
class _Place:
    """One job that a plan waits for, and its key in the cache."""

    state: _PlanState[Any]
    number: int
    key: bytes | None

    @property
    def job(self) -> Job:
        return self.state.jobs[self.number]


class _Run:
    """One call of `JobRunner.do`."""

    def __init__(self, runner: JobRunner, context: Any, watch: Watch, more: float) -> None:
        self.runner, self.pool, self.cache = runner, runner.pool, runner.cache
        self.context, self.watch, self.more = context, watch, more
        self.here = InProcess()
        self.waiting: deque[_Place] = deque()
        self.busy: dict[Task, list[_Place]] = {}
        self.done = self.known = self.queued = 0.0
        self.rate, self.is_measured = 1.0, False  # seconds that an estimated second takes here

    def run(self, states: Sequence[_PlanState[Any]]) -> None:
        try:
            for state in states:
                self._advance(state)
            while self.waiting or self.busy:
                self._fill()
                finished, _ = wait(self.busy, CHECK_SECONDS, return_when=FIRST_COMPLETED)
                self.pool.check()
                for task in [task for task in self.busy if task in finished]:  # in the order in which they were given
                    self._take(self.busy.pop(task), *self.pool.result(task))
                if self.waiting or self.busy:
                    self.runner.heed_time()
        finally:
            for task in self.busy:
                task.cancel()

    def _advance(self, state: _PlanState[Any]) -> None:
        """Carry a plan on as far as results are known; the next jobs of it wait to be done."""
        while not state.missing and not state.ended:
            state.advance()
            keys = self.cache.keys(state.jobs, self.context)
            known = self.cache.known(state.jobs, keys)
            for number, job in enumerate(state.jobs):
                self.known += job.cost
                if number in known:
                    state.results[number] = known[number]
                    state.missing -= 1
                    self.done += job.cost
                else:
                    self.waiting.append(_Place(state, number, keys[number]))
                    self.queued += job.cost
            if known:
                self.watch(Share(self.done, self.known), tuple(known.values()))

    def _fill(self) -> None:
        """Give the pool as many tasks as it takes; what is too little for it is done here."""
        pool = self.pool if self.busy or (self._is_worth_a_pool() and self.pool.is_ready()) else self.here
        while self.waiting and len(self.busy) < pool.slots:
            bundle = self._bundle(pool.slots)
            self.busy[pool.submit(self.context, [place.job for place in bundle])] = bundle

    def _is_worth_a_pool(self) -> bool:
        """Whether there is work enough, now or to come, or was: then as much may come again."""
        left, worth = (self.known - self.done + self.more) * self.rate, self.pool.worth_seconds
        if self.runner.worked >= worth:
            worth = min(worth, TASK_SECONDS)
        return left >= worth * (1 if self.is_measured else _UNMEASURED)

    def _bundle(self, slots: int) -> list[_Place]:
        """The next jobs, as many as make a task worth sending; in the end each slot has its share of what is left."""
        bundle: list[_Place] = []
        seconds, share = 0.0, self.queued * self.rate / slots
        while self.waiting and seconds < min(TASK_SECONDS, max(_SHORT, share)):
            bundle.append(self.waiting.popleft())
            self.queued -= bundle[-1].job.cost
            seconds += bundle[-1].job.cost * self.rate
        return bundle

    def _take(self, bundle: Sequence[_Place], results: Sequence[Any], seconds: float) -> None:
        """Note what a task has found, and carry on the plans that waited for it."""
        estimated = sum(place.job.cost for place in bundle)
        if estimated:
            taken = seconds / estimated
            self.rate = (self.rate + taken) / 2 if self.is_measured else taken
            self.is_measured = True
        self.done += estimated
        self.runner.worked += seconds
        for place, result in zip(bundle, results, strict=True):
            self.cache.keep(place.job, place.key, result)
            place.state.results[place.number] = result
            place.state.missing -= 1
        self.watch(Share(self.done, self.known), results)
        for state in dict.fromkeys(place.state for place in bundle):
            self._advance(state)


@dataclass(frozen=True, slots=True)
class Resources:
    """What an exploration may use: `workers` processes of this machine, or those of the dask cluster at `cluster`.

    Finished work is kept in the cache of `folder`; with `resume` what is there is used.
    """

    workers: int = 1
    cluster: str | None = None
    folder: Path | None = None
    resume: bool = False


@contextmanager
def open_runner(resources: Resources) -> Iterator[JobRunner]:
    """A job runner with these resources. Raises ArrayolError as `open_rows` and `cluster` do."""
    with _cache(resources) as cache, _pool(resources) as pool:
        yield JobRunner(pool, cache)


@contextmanager
def _cache(resources: Resources) -> Iterator[JobCache]:
    """After an exploration that ended well the rows that it used are kept, after a failure all rows."""
    if resources.folder is None:
        yield JobCache(None)
        return
    with open_rows(resources.folder, resume=resources.resume) as rows:
        cache = JobCache(rows)
        try:
            yield cache
        except InfeasibleError:
            rows.withdraw()
            raise
        cache.finish()


def _pool(resources: Resources) -> AbstractContextManager[Pool]:
    if resources.cluster is not None:
        return cluster(resources.cluster)
    return processes(resources.workers) if resources.workers > 1 else nullcontext(InProcess())
