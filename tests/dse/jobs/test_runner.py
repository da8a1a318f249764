"""Works find the same whoever does their jobs, in whatever order, and whatever a cache already has."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import wait_until_gone
from toy_jobs import Broken, Square, one, sum_of_squares

from arrayol.errors import ArrayolError
from dse.jobs import runner as runner_module
from dse.jobs.cache import JobCache, open_rows
from dse.jobs.jobs import InProcess, Pool, processes
from dse.jobs.runner import JobRunner, Share

ROUNDS = st.lists(st.lists(st.integers(0, 50), max_size=6), max_size=4)
WORKS = st.lists(ROUNDS, max_size=5)


class Shuffled(InProcess):
    """Ends its tasks late and in any order."""

    slots = 3
    worth_seconds = 0.0

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.open: list[tuple[Future[Any], Any, Any]] = []

    def submit(self, context: Any, jobs: Any) -> Future[Any]:
        task: Future[Any] = Future()
        self.open.append((task, context, jobs))
        if len(self.open) == self.slots or self.random.random() < 0.5:
            self.end_one()
        return task

    def end_one(self) -> None:
        task, context, jobs = self.open.pop(self.random.randrange(len(self.open)))
        task.set_result(super().submit(context, jobs).result())

    def check(self) -> None:
        if self.open:
            self.end_one()


def expected(plans: list[list[list[int]]], context: int) -> list[int]:
    """The same without jobs."""
    found = []
    for rounds in plans:
        total = 0
        for numbers in rounds:
            before = total
            total += sum((number + before % 7) ** 2 + context for number in numbers)
        found.append(total)
    return found


def do(runner: JobRunner, plans: list[list[list[int]]], context: int = 1) -> list[int]:
    return runner.do(context, [sum_of_squares(rounds) for rounds in plans])


@given(WORKS, st.integers(0, 5), st.integers(0, 999))
def test_any_order_finds_the_same(plans: list[list[list[int]]], context: int, seed: int) -> None:
    assert do(JobRunner(), plans, context) == expected(plans, context)
    runner_module.CHECK_SECONDS, former = 0.001, runner_module.CHECK_SECONDS
    try:
        assert do(JobRunner(Shuffled(seed)), plans, context) == expected(plans, context)
    finally:
        runner_module.CHECK_SECONDS = former


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with processes(2) as found:
        found.worth_seconds = 0.0
        yield found


def test_processes_find_the_same(pool: Pool) -> None:
    plans = [[[number, 3], [], [4] * number] for number in range(20)]
    assert do(JobRunner(pool), plans, 4) == expected(plans, 4)


def test_processes_where_none_can_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    with processes(1) as pool:
        pool.worth_seconds = 0.0
        assert do(JobRunner(pool), [[[5]]], 0) == [25]


def test_processes_start_in_the_background() -> None:
    with processes(1) as pool:
        assert not pool.is_ready()
        while not pool.is_ready():
            sleep(0.01)
        pool.worth_seconds = 0.0
        assert do(JobRunner(pool), [[[5]]], 0) == [25]


def test_processes_that_are_no_longer_wanted_while_they_start() -> None:
    others = set(multiprocessing.active_children())
    with processes(2) as pool:
        assert not pool.is_ready()
    assert set(multiprocessing.active_children()) <= others


def test_the_share_ends_at_one() -> None:
    seen: list[tuple[Share, int]] = []
    runner = JobRunner()
    runner.do(0, [sum_of_squares([[1, 2], [3]])], lambda share, results: seen.append((share, len(results))))
    assert seen[-1][0].of_all == 1
    assert sum(count for _, count in seen) == 3


@given(WORKS, WORKS)
def test_what_is_kept_is_not_done_again(former: list[list[list[int]]], plans: list[list[list[int]]]) -> None:
    """Rows of other work, and of the same in another context, are of no use."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for context, some in ((1, former), (2, plans), (1, plans[: len(plans) // 2])):
            with open_rows(folder, resume=True) as rows:
                assert do(JobRunner(cache=JobCache(rows)), some, context) == expected(some, context)
                rows.commit()
        with open_rows(folder, resume=True) as rows:
            known = len(rows)
            assert do(JobRunner(cache=JobCache(rows)), plans) == expected(plans, 1)
            assert len(rows) >= known
            rows.commit()
        with open_rows(folder, resume=True) as rows:
            cache = JobCache(rows)
            assert do(JobRunner(Idle(), cache), plans) == expected(plans, 1)


class Idle(InProcess):
    """Must not be asked."""

    def submit(self, context: Any, jobs: Any) -> Future[Any]:
        raise AssertionError(jobs)


def test_what_is_not_used_goes_at_the_end(tmp_path: Path) -> None:
    with open_rows(tmp_path, resume=False) as rows:
        do(JobRunner(cache=JobCache(rows)), [[[1, 2, 3]]])
        rows.commit()
    with open_rows(tmp_path, resume=True) as rows:
        cache = JobCache(rows)
        assert do(JobRunner(Idle(), cache), [[[1], [1]]], 1) == expected([[[1], [1]]], 1)
        cache.finish()
    with open_rows(tmp_path, resume=True) as rows:
        assert len(rows) == 2


def test_without_resume_nothing_is_used(tmp_path: Path) -> None:
    """A former cache stays until there is something to keep instead."""
    with open_rows(tmp_path, resume=False) as rows:
        do(JobRunner(cache=JobCache(rows)), [[[1, 2, 3]]])
        rows.commit()
    with open_rows(tmp_path, resume=False) as rows, pytest.raises(AssertionError):
        do(JobRunner(Idle(), JobCache(rows)), [[[1]]])
    with open_rows(tmp_path, resume=True) as rows:
        assert len(rows) == 3
    with open_rows(tmp_path, resume=False) as rows:
        do(JobRunner(cache=JobCache(rows)), [[[5]]])
        rows.commit()
        assert len(rows) == 1


def test_a_moment_of_work_is_not_kept(tmp_path: Path) -> None:
    with open_rows(tmp_path / "out", resume=False) as rows:
        cache = JobCache(rows)
        do(JobRunner(cache=cache), [[[1, 2]]])
        cache.finish()
    assert not (tmp_path / "out").exists()


def test_a_row_that_is_no_result(tmp_path: Path) -> None:
    with open_rows(tmp_path, resume=True) as rows:
        rows.put(Square(3).key(1), "square", "nine")
        rows.commit()
        with pytest.raises(ArrayolError) as refused:
            do(JobRunner(cache=JobCache(rows)), [[[3]]])
    assert refused.value.diagnostics[0].code == "store-damaged"


@pytest.mark.parametrize(("way", "raised"), [("refuses", ArrayolError), ("breaks", ZeroDivisionError)])
def test_what_a_job_raises(pool: Pool, way: str, raised: type[Exception]) -> None:
    for runner in (JobRunner(), JobRunner(pool)):
        with pytest.raises(raised):
            runner.do(0, [one(Square(1)), one(Broken(1, way=way)), one(Square(2))])
    assert do(JobRunner(pool), [[[5]]], 0) == [25]  # the processes go on


def test_a_process_that_dies() -> None:
    plans = [one(Square(number)) for number in range(9)] + [one(Broken(1, way="dies"))]
    with processes(2) as pool:
        pool.worth_seconds = 0.0
        with pytest.raises(ArrayolError) as refused:
            JobRunner(pool).do(0, plans)
    assert refused.value.diagnostics[0].code == "worker-lost"


def test_little_work_is_done_here() -> None:
    before = set(multiprocessing.active_children())
    with processes(2) as pool:
        assert do(JobRunner(pool), [[[number] for number in range(20)]]) == expected([[[n] for n in range(20)]], 1)
        assert set(multiprocessing.active_children()) == before


def test_work_that_is_quicker_than_predicted_is_done_here() -> None:
    before = set(multiprocessing.active_children())

    def found(runner: JobRunner) -> list[object]:
        return runner.do(0, [one(Square(number, 1.0)) for number in range(10)])

    with processes(2) as pool:
        assert found(JobRunner(pool)) == found(JobRunner())
        assert set(multiprocessing.active_children()) == before


WAITS = """
import multiprocessing
from toy_jobs import Broken, Square, one
from dse.jobs.runner import JobRunner
from dse.jobs.jobs import processes

def said(share, results):
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)

with processes(2) as pool:
    pool.worth_seconds = 0.0
    jobs = [Square(1, 9.0), Broken(1, 9.0, way="sleeps"), Broken(2, 9.0, way="sleeps")]
    JobRunner(pool).do(0, [one(job) for job in jobs], said)
"""


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_the_process_that_started_them(by: signal.Signals) -> None:
    """At once, though they are busy, and however it ended."""
    here = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.append({here!r})\n{WAITS}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        workers = [int(pid) for pid in process.stdout.readline().split()]
        assert workers
        process.send_signal(by)
        process.wait(60)
    assert wait_until_gone(workers)


BUSY = """
import atexit, resource
atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime))  # runs after those of the pool
from toy_jobs import sum_of_squares
from dse.jobs.jobs import processes
from dse.jobs.runner import JobRunner
if __name__ == "__main__":
    with processes(1) as pool:
        pool.worth_seconds = 0.0
        JobRunner(pool).do(1, [sum_of_squares([[2, 3]])])
"""


def test_seconds_of_workers_are_those_of_the_command() -> None:
    """What `time` tells of a command holds what its workers took, since all of them have been waited for."""
    here = str(Path(__file__).parent)
    script = f"import sys; sys.path.append({here!r})\n{BUSY}"
    done = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True)
    assert float(done.stdout) > 0
