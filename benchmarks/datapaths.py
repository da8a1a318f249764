"""How long deriving takes: all elementaries of each shipped specification, at all their intervals, in CPU seconds.

    python benchmarks/datapaths.py [--technology ecp5-6] [--clock 20] [SPEC ...]

`graph` is the part until the body is a graph of operators; `all` is graph, schedules, folding, cost and energy at every
interval worth trying. Each is the least of three runs. A body that cannot be derived is told and left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Elementary
from hwmodel.datapath import derive
from hwmodel.datapath.graph.build import build_graph
from hwmodel.datapath.technology.technology import Technology, load_technology

SPECS = Path(__file__).resolve().parents[1] / "specs"
RUNS = 3


def seconds(work: Callable[[], object]) -> float:
    """The least CPU time of some runs."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def derive_all(elementaries: list[Elementary], technology: Technology, clock_mhz: float) -> int:
    """Derive everything anew; the number of datapaths."""
    derive._derivation.cache_clear()  # noqa: SLF001  each run starts from nothing
    count = 0
    for elementary in elementaries:
        derivation = derive.derivation_of(elementary, technology, clock_mhz)
        for interval in derivation.intervals:
            derivation.at(interval)
            count += 1
    return count


def derivable(elementaries: list[Elementary], technology: Technology, clock_mhz: float) -> list[Elementary]:
    """Those that have a datapath; the others are told."""
    kept = []
    for elementary in elementaries:
        try:
            derive.derivation_of(elementary, technology, clock_mhz)
        except ArrayolError as refused:
            print(f"  {elementary.name}: {refused.diagnostics[0].message}")  # noqa: T201
        else:
            kept.append(elementary)
    return kept


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", type=Path, default=sorted(SPECS.glob("*.aol")))
    parser.add_argument("--technology", default="ecp5-6")
    parser.add_argument("--clock", type=float, default=20.0)
    options = parser.parse_args()
    technology = load_technology(options.technology)
    versions = f"arrayol {version('arrayol')}, numpy {version('numpy')}, Python {platform.python_version()}"
    print(f"{versions}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores")  # noqa: T201
    print("| specification | nodes | datapaths | graph, s | all, s |\n|---|---|---|---|---|")  # noqa: T201
    for path in options.specs:
        elementaries = derivable(list(api.load(path).elementaries.values()), technology, options.clock)
        nodes = sum(len(build_graph(elementary)) for elementary in elementaries)
        graph = seconds(lambda: [build_graph(elementary) for elementary in elementaries])  # noqa: B023
        count = derive_all(elementaries, technology, options.clock)
        whole = seconds(lambda: derive_all(elementaries, technology, options.clock))  # noqa: B023
        print(f"| {path.stem} | {nodes:,} | {count} | {graph:.3f} | {whole:.3f} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
