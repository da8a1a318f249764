"""Works on dask clusters: the same results, and what is told when something is wrong with one."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import pytest
from cluster_jobs import SingleRun, Strange, Where
from dask_processes import HIDES_ARRAYOL, OTHER_VERSION, Scheduler, scheduler
from toy_jobs import Broken, Square, one, sum_of_squares

from arrayol.errors import ArrayolError
from dse.jobs import cluster as cluster_module
from dse.jobs import runner
from dse.jobs.cluster import Cluster, cluster
from dse.jobs.runner import JobRunner


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    """A scheduler without workers, that gives up tasks which kill one."""
    with scheduler(tmp_path_factory.mktemp("dask"), failures=0) as found:
        yield found


def refusal(raised: pytest.ExceptionInfo[ArrayolError]) -> tuple[str, str, str | None]:
    (found,) = raised.value.diagnostics
    return found.code, found.message, found.hint


VERSION = (
    "cluster-version",
    "a worker of the cluster cannot load arrayol, or has another version of it",
    "install arrayol with its extra 'cluster' where the workers run, the same versions as here",
)


def test_two_workers(running: Scheduler) -> None:
    with running.workers(2) as workers, cluster(running.address) as pool:
        rounds = [[[number, 3], [], [4] * number] for number in range(30)]
        runner = JobRunner(pool)
        assert pool.slots == 4
        assert runner.do(4, [sum_of_squares(some) for some in rounds]) == JobRunner().do(
            4, [sum_of_squares(some) for some in rounds]
        )
        pids = runner.do(20, [one(Where(number, 0.3)) for number in range(12)])
        assert set(pids) == {worker.pid for worker in workers}
        with pytest.raises(ArrayolError, match="refused"):
            runner.do(0, [one(Square(1)), one(Broken(1, way="refuses")), one(Square(2))])
        with pytest.raises(ZeroDivisionError) as broken:
            runner.do(0, [one(Broken(1, way="breaks"))])
        assert "toy_jobs.py" in broken.value.__notes__[0]
        assert runner.do(0, [one(Square(5))]) == [25]


def test_threads_of_a_worker_take_turns(running: Scheduler) -> None:
    with running.workers(1, threads=4), cluster(running.address) as pool:
        assert pool.slots == 2
        assert JobRunner(Eager(pool)).do(0, [one(SingleRun(number, 0.3)) for number in range(20)]) == [1] * 20


class Eager:
    """A pool that is given more than it asks for."""

    slots, worth_seconds = 20, 0.0

    def __init__(self, pool: Cluster) -> None:
        self.submit, self.check, self.result = pool.submit, pool.check, pool.result
        self.is_ready = pool.is_ready


@pytest.mark.parametrize("first", [HIDES_ARRAYOL, OTHER_VERSION], ids=["none", "other"])
def test_workers_with_another_arrayol_or_none(running: Scheduler, first: str) -> None:
    """They are known before they unpack jobs, which they may not even know."""
    with running.workers(1, first=first), cluster(running.address) as pool, pytest.raises(ArrayolError) as refused:
        JobRunner(pool).do(0, [one(Strange())])  # type: ignore[arg-type]
    assert refusal(refused)[0] == "cluster-version"
    if first == HIDES_ARRAYOL:
        assert refusal(refused) == VERSION


def test_versions_that_dask_would_warn_of(running: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether versions agree is asked with each task."""
    from distributed import versions  # noqa: PLC0415  they take long to load

    told = versions.get_versions()
    told["packages"]["numpy"] = "0.1"
    with running.workers(1), monkeypatch.context() as patched:
        patched.setattr(versions, "get_versions", lambda: told)
        with cluster(running.address) as pool:
            assert JobRunner(pool).do(0, [one(Square(5))]) == [25]


def test_work_that_kills_workers(running: Scheduler) -> None:
    with running.workers(1), cluster(running.address) as pool, pytest.raises(ArrayolError) as refused:
        JobRunner(pool).do(0, [one(Broken(1, way="dies"))])
    assert refusal(refused) == (
        "cluster-lost",
        f"the cluster at {running.address} has lost its scheduler, or too many workers",
        "fix the cluster, then run the same command with --resume",
    )


def test_a_scheduler_without_workers(running: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "WORKERS_SECONDS", 0.1)
    with pytest.raises(ArrayolError) as refused, cluster(running.address):
        pass
    assert refusal(refused) == (
        "cluster-unreachable",
        f"the cluster at '{running.address}' has no workers",
        f"start some: dask worker {running.address} --nworkers -1 --nthreads 1",
    )


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://127.0.0.1", "http://127.0.0.1:1", "tls://127.0.0.1:1"])
def test_no_scheduler(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.1)
    with pytest.raises(ArrayolError) as refused, cluster(address):
        pass
    code, message, hint = refusal(refused)
    assert (code, message) == ("cluster-unreachable", f"no scheduler of a dask cluster answers at '{address}'")
    assert hint
    assert ("certificates" in hint) is address.startswith("tls:")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "find_spec", lambda _name: None)
    with pytest.raises(ArrayolError) as refused, cluster("tcp://127.0.0.1:1"):
        pass
    assert refusal(refused) == (
        "cluster-missing",
        "a cluster needs the package 'distributed', which is not installed",
        "install arrayol with its extra 'cluster'",
    )


def test_a_frozen_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tasks go to another one, which the scheduler alone would see to in five minutes."""
    monkeypatch.setattr(cluster_module, "_LISTEN_SECONDS", 1.0)
    monkeypatch.setattr(runner, "CHECK_SECONDS", 0.5)
    with scheduler(tmp_path) as running, running.workers(2) as workers, cluster(running.address) as pool:
        workers[0].send_signal(signal.SIGSTOP)
        assert set(JobRunner(pool).do(20, [one(Where(number, 0.3)) for number in range(12)])) == {workers[1].pid}


class Client:
    """What a cluster asks of a client of dask: who is there, when workers were last heard, and to restart some."""

    def __init__(self) -> None:
        self.workers: int | Exception = 2
        self.heartbeats: dict[str, float] = {}
        self.restarted: list[list[str]] = []
        self.scheduler = self

    def sync(self, asked: Callable[..., Any], **options: Any) -> Any:
        assert options.pop("callback_timeout") > 0
        return asked(**options)

    def identity(self) -> dict[str, dict[str, dict[str, float]]]:
        return {"workers": {address: {"last_seen": seen} for address, seen in self.heartbeats.items()}}

    def restart_workers(self, workers: list[str], **options: object) -> None:
        assert options["wait_for_workers"] is False
        self.restarted.append(workers)
        for worker in workers:
            del self.heartbeats[worker]

    def get_executor(self, *, pure: bool) -> None:
        assert not pure

    def ncores(self, **_: object) -> dict[int, int]:
        if isinstance(self.workers, Exception):
            raise self.workers
        return dict.fromkeys(range(self.workers), 8)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(cluster_module, "_LOOK_SECONDS", 0.0)
    return Client()


def test_workers_come_and_go(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a while there may be none, since others may come."""
    clock = [0.0]
    monkeypatch.setattr(cluster_module, "monotonic", lambda: clock[0])
    pool = Cluster(client, "here")  # type: ignore[arg-type]
    for clock[0], workers, slots in ((1.0, 3, 6), (2.0, 0, 6), (31.0, 0, 6), (31.5, 1, 2), (32.0, 0, 2), (61.0, 0, 2)):
        client.workers = workers
        pool.check()
        assert pool.slots == slots
    clock[0] = 62.0
    with pytest.raises(ArrayolError) as refused:
        pool.check()
    assert refusal(refused)[0] == "cluster-lost"


def test_silent_workers_are_replaced(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that gives no heartbeat for six looks, however long this process itself was frozen between two of them."""
    clock = [0.0]
    monkeypatch.setattr(cluster_module, "monotonic", lambda: clock[0])
    pool = Cluster(client, "here")  # type: ignore[arg-type]
    client.heartbeats = {"well": 0.0, "frozen": 0.0, "slow": 0.0}
    for look in range(1, 8):
        assert client.restarted == []
        clock[0] += 3600.0 if look == 3 else 10.0
        client.heartbeats["well"] += 1.0
        client.heartbeats["slow"] += look % 5 == 0
        pool.check()
        clock[0] += 1.0
        pool.check()  # too early to listen again
    assert client.restarted == [["frozen"]]
    for _ in range(3):
        clock[0] += 10.0
        pool.check()
    assert client.restarted == [["frozen"]]


@pytest.mark.parametrize("raised", [OSError(), CancelledError(), ValueError()])
def test_a_scheduler_that_is_gone(client: Client, raised: Exception) -> None:
    pool = Cluster(client, "here")  # type: ignore[arg-type]
    client.workers = raised
    with pytest.raises(ArrayolError) as refused:
        pool.check()
    assert refusal(refused)[0] == "cluster-lost"


def test_errors_of_jobs_are_not_those_of_the_cluster(client: Client) -> None:
    """Whatever they are; dask's own have another meaning."""
    pool = Cluster(client, "here")  # type: ignore[arg-type]
    for raised in (OSError("disk"), ImportError("lost"), AttributeError("name")):
        task: Future[Any] = Future()
        task.set_result(raised)
        with pytest.raises(type(raised)) as found:
            pool.result(task)
        assert found.value is raised
        task = Future()
        task.set_exception(raised)
        with pytest.raises(ArrayolError):
            pool.result(task)
