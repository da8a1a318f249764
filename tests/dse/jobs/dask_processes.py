"""A dask scheduler and workers as processes of this machine, none of which outlives its block."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Client

HIDES_ARRAYOL = "import sys; sys.modules.update(arrayol=None, dse=None, hwmodel=None); "
OTHER_VERSION = "from dse.jobs import digest; digest.LIBRARIES = ('numpy',); "
_SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
_WORKER = "from distributed.cli.dask_worker import main; main()"
_IDLE = "300 s"  # after which a scheduler ends by itself, and its workers with it, should pytest be killed


@dataclass
class Scheduler:
    """A scheduler at work."""

    address: str
    folder: Path
    process: subprocess.Popen[bytes]

    @contextmanager
    def workers(self, count: int, threads: int = 1, first: str = "") -> Iterator[list[subprocess.Popen[bytes]]]:
        """Workers named worker-0, ..., each after it has done `first`; the scheduler has none afterwards."""
        options = ("--nthreads", str(threads), "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        with ExitStack() as stack:
            command = (first + _WORKER, self.address, *options, "--name")
            started = [
                stack.enter_context(_python(*command, f"worker-{number}", folder=self.folder))
                for number in range(count)
            ]
            with self.client() as client:
                client.wait_for_workers(count, timeout=60)
            yield started
        if self.process.poll() is None:  # else it was killed
            with self.client() as client:
                wait_until(lambda: not client.ncores())

    @contextmanager
    def client(self) -> Iterator[Client]:
        """To look at it."""
        from distributed import Client  # noqa: PLC0415  it takes long to load

        client = Client(self.address, set_as_default=False)
        try:
            yield client
        finally:
            client.close()


@contextmanager
def scheduler(folder: Path, *, failures: int = 3) -> Iterator[Scheduler]:
    """A scheduler that cannot load arrayol, and gives up a task that was on more than so many workers that died."""
    found = folder / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(found))
    variables = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(failures)}
    code = HIDES_ARRAYOL + _SCHEDULER
    with _python(code, *options, "--idle-timeout", _IDLE, folder=folder, variables=variables) as process:
        wait_until(lambda: found.exists() and found.stat().st_size > 0)
        yield Scheduler(json.loads(found.read_text(encoding="utf-8"))["address"], folder, process)


@contextmanager
def _python(
    code: str, *arguments: str, folder: Path, variables: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Python in a process group of its own, which finds the jobs of these tests."""
    path = filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH")))
    own = {"PYTHONPATH": os.pathsep.join(path), "DASK_TEMPORARY_DIRECTORY": str(folder)}
    environment = {**os.environ, **(variables or {}), **own}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(holds: Callable[[], bool]) -> None:
    """Ask often; fails after a minute."""
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("this should have happened")
