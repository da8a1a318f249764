"""How many jobs a job runner sends at a time: tasks are long beside what sending costs, where there is work enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_jobs import Square, one

import dse.jobs.runner as runner_module
from dse.jobs.jobs import InProcess, JobPlan, Task
from dse.jobs.runner import TASK_SECONDS, JobRunner

LEAST = 0.1  # seconds that a task should take
COSTS = st.lists(st.floats(0.001, 0.5), min_size=1, max_size=40)


class Slow(InProcess):
    """Does jobs in `factor` of the seconds that they are estimated at, and notes its tasks."""

    slots = 4

    def __init__(self, factor: float, *, worth: float = 0.0, starts: int = 0) -> None:
        self.factor, self.worth_seconds, self.starts = factor, worth, starts
        self.tasks: list[list[float]] = []

    def is_ready(self) -> bool:
        """After some looks."""
        self.starts -= 1
        return self.starts < 0

    def submit(self, context: Any, jobs: Sequence[Any]) -> Task:
        self.tasks.append([job.cost * self.factor for job in jobs])
        task: Task = Future()
        task.set_result(([job.run(context) for job in jobs], sum(self.tasks[-1])))
        return task


@given(COSTS, st.floats(0.02, 50))
def test_tasks_are_worth_sending(costs: list[float], factor: float) -> None:
    """Once it is known how fast the workers are, which some tasks tell."""
    pool = Slow(factor)
    jobs = [Square(number, cost) for number, cost in enumerate(costs * 60)]
    assert JobRunner(pool).do(0, [one(job) for job in jobs]) == [job.number**2 for job in jobs]
    assert sum(map(len, pool.tasks)) == len(jobs)
    known = pool.tasks[32:-1]
    assert all(sum(seconds) >= LEAST for seconds in known)
    assert all(sum(seconds[:-1]) < 2 * TASK_SECONDS for seconds in known)  # nor longer than that needs


@given(COSTS)
def test_good_estimates_are_worth_sending_from_the_first(costs: list[float]) -> None:
    pool = Slow(1.0)
    JobRunner(pool).do(0, [one(Square(number, cost)) for number, cost in enumerate(costs)])
    assert all(sum(seconds) >= LEAST - 1e-9 for seconds in pool.tasks[:-1])
    assert all(sum(seconds[:-1]) < TASK_SECONDS for seconds in pool.tasks)


def test_little_work_is_worth_a_pool_after_much_of_it() -> None:
    pool = Slow(1.0, worth=4.0)
    runner = JobRunner(pool)
    runner.do(0, [one(Square(1, 3.0))])
    assert pool.tasks == []
    runner.worked = 4.0
    runner.do(0, [one(Square(1, 3.0))])
    assert pool.tasks == [[3.0]]
    runner.do(0, [one(Square(1, 0.5))])
    assert pool.tasks == [[3.0]]


def test_a_pool_pays_for_work_to_come() -> None:
    pool = Slow(1.0, worth=4.0)
    runner = JobRunner(pool)
    runner.do(0, [one(Square(1, 0.5))], more=11.0)
    assert pool.tasks == []  # three times as much has to come before a task was measured
    runner.do(0, [one(Square(1, 0.5))], more=11.6)
    assert pool.tasks == [[0.5]]


def test_work_goes_on_here_while_processes_start(monkeypatch: pytest.MonkeyPatch) -> None:
    here, pool = Slow(1.0), Slow(1.0, worth=4.0, starts=3)
    here.slots = 1
    monkeypatch.setattr(runner_module, "InProcess", lambda: here)
    runner = JobRunner(pool)
    runner.do(0, [one(Square(number, 1.0)) for number in range(20)])
    assert (len(here.tasks), len(pool.tasks)) == (3, 17)
    assert runner.worked == 20


def test_the_last_tasks_end_together() -> None:
    """While much is left they are long, then each has its share of what is."""
    pool = Slow(1.0)
    JobRunner(pool).do(0, [one(Square(number, 0.02)) for number in range(100)])
    seconds = [sum(task) for task in pool.tasks]
    assert seconds == sorted(seconds, reverse=True)
    assert abs(seconds[0] - TASK_SECONDS) < 0.021
    assert max(seconds[-3:]) < 0.121


def test_jobs_of_several_plans_go_together() -> None:
    pool = Slow(1.0)

    def in_turn(count: int) -> Iterator[Any]:
        for number in range(count):
            yield [Square(number, 0.05)]

    plans: list[JobPlan[None]] = [in_turn(3) for _ in range(24)]  # type: ignore[misc]
    JobRunner(pool).do(0, plans)
    assert all(sum(task) >= LEAST - 1e-9 for task in pool.tasks)
    assert min(map(len, pool.tasks)) > 1
