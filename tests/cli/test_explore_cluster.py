"""`arrayol explore --cluster` through the installed command, on a scheduler and two workers that are processes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import CommandLine
from dask_processes import Scheduler, scheduler, wait_until

from arrayol import api
from dse.jobs.jobs import SIMULATING

if TYPE_CHECKING:
    from distributed import Client

BUDGET = 8.0  # seconds of predicted work: enough for some twenty tasks
ROUNDS = ("--method", "rounds", "--budget", str(BUDGET))
LPSF = ("lpsf.aol", "--set", "H=32", "--set", "W=48", *ROUNDS, "--no-verify", "--quiet")
USAGE = "Usage: arrayol explore [OPTIONS] FILE\nTry 'arrayol explore --help' for help.\n\nError: "


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    with scheduler(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.fixture
def lpsf(arrayol: CommandLine, tmp_path: Path) -> Path:
    arrayol("example", "lpsf")
    return tmp_path


@contextmanager
def exploring(script: Path, folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """The command while it runs; killed at the end, if it has not ended."""
    command = [str(script), "explore", *LPSF, *options]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, text=True, start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def in_mid_run(running: Scheduler, process: subprocess.Popen[str], finished: int) -> Iterator[Client]:
    """From when some tasks are finished and the first worker is at others."""
    with running.client() as client:
        client.get_task_stream()  # from now on they are counted
        (first,) = (at for at, told in client.scheduler_info()["workers"].items() if told["name"] == "worker-0")

        def is_so() -> bool:
            assert process.poll() is None, process.communicate()
            return len(client.get_task_stream()) >= finished and bool(client.processing()[first])

        wait_until(is_so)
        yield client


def explored(folder: Path, **more: Any) -> str:
    """What result.json would hold of the same exploration in this process."""
    with chdir(folder):  # results name the file as it was given
        return document(api.load(Path("lpsf.aol"), {"H": "32", "W": "48"}), method="rounds", budget=BUDGET, **more)


@pytest.fixture(scope="module")
def alone(checkout: Path) -> str:
    """The same with one worker."""
    return explored(checkout / "specs", resources=api.Resources(workers=1))


def document(spec: api.Spec, resources: api.Resources, **more: Any) -> str:
    space = more.pop("space", api.Space(verify=False))
    return api.explore(spec, space=space, resources=resources, **more).result.to_json()


def test_one_killed_worker_of_two(script: Path, lpsf: Path, running: Scheduler, alone: str) -> None:
    with running.workers(2) as workers:
        with exploring(script, lpsf, "--cluster", running.address, "--out", "out") as process:
            with in_mid_run(running, process, finished=2) as client:
                workers[0].kill()
                wait_until(lambda: len(client.ncores()) == 1)
            output, messages = process.communicate(timeout=200)
        assert (messages, process.returncode) == ("", 0)
        assert "designs on the Pareto front" in output
        assert workers[1].poll() is None
    assert (lpsf / "out" / "result.json").read_text(encoding="utf-8") == alone


def test_a_killed_scheduler(script: Path, lpsf: Path, tmp_path_factory: pytest.TempPathFactory, alone: str) -> None:
    """What was finished is kept, and gone on from on this machine."""
    with (
        scheduler(tmp_path_factory.mktemp("dask")) as running,
        running.workers(2),
        exploring(script, lpsf, "--cluster", running.address, "--out", "out") as process,
    ):
        with in_mid_run(running, process, finished=3):
            pass
        running.process.kill()
        output, messages = process.communicate(timeout=200)
    assert (output, process.returncode) == ("", 1)
    assert messages == (
        f"error[cluster-lost]: the cluster at {running.address} has lost its scheduler, or too many workers\n"
        "  hint: fix the cluster, then run the same command with --resume\n"
    )
    kept = {path.name for path in (lpsf / "out").iterdir()}
    assert kept - {"partial"} == {"work.sqlite"}  # beside a front so far, if there was one
    seen: list[float] = []
    resumed = api.Resources(folder=lpsf / "out", resume=True)
    assert explored(lpsf, resources=resumed, report=lambda progress: seen.append(progress.work)) == alone
    assert seen[0] > 0


def test_a_killed_worker_while_simulating(checkout: Path, running: Scheduler) -> None:
    """In this process, where progress tells when."""
    spec, space = api.load(checkout / "specs" / "lpsf.aol", {"H": "4", "W": "16"}), api.Space(narrow=True, verify=True)
    with running.workers(2) as workers:

        def kill(progress: Any) -> None:
            if progress.phase == SIMULATING:
                workers[1].kill()

        found = document(spec, api.Resources(cluster=running.address), space=space, report=kill)
        assert workers[1].wait(60) != 0
    assert found == document(spec, api.Resources(), space=space)


def test_other_methods(checkout: Path, running: Scheduler) -> None:
    spec, space = api.load(checkout / "specs" / "fir.aol", {"N": "640"}), api.Space(narrow=True, verify=False)
    with running.workers(2):
        found = document(spec, api.Resources(cluster=running.address), space=space, method="nsga2")
        assert found == document(spec, api.Resources(), space=space, method="nsga2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "2"], "--workers and --cluster exclude each other; a cluster has its own workers"),
        (["--model", "published"], "--cluster needs the machine model; leave it out, or take --model machine"),
        (
            ["--method", "exhaustive"],
            "--cluster is not for --method exhaustive, which takes small spaces in one go",
        ),
    ],
)
def test_wrong_usage(arrayol: CommandLine, lpsf: Path, options: list[str], message: str) -> None:
    done = arrayol("explore", "lpsf.aol", "--cluster", "tcp://127.0.0.1:8786", *options)
    assert (done.stdout, done.stderr, done.returncode) == ("", f"{USAGE}{message}\n", 2)
    assert not (lpsf / "lpsf-explore").exists()


def test_no_address(arrayol_process: CommandLine, lpsf: Path) -> None:
    done = arrayol_process("explore", *LPSF, "--cluster", "nowhere")
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr == (
        "error[cluster-unreachable]: no scheduler of a dask cluster answers at 'nowhere'\n"
        "  hint: give the address that 'dask scheduler' prints, as tcp://HOST:8786\n"
    )
    assert not (lpsf / "lpsf-explore").exists()
