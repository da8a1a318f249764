"""Does works by their pieces, on whatever pool there is, and keeps what they find in a store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from dse.work.keeper import Keeper
from dse.work.piece import Piece, Work
from dse.work.pools import InProcess, Pool, Task

Found = TypeVar("Found")
CHECK_SECONDS = 2.0  # between two looks at the pool where no task ends
TASK_SECONDS = 0.3  # how long a task for a pool should take: long beside what it costs to send it


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


class Crew:
    """A pool, and a store where there is one. Works find the same with any."""

    def __init__(self, pool: Pool | None = None, keeper: Keeper | None = None) -> None:
        self.pool = pool or InProcess()
        self.keeper = keeper or Keeper(None)

    def do(
        self, context: Any, works: Sequence[Work[Found]], watch: Watch = lambda _share, _results: None
    ) -> list[Found]:
        """What the works return, in their order; pieces of all of them are done as they come.

        `watch` is told how far it is, with the latest results of pieces. Raises what pieces raise, and ArrayolError of
        the pool (`worker-lost`, `cluster-lost`, `cluster-version`) and of the store.
        """
        jobs: list[_Job[Found]] = [_Job(work) for work in works]
        _Run(self, context, watch).run(jobs)
        return [job.result for job in jobs]  # type: ignore[misc]  # all have ended


@dataclass(eq=False)
class _Job(Generic[Found]):
    """A work on its way: the pieces that it waits for, and what they have found so far."""

    work: Work[Found]
    pieces: Sequence[Piece] = ()
    found: list[Any] = field(default_factory=list)
    missing: int = 0
    started: bool = False
    ended: bool = False
    result: Found | None = None

    def advance(self) -> None:
        """Let the work make of its pieces what it can."""
        try:
            self.pieces = self.work.send(self.found if self.started else None)  # type: ignore[arg-type]
        except StopIteration as stop:
            self.pieces, self.result, self.ended = (), stop.value, True
        self.started = True
        self.found = [None] * len(self.pieces)
        self.missing = len(self.pieces)


@dataclass(frozen=True, slots=True)
class _Place:
    """One piece of a job, and its key in the store."""

    job: _Job[Any]
    number: int
    key: bytes | None

    @property
    def piece(self) -> Piece:
        return self.job.pieces[self.number]


class _Run:
    """One call of `Crew.do`."""

    def __init__(self, crew: Crew, context: Any, watch: Watch) -> None:
        self.pool, self.keeper, self.context, self.watch = crew.pool, crew.keeper, context, watch
        self.here = InProcess()
        self.waiting: deque[_Place] = deque()
        self.busy: dict[Task, list[_Place]] = {}
        self.done = self.known = 0.0
        self.rate = 1.0  # seconds that an estimated second takes here

    def run(self, jobs: Sequence[_Job[Any]]) -> None:
        try:
            for job in jobs:
                self._advance(job)
            while self.waiting or self.busy:
                self._fill()
                finished, _ = wait(self.busy, CHECK_SECONDS, return_when=FIRST_COMPLETED)
                self.pool.check()
                for task in finished:
                    self._take(self.busy.pop(task), *self.pool.result(task))
        finally:
            for task in self.busy:
                task.cancel()

    def _advance(self, job: _Job[Any]) -> None:
        """Carry a job on as far as results are known; the next pieces of it wait to be done."""
        while not job.missing and not job.ended:
            job.advance()
            keys = self.keeper.keys(job.pieces, self.context)
            known = self.keeper.known(job.pieces, keys)
            for number, piece in enumerate(job.pieces):
                self.known += piece.cost
                if number in known:
                    job.found[number] = known[number]
                    job.missing -= 1
                    self.done += piece.cost
                else:
                    self.waiting.append(_Place(job, number, keys[number]))
            if known:
                self.watch(Share(self.done, self.known), tuple(known.values()))

    def _fill(self) -> None:
        """Give the pool as many tasks as it takes; what is too little for it is done here."""
        left = (self.known - self.done) * self.rate
        pool = self.pool if self.busy or left >= self.pool.worth_seconds else self.here
        while self.waiting and len(self.busy) < pool.slots:
            bundle = self._bundle()
            self.busy[pool.submit(self.context, [place.piece for place in bundle])] = bundle

    def _bundle(self) -> list[_Place]:
        """The next pieces, as many as make a task worth sending."""
        bundle: list[_Place] = []
        seconds = 0.0
        while self.waiting and seconds < TASK_SECONDS:
            bundle.append(self.waiting.popleft())
            seconds += bundle[-1].piece.cost * self.rate
        return bundle

    def _take(self, bundle: Sequence[_Place], found: Sequence[Any], seconds: float) -> None:
        """Note what a task has found, and carry on the jobs that waited for it."""
        estimated = sum(place.piece.cost for place in bundle)
        self.rate = (self.rate + seconds / estimated) / 2 if estimated else self.rate
        self.done += estimated
        for place, result in zip(bundle, found, strict=True):
            self.keeper.keep(place.piece, place.key, result)
            place.job.found[place.number] = result
            place.job.missing -= 1
        self.watch(Share(self.done, self.known), found)
        for job in dict.fromkeys(place.job for place in bundle):
            self._advance(job)
