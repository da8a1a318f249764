"""Cases are judged in a process of its own, which may take only so much processor time and memory.

Processor time, not wall time: a busy machine changes nothing. Where the process ends in the middle of a case, that case
hung or broke it; the next case gets a new process.
"""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from case import Case, Outcome

GIB = 1 << 30
ASLEEP_SECONDS = 600  # a process that neither works nor answers is stuck; no measure of speed


@dataclass
class Guard:
    """Judges cases, each within `cpu_seconds` and `memory` bytes beyond what the program itself takes."""

    cpu_seconds: int = 20
    memory: int = GIB
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def judge(self, case: Case) -> Outcome:
        """What becomes of a case."""
        child = self._child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(BrokenPipeError):
            pickle.dump(case, child.stdin)
            child.stdin.flush()
        if not select.select([child.stdout], [], [], ASLEEP_SECONDS)[0]:
            self.close()
            return Outcome("it waits for something that never comes")
        try:
            outcome = pickle.load(child.stdout)
        except EOFError:
            code = child.wait()
            self.close()
            return Outcome(_end_of(code, self.cpu_seconds))
        assert isinstance(outcome, Outcome)
        return outcome

    def _start(self) -> subprocess.Popen[bytes]:
        self._child = subprocess.Popen(
            [sys.executable, __file__, str(self.cpu_seconds), str(self.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        return self._child

    def close(self) -> None:
        """End the process, and what it has started."""
        child, self._child = self._child, None
        if child is not None:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()


def _end_of(code: int, cpu_seconds: int) -> str:
    if code == -signal.SIGXCPU:
        return f"more than {cpu_seconds} s of processor time"
    return f"the process ends by {signal.Signals(-code).name}" if code < 0 else f"the process ends with {code}"


def _serve(cpu_seconds: int, memory: int, requests: IO[bytes], answers: IO[bytes]) -> None:
    """Judge what comes until the other side closes."""
    from judge import judge  # noqa: PLC0415  the program loads in the child alone

    while True:
        try:
            case: Any = pickle.load(requests)
        except EOFError:
            return
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + cpu_seconds + 1, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + memory, resource.RLIM_INFINITY))
        outcome = judge(case)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        pickle.dump(outcome, answers)
        answers.flush()


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent.parent)]
    with os.fdopen(os.dup(0), "rb") as own_input, os.fdopen(os.dup(1), "wb") as own_output:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        _serve(int(sys.argv[1]), int(sys.argv[2]), own_input, own_output)
