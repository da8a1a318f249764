"""Start-up time of `arrayol --help` as a multiple of a bare `python -c "import click"`.

Run it with an environment that has arrayol installed:

    .venv/bin/python benchmarks/startup.py --pairs 40

The two commands alternate, each pair gives a ratio, and the median of the ratios is the result: what slows the
machine for a while slows both halves of a pair. The budget is 2.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

BASE = [sys.executable, "-c", "import click"]
HELP = [str(Path(sys.executable).with_name("arrayol")), "--help"]


def main() -> None:
    """Print the median ratio, the quartiles and both medians in milliseconds."""
    parser = argparse.ArgumentParser(description="start-up of arrayol --help against a bare import of click")
    parser.add_argument("--pairs", type=int, default=40, help="alternations of the two commands")
    pairs = measure(parser.parse_args().pairs)
    ratios = [shown / base for base, shown in pairs]
    low, middle, high = statistics.quantiles(ratios, n=4)
    base, shown = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
    sys.stdout.write(
        f"{middle:.2f} times import click (quartiles {low:.2f} to {high:.2f}, {len(pairs)} pairs): "
        f"{base:.1f} ms and {shown:.1f} ms\n{environment()}\n"
    )


def measure(count: int) -> list[tuple[float, float]]:
    """Seconds of both commands, in alternation; a first pair fills the caches and does not count."""
    return [(seconds(BASE), seconds(HELP)) for _ in range(count + 1)][1:]


def seconds(command: list[str]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def environment() -> str:
    """The machine and the versions that the numbers belong to."""
    packages = " ".join(f"{name} {version(name)}" for name in ("arrayol", "click"))
    return (
        f"{packages}, Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
