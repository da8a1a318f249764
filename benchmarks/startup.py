"""Start-up: `arrayol --help` as a multiple of a bare `python -c "import click"`, and processor seconds of imports.

Run it with an environment that has arrayol installed:

    .venv/bin/python benchmarks/startup.py --pairs 40

The two commands alternate, each pair gives a ratio, and the median of the ratios is the result: what slows the
machine for a while slows both halves of a pair. The budget is 2.

The least processor seconds of a few runs of `import arrayol.api`, of checking a small file, and of all that the
commands `transfers` and `layout` import stand beside their budgets and, with `--beside OTHER/bin/python`, beside those
of another environment, each pair of runs one after the other.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

BASE = [sys.executable, "-c", "import click"]
HELP = [str(Path(sys.executable).with_name("arrayol")), "--help"]
SMALL = "elementary twice(x: i32[4]) -> (y: i32[4]) { y[i] = 2 * x[i] for i in 0..4 }\n"
CHECK = "from arrayol.cli.main import run; raise SystemExit(run(['check', 'small.aol']))"
STARTS = {  # processor seconds, and the program that takes them: a command's module and what it calls
    "import arrayol.api": (0.3, "import arrayol.api"),
    "arrayol check small.aol": (0.3, CHECK),
    "imports of transfers": (0.8, "import arrayol.cli.commands.transfers; from arrayol import api; api.transfers"),
    "imports of layout": (0.8, "import arrayol.cli.commands.layout; from arrayol import api; api.layout"),
}


def main() -> None:
    """Print the median ratio, the quartiles and both medians in milliseconds; then each start beside its budget."""
    parser = argparse.ArgumentParser(description="start-up of arrayol --help against a bare import of click")
    parser.add_argument("--pairs", type=int, default=40, help="alternations of the two commands")
    parser.add_argument("--beside", metavar="PYTHON", help="the Python of another environment")
    parser.add_argument("--runs", type=int, default=5, help="runs of each start")
    options = parser.parse_args()
    pairs = measure(options.pairs)
    ratios = [shown / base for base, shown in pairs]
    low, middle, high = statistics.quantiles(ratios if len(ratios) > 1 else 2 * ratios, n=4)
    base, shown = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
    sys.stdout.write(
        f"{middle:.2f} times import click (quartiles {low:.2f} to {high:.2f}, {len(pairs)} pairs): "
        f"{base:.1f} ms and {shown:.1f} ms\n"
    )
    pythons = [python for python in (sys.executable, options.beside) if python]
    with TemporaryDirectory() as folder:
        (Path(folder) / "small.aol").write_text(SMALL, encoding="utf-8")
        for name, (budget, program) in STARTS.items():
            taken = [
                [processor_seconds([python, "-c", program], folder) for python in pythons] for _ in range(options.runs)
            ]
            figures = " s, beside ".join(f"{min(column):.2f}" for column in zip(*taken, strict=True))
            sys.stdout.write(f"{name}: {figures} s (budget {budget} s)\n")
    sys.stdout.write(f"{environment()}\n")


def measure(count: int) -> list[tuple[float, float]]:
    """Seconds of both commands, in alternation; a first pair fills the caches and does not count."""
    return [(seconds(BASE), seconds(HELP)) for _ in range(count + 1)][1:]


def seconds(command: list[str]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def processor_seconds(command: list[str], folder: str) -> float:
    """User and system time of one run in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment() -> str:
    """The machine and the versions that the numbers belong to."""
    packages = " ".join(f"{name} {version(name)}" for name in ("arrayol", "click"))
    return (
        f"{packages}, Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
