"""Works find the same whoever does their pieces, in whatever order, and whatever a store already has."""

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
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import wait_until_gone
from toy_pieces import Broken, Square, one, sum_of_squares

from arrayol.errors import ArrayolError
from dse.work import crew as crew_module
from dse.work.crew import Crew, Share
from dse.work.keeper import Keeper
from dse.work.pools import InProcess, Pool, processes
from dse.work.store import open_store

ROUNDS = st.lists(st.lists(st.integers(0, 50), max_size=6), max_size=4)
WORKS = st.lists(ROUNDS, max_size=5)


class Shuffled(InProcess):
    """Ends its tasks late and in any order."""

    slots = 3
    worth_seconds = 0.0

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.open: list[tuple[Future[Any], Any, Any]] = []

    def submit(self, context: Any, pieces: Any) -> Future[Any]:
        task: Future[Any] = Future()
        self.open.append((task, context, pieces))
        if len(self.open) == self.slots or self.random.random() < 0.5:
            self.end_one()
        return task

    def end_one(self) -> None:
        task, context, pieces = self.open.pop(self.random.randrange(len(self.open)))
        task.set_result(super().submit(context, pieces).result())

    def check(self) -> None:
        if self.open:
            self.end_one()


def expected(works: list[list[list[int]]], context: int) -> list[int]:
    """The same without pieces."""
    found = []
    for rounds in works:
        total = 0
        for numbers in rounds:
            before = total
            total += sum((number + before % 7) ** 2 + context for number in numbers)
        found.append(total)
    return found


def do(crew: Crew, works: list[list[list[int]]], context: int = 1) -> list[int]:
    return crew.do(context, [sum_of_squares(rounds) for rounds in works])


@given(WORKS, st.integers(0, 5), st.integers(0, 999))
def test_any_order_finds_the_same(works: list[list[list[int]]], context: int, seed: int) -> None:
    assert do(Crew(), works, context) == expected(works, context)
    crew_module.CHECK_SECONDS, former = 0.001, crew_module.CHECK_SECONDS
    try:
        assert do(Crew(Shuffled(seed)), works, context) == expected(works, context)
    finally:
        crew_module.CHECK_SECONDS = former


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with processes(2) as found:
        found.worth_seconds = 0.0
        yield found


def test_processes_find_the_same(pool: Pool) -> None:
    works = [[[number, 3], [], [4] * number] for number in range(20)]
    assert do(Crew(pool), works, 4) == expected(works, 4)


def test_the_share_ends_at_one() -> None:
    seen: list[tuple[Share, int]] = []
    crew = Crew()
    crew.do(0, [sum_of_squares([[1, 2], [3]])], lambda share, results: seen.append((share, len(results))))
    assert seen[-1][0].of_all == 1
    assert sum(count for _, count in seen) == 3


@given(WORKS, WORKS)
def test_what_is_kept_is_not_done_again(former: list[list[list[int]]], works: list[list[list[int]]]) -> None:
    """Rows of other work, and of the same in another context, are of no use."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for context, some in ((1, former), (2, works), (1, works[: len(works) // 2])):
            with open_store(folder, resume=True) as store:
                assert do(Crew(keeper=Keeper(store)), some, context) == expected(some, context)
                store.commit()
        with open_store(folder, resume=True) as store:
            known = len(store)
            assert do(Crew(keeper=Keeper(store)), works) == expected(works, 1)
            assert len(store) >= known
            store.commit()
        with open_store(folder, resume=True) as store:
            keeper = Keeper(store)
            assert do(Crew(Idle(), keeper), works) == expected(works, 1)


class Idle(InProcess):
    """Must not be asked."""

    def submit(self, context: Any, pieces: Any) -> Future[Any]:
        raise AssertionError(pieces)


def test_what_is_not_used_goes_at_the_end(tmp_path: Path) -> None:
    with open_store(tmp_path, resume=False) as store:
        do(Crew(keeper=Keeper(store)), [[[1, 2, 3]]])
        store.commit()
    with open_store(tmp_path, resume=True) as store:
        keeper = Keeper(store)
        assert do(Crew(Idle(), keeper), [[[1], [1]]], 1) == expected([[[1], [1]]], 1)
        keeper.finish()
    with open_store(tmp_path, resume=True) as store:
        assert len(store) == 2


def test_without_resume_nothing_is_used(tmp_path: Path) -> None:
    """A former store stays until there is something to keep instead."""
    with open_store(tmp_path, resume=False) as store:
        do(Crew(keeper=Keeper(store)), [[[1, 2, 3]]])
        store.commit()
    with open_store(tmp_path, resume=False) as store, pytest.raises(AssertionError):
        do(Crew(Idle(), Keeper(store)), [[[1]]])
    with open_store(tmp_path, resume=True) as store:
        assert len(store) == 3
    with open_store(tmp_path, resume=False) as store:
        do(Crew(keeper=Keeper(store)), [[[5]]])
        store.commit()
        assert len(store) == 1


def test_a_moment_of_work_is_not_kept(tmp_path: Path) -> None:
    with open_store(tmp_path / "out", resume=False) as store:
        keeper = Keeper(store)
        do(Crew(keeper=keeper), [[[1, 2]]])
        keeper.finish()
    assert not (tmp_path / "out").exists()


def test_a_row_that_is_no_result(tmp_path: Path) -> None:
    with open_store(tmp_path, resume=True) as store:
        store.put(Square(3).key(1), "square", "nine")
        store.commit()
        with pytest.raises(ArrayolError) as refused:
            do(Crew(keeper=Keeper(store)), [[[3]]])
    assert refused.value.diagnostics[0].code == "store-damaged"


@pytest.mark.parametrize(("how", "raised"), [("refuses", ArrayolError), ("breaks", ZeroDivisionError)])
def test_what_a_piece_raises(pool: Pool, how: str, raised: type[Exception]) -> None:
    for crew in (Crew(), Crew(pool)):
        with pytest.raises(raised):
            crew.do(0, [one(Square(1)), one(Broken(1, how=how)), one(Square(2))])
    assert do(Crew(pool), [[[5]]], 0) == [25]  # the processes go on


def test_a_process_that_dies() -> None:
    works = [one(Square(number)) for number in range(9)] + [one(Broken(1, how="dies"))]
    with processes(2) as pool:
        pool.worth_seconds = 0.0
        with pytest.raises(ArrayolError) as refused:
            Crew(pool).do(0, works)
    assert refused.value.diagnostics[0].code == "worker-lost"


def test_little_work_is_done_here() -> None:
    before = set(multiprocessing.active_children())
    with processes(2) as pool:
        assert do(Crew(pool), [[[number] for number in range(20)]]) == expected([[[n] for n in range(20)]], 1)
        assert set(multiprocessing.active_children()) == before


WAITS = """
import multiprocessing
from toy_pieces import Broken, Square, one
from dse.work.crew import Crew
from dse.work.pools import processes

def said(share, results):
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)

with processes(2) as pool:
    pool.worth_seconds = 0.0
    pieces = [Square(1, 9.0), Broken(1, 9.0, how="sleeps"), Broken(2, 9.0, how="sleeps")]
    Crew(pool).do(0, [one(piece) for piece in pieces], said)
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
