"""How much faster two worker processes are than one.

    .venv/bin/python benchmarks/workers.py --pairs 5

Each case is an exploration that is run with one process and with two in turn, each time in a Python of its own.
`start` is the time until all workers have answered, `search` that to find the fronts of all groups, `simulate` and
`steps` those for the designs of the front, with what it takes to send work. `command` is all of it, with what does not
run in parallel: reading, combining groups to whole designs, plots and files. Times are of the clock on the wall: the
machine should be quiet. `tasks` says how long what is sent at a time takes (aim: at least a tenth of a second).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from arrayol import api
from dse.jobs import pools, runner
from dse.jobs.pools import Processes

SPECS = Path(__file__).parents[1] / "specs"
CASES = {
    "lpsf, mapping options, simulated": ("lpsf", {"H": "540", "W": "960"}, False),
    "harris, plain": ("harris", {}, True),
}


def main() -> None:
    """Print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--run", nargs=2, metavar=("CASE", "WORKERS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        say(json.dumps(measured(options.run[0], int(options.run[1]))))
        return
    say(f"arrayol {version('arrayol')}, Python {platform.python_version()}, {os.cpu_count()} cores")
    for name in CASES:
        alone, both = zip(*((run(name, 1), run(name, 2)) for _ in range(options.pairs)), strict=True)
        for phase in ("search", "simulate", "steps", "command"):
            if alone[0][phase]:
                say(f"{name}, {phase}: {compared(phase, alone, both)}")
        say(f"{name}, start: {median(run['start'] for run in both):.2f} s with 2")
        tasks = sorted(seconds for run in both for seconds in run["tasks"])
        short = sum(seconds < 0.1 for seconds in tasks) / len(tasks)
        say(f"{name}, tasks: {len(tasks)}, median {median(tasks):.2f} s, {short:.0%} below 0.1 s")


def say(text: str) -> None:
    """A line on stdout, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def compared(phase: str, alone: Sequence[dict[str, Any]], both: Sequence[dict[str, Any]]) -> str:
    """The medians and the ratios of the pairs."""
    slow, fast = ([run[phase] for run in side] for side in (alone, both))
    ratios = sorted(left / right for left, right in zip(slow, fast, strict=True))
    return (
        f"{median(slow):.2f} s with 1, {median(fast):.2f} s with 2: {median(ratios):.2f} times as fast "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f}, {len(ratios)} pairs)"
    )


def run(name: str, workers: int) -> dict[str, Any]:
    """One measurement in a process of its own."""
    command = [sys.executable, __file__, "--run", name, str(workers)]
    seconds: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return seconds


def measured(name: str, workers: int) -> dict[str, Any]:
    """Seconds of the phases of one exploration, and of each task that was sent."""
    spec, consts, narrow = CASES[name]
    phases: list[float] = []
    tasks: list[float] = []
    runner.JobRunner.do = timed(runner.JobRunner.do, phases)  # type: ignore[method-assign]
    result = Processes.result

    def noted(self: Processes, task: Any) -> Any:
        outcome = result(self, task)
        tasks.append(outcome[1])
        return outcome

    Processes.result = noted  # type: ignore[method-assign]
    starts: list[float] = []
    pools.processes = answered(pools.processes, workers, starts)
    runner.processes = pools.processes
    started = perf_counter()
    with TemporaryDirectory() as folder:
        loaded = api.load(SPECS / f"{spec}.aol", consts)
        space = api.Space(narrow=narrow, verify=not narrow)
        resources = api.Resources(workers, folder=Path(folder) / "out")
        api.write_result(api.explore(loaded, space=space, resources=resources), Path(folder) / "out")
    search, *simulate, steps = phases
    seconds = {"start": sum(starts), "search": search, "simulate": sum(simulate), "steps": steps}
    return {**seconds, "command": perf_counter() - started, "tasks": tasks}


def answered(open_pool: Callable[..., Any], workers: int, seconds: list[float]) -> Callable[..., Any]:
    """The same pool, its workers up before there is work."""

    @contextmanager
    def opened(count: int) -> Iterator[Processes]:
        with open_pool(count) as pool:
            started = perf_counter()
            wait([pool.submit(None, []) for _ in range(workers)])
            seconds.append(perf_counter() - started)
            yield pool

    return opened


def timed(do: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    """The same function, which notes how long it takes."""

    def clocked(*given: Any, **named: Any) -> Any:
        started = perf_counter()
        try:
            return do(*given, **named)
        finally:
            seconds.append(perf_counter() - started)

    return clocked


if __name__ == "__main__":
    main()
