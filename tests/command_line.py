"""The command `arrayol` as the tests start it: as a process of its own, or inside of the tests' process.

Inside, the imports are paid once and all else is as in a process: an empty stdin, streams that are files and not a
terminal, 80 columns, the caller's folder. What a run leaves changed in the process fails it, since the next run, or a
program that uses the packages, would see it.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO
from unittest.mock import patch

import pytest

from arrayol.cli import command_table
from arrayol.cli.main import BY_SIGNAL
from arrayol.cli.main import run as run_command

Done = subprocess.CompletedProcess[str]
CommandLine = Callable[..., Done]
COLUMNS = 80


def as_process(command: Path, *arguments: str, cwd: Path, together: bool = False) -> Done:
    """Run the installed command; both streams are in stdout if they are `together`."""
    return without_traceback(
        subprocess.run(
            [command, *arguments],
            cwd=cwd,
            env={**os.environ, "COLUMNS": str(COLUMNS)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if together else subprocess.PIPE,
            text=True,
            check=False,
        )
    )


def in_process(*arguments: str, cwd: Path, together: bool = False, columns: int = COLUMNS) -> Done:
    """The same inside of this process. Raises AssertionError where the command leaves it changed."""
    before, loaded = _state(), len(sys.modules)
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, {"COLUMNS": str(columns)}))
        stack.enter_context(chdir(cwd))
        texts = stack.enter_context(_streams(together=together))
        code = run_command(arguments)
        out, err = texts()
    if code == BY_SIGNAL + signal.SIGINT:  # by whoever runs the tests
        raise KeyboardInterrupt
    after = _state()
    changed = [name for name, value in before.items() if value != after[name]]
    if len(sys.modules) > loaded and "warnings" in changed:  # packages add filters of their own where they are loaded
        changed.remove("warnings")
    assert not changed, f"the run leaves changed: {', '.join(changed)}"
    return without_traceback(subprocess.CompletedProcess(["arrayol", *arguments], code, out, err))


def without_traceback(done: Done) -> Done:
    """What was done; no run may end in a traceback."""
    assert "Traceback" not in done.stdout + (done.stderr or "")
    return done


@contextmanager
def _streams(*, together: bool) -> Iterator[Callable[[], tuple[str, str]]]:
    """Files in the place of the standard streams, descriptors 1 and 2 too; a function reads them."""
    with TemporaryFile() as out, TemporaryFile() as err, Path(os.devnull).open(encoding="utf-8") as nothing:
        former = os.dup(1), os.dup(2)
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno() if together else err.fileno(), 2)
        try:
            with (
                open(1, "w", encoding="utf-8", closefd=False) as stdout,
                open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False) as stderr,
                patch.multiple(sys, stdin=nothing, stdout=stdout, stderr=stderr),
            ):
                yield lambda: (_read(stdout, out), _read(stderr, err))
        finally:
            for place, descriptor in enumerate(former, 1):
                os.dup2(descriptor, place)
                os.close(descriptor)


def _read(stream: Any, file: BinaryIO) -> str:
    stream.flush()
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n")


def _state() -> dict[str, Any]:
    """What a run could leave changed in the process. Environment variables, folder and streams are restored anyway."""
    state: dict[str, Any] = {
        "warnings": list(warnings.filters),
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM, signal.SIGPIPE)],
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "hooks": (sys.excepthook, sys.unraisablehook),
        "import path": list(sys.path),
        "log handlers": list(logging.getLogger().handlers),
        "log levels": [logging.getLogger(name).level for name in ("root", "asyncio", "distributed", "matplotlib")],
    }
    if numpy := sys.modules.get("numpy"):
        drawn = numpy.random.get_state(legacy=False)["state"]
        state |= {"random numbers": (drawn["pos"], drawn["key"].tobytes()), "float errors": numpy.geterr()}
    if matplotlib := sys.modules.get("matplotlib"):
        state["matplotlib"] = matplotlib.rcParams.copy()
    return state


def raise_instead(monkeypatch: pytest.MonkeyPatch, raised: BaseException) -> None:
    """Let every command raise an exception."""

    def invoke(arguments: list[str]) -> int:
        raise raised

    monkeypatch.setattr(command_table, "invoke", invoke)
