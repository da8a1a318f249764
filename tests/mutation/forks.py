"""Runs of pytest in forks of this process, which has loaded all that is not under test: most of a run is its start."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy starts threads, which forks do not take along

import hypothesis  # noqa: F401
import islpy  # noqa: F401
import lark  # noqa: F401
import networkx as nx  # noqa: F401
import numpy as np  # noqa: F401
import pydantic  # noqa: F401
import pytest


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit code of a run, None where it had no end, and what it printed."""

    code: int | None
    text: str


@dataclass(eq=False, slots=True)
class Run:
    """A child process at work in a copy."""

    pid: int
    copy: Path
    log: Path
    deadline: float
    _status: int | None = None
    _late: bool = field(default=False)

    @property
    def ended(self) -> bool:
        """Whether the child has ended, or is ended now because its time is over."""
        if self._status is None:
            self._late = time.monotonic() > self.deadline
            if self._late:
                os.kill(self.pid, signal.SIGKILL)
            pid, status = os.waitpid(self.pid, 0 if self._late else os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None

    def wait(self) -> Outcome:
        """The outcome, once there is one."""
        while not self.ended:
            time.sleep(0.02)
        code = None if self._late else os.waitstatus_to_exitcode(self._status or 0)
        return Outcome(code, self.log.read_text(encoding="utf-8", errors="replace"))


def start(copy: Path, arguments: Sequence[str], *, compiled: bool = False, limit: float = 3600) -> Run:
    """Start pytest in a copy of the packages. `compiled` lets it keep compiled files; the limit is in seconds."""
    log = copy / "pytest.log"
    pid = os.fork()
    if pid:
        return Run(pid, copy, log, time.monotonic() + limit)
    code = 70
    try:
        _become(copy, log, compiled=compiled)
        code = int(pytest.main(list(arguments)))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _become(copy: Path, log: Path, *, compiled: bool) -> None:
    """Turn this child into a process that was started in the copy and imports from it."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (sys.stdout.fileno(), sys.stderr.fileno()):
        os.dup2(output, descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    os.chdir(copy)
    os.environ.pop("PYTEST_ADDOPTS", None)
    sys.dont_write_bytecode = not compiled
    sys.path[:0] = [str(copy), str(copy / "tests" / "mutation")]
    importlib.invalidate_caches()
