"""A dask cluster that does jobs; the package distributed loads only when it is asked for."""

from __future__ import annotations

import logging
import pickle
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any

from arrayol.errors import ArrayolError, error
from dse.jobs.digest import code_digest
from dse.jobs.jobs import Done, Job, RemoteJob, Sender, Task

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10  # to find the scheduler
WORKERS_SECONDS = 30.0  # to wait where it has no workers
_WAITING = 1  # tasks that wait behind the one in work, of each worker
_LOOK_SECONDS = 1.0  # between two looks at who is there
_LISTEN_SECONDS = 10.0  # between two looks at the workers' last heartbeats, which come every second or so
_SILENT_LOOKS = 6  # so often without a new heartbeat: about a minute, where dask itself waits for five
_LOGGERS = ("distributed", "tornado", "asyncio")


class Cluster:
    """The workers that a scheduler has at the time. The task of one that is lost, or frozen, goes to another."""

    worth_seconds = 0.0  # whoever names a cluster wants it

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self._executor: Executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        self._sender = Sender()
        self._workers = 0
        self._looked = self._seen = self._listened = monotonic()  # at the workers at all, and at some; to heartbeats
        self._silent: dict[str, tuple[float, int]] = {}  # each worker's last heartbeat, and looks since it came
        self._look()

    @property
    def slots(self) -> int:
        """Two tasks for each worker that is there: each does one at a time, however many threads it has."""
        return self._workers * (1 + _WAITING)

    def is_ready(self) -> bool:
        """Its workers run already."""
        return True

    def submit(self, context: Any, jobs: Sequence[Job]) -> Task:
        """Send it to the scheduler."""
        remote_job = RemoteJob(code_digest(), self._sender.packed(context), _packed(jobs))
        return self._executor.submit(pickle.loads, _packed(remote_job))

    def check(self) -> None:
        """Look who is there. Raises ArrayolError (`cluster-lost`) where no worker has been for some time."""
        if monotonic() - self._looked >= _LOOK_SECONDS:
            self._look()
        if monotonic() - self._listened >= _LISTEN_SECONDS:
            self._listen()

    def _look(self) -> None:
        with self._connection():
            workers = len(self._client.ncores(callback_timeout=CONNECT_SECONDS))  # type: ignore[no-untyped-call]
        self._looked = monotonic()
        if workers:
            self._workers, self._seen = workers, self._looked
        elif self._looked - self._seen > WORKERS_SECONDS:
            raise self._lost()

    def _listen(self) -> None:
        """Have the scheduler take the tasks of workers that are silent: frozen, or cut off.

        Their nannies start them again. Looks are counted, not seconds: this process may have been frozen too.
        """
        told = self._answer_of_scheduler("identity", CONNECT_SECONDS)
        heartbeats = {address: worker["last_seen"] for address, worker in told["workers"].items()}
        former = self._silent
        self._silent = {
            address: (heartbeat, former[address][1] + 1 if former.get(address, (None,))[0] == heartbeat else 0)
            for address, heartbeat in heartbeats.items()
        }
        frozen = [address for address, (_, looks) in self._silent.items() if looks >= _SILENT_LOOKS]
        if frozen:
            self._answer_of_scheduler(
                "restart_workers",
                2 * CONNECT_SECONDS,
                workers=frozen,
                wait_for_workers=False,
                on_error="return",
                timeout=CONNECT_SECONDS,
                stimulus_id="arrayol-silent-worker",
            )
        self._listened = monotonic()

    def _answer_of_scheduler(self, what: str, seconds: float, **options: Any) -> Any:
        """What the scheduler answers. Raises ArrayolError (`cluster-lost`) where it does not."""
        with self._connection():
            ask = getattr(self._client.scheduler, what)
            return self._client.sync(ask, callback_timeout=seconds, **options)  # type: ignore[no-untyped-call]

    @contextmanager
    def _connection(self) -> Iterator[None]:
        """A question in the block that gets no answer becomes an error."""
        try:
            yield
        except (OSError, CancelledError, ValueError):  # the last one where the client has closed itself
            raise self._lost() from None

    def result(self, task: Task) -> tuple[list[Any], float]:
        """What it found. Raises ArrayolError (`cluster-lost`, `cluster-version`)."""
        from distributed import KilledWorker  # noqa: PLC0415

        try:
            outcome: Done | Exception = task.result()
        except (ImportError, AttributeError):  # of what the remote job names
            raise _no_arrayol() from None
        except (KilledWorker, CancelledError, OSError):
            raise self._lost() from None
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _lost(self) -> ArrayolError:
        return error(
            "cluster-lost",
            f"the cluster at {self._address} has lost its scheduler, or too many workers",
            hint="fix the cluster, then run the same command with --resume",
        )


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """The cluster of the scheduler at `address`, as tcp://HOST:8786.

    Raises ArrayolError: `cluster-missing` where the package distributed is not installed, `cluster-unreachable` where
    no scheduler answers or none of its workers comes.
    """
    if find_spec("distributed") is None:
        message = "a cluster needs the package 'distributed', which is not installed"
        raise error("cluster-missing", message, hint="install arrayol with its extra 'cluster'")
    with _quiet(), _client(address) as client:
        yield Cluster(client, address)


@contextmanager
def _client(address: str) -> Iterator[Client]:
    from distributed import Client  # noqa: PLC0415

    class OurClient(Client):
        """Is closed below; one that found no scheduler would try for long when it is deleted."""

        def __del__(self) -> None:
            pass

    hint = "give the address that 'dask scheduler' prints, as tcp://HOST:8786"
    if address.startswith("tls:"):
        hint = "is the scheduler there, and does dask's configuration name the certificates?"
    try:
        with warnings.catch_warnings(action="ignore"):  # of versions: what matters is asked for with each task
            client = OurClient(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except ImportError:  # versions of dask that cannot talk to each other
        raise _no_arrayol() from None
    except (OSError, ValueError, TypeError):  # the last one of an address by tls:// where there are no certificates
        raise error(
            "cluster-unreachable", f"no scheduler of a dask cluster answers at '{address}'", hint=hint
        ) from None
    try:
        try:
            client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError:
            hint = f"start some: dask worker {address} --nworkers -1 --nthreads 1"
            raise error("cluster-unreachable", f"the cluster at '{address}' has no workers", hint=hint) from None
        yield client
    finally:
        client.close(timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep distributed from logging what our errors report."""
    import distributed  # noqa: F401, PLC0415  its loggers are there once it is loaded

    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith(_LOGGERS)]
    former = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in former:
            logger.setLevel(level)


def _no_arrayol() -> ArrayolError:
    """The error of a cluster that cannot load the jobs that it is sent."""
    return error(
        "cluster-version",
        "a worker of the cluster cannot load arrayol, or has another version of it",
        hint="install arrayol with its extra 'cluster' where the workers run, the same versions as here",
    )


def _packed(value: object) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
