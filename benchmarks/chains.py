"""How long the exact search takes for chains of small filters, and how large its fronts are.

    nice .venv/bin/python benchmarks/chains.py --longest-group 4

Each chain is a signal of N samples through real tasks, four kinds in turn: a window of five samples, a recursive filter
(a delay), a block transform of four, and a gain. `groups` is how many groups the fusions have and, in parentheses, how
many differ in more than names: those are searched. `G` is the time for their fronts, `F` that for whole designs,
`exhaustive` that of pricing every whole design where these are at most 20 million. The last column is the growth
exponent of the total against the chain before. The aim: less than a minute for 100 tasks with groups of up to 4.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import combine_groups, search_groups
from dse.search.exact.exhaustive import WHOLES_AT_MOST, search_exhaustively
from dse.search.figures import columns_of
from dse.search.isomorphic import IsomorphicGroups
from dse.space.mappings import MappingSpace
from dse.space.size import size_of
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import ExternalMemory, Platform

KINDS = {
    "window": """elementary window_of(x: f32[5]) -> (y: f32) {
  y = x[0] + 2 * x[1] + 3 * x[2] + 2 * x[3] + x[4]
}
task window(a: f32[N]) -> (b: f32[N]) {
  repeat [N] of window_of {
    x <- a at origin [-2] paving [1] fitting [1] wrap
    y -> b at origin [0] paving [1] fitting []
  }
}
""",
    "smooth": """elementary smooth_of(x: f32, prev: f32) -> (y: f32) {
  y = (x + prev) / 2
}
task smooth(a: f32[N]) -> (b: f32[N]) {
  repeat [N] of smooth_of {
    x <- a at origin [0] paving [1] fitting []
    prev <- y delay [1] else 0
    y -> b at origin [0] paving [1] fitting []
  }
}
""",
    "mix": """elementary mix_of(x: f32[4]) -> (y: f32[4]) {
  y[k] = x[k] - x[3 - k]  for k in 0..4
}
task mix(a: f32[N]) -> (b: f32[N]) {
  repeat [N / 4] of mix_of {
    x <- a at origin [0] paving [4] fitting [1]
    y -> b at origin [0] paving [4] fitting [1]
  }
}
""",
    "gain": """elementary gain_of(x: f32) -> (y: f32) {
  y = 3 * x
}
task gain(a: f32[N]) -> (b: f32[N]) {
  repeat [N] of gain_of {
    x <- a at origin [0] paving [1] fitting []
    y -> b at origin [0] paving [1] fitting []
  }
}
""",
}
OBJECTIVES = ("latency_cycles", "internal_memory_data")
PLATFORM = Platform(memory=ExternalMemory(latency=30, data_per_word=4), assume_datapaths=True)


def chain(tasks: int, samples: int) -> str:
    """A specification of so many calls, one after another, the four kinds in turn."""
    calls = []
    for number in range(tasks):
        result = "out" if number == tasks - 1 else f"s{number + 1}"
        source = "signal" if number == 0 else f"s{number}"
        calls.append(f"  {result} = {list(KINDS)[number % len(KINDS)]}({source})")
    used = list(KINDS.values())[: min(tasks, len(KINDS))]
    top = "\n".join(["task chain(signal: f32[N]) -> (out: f32[N]) {", *calls, "}"])
    return f"const N = {samples}\n{''.join(used)}{top}\n"


def space_of(text: str, longest: int, folder: Path) -> MappingSpace:
    """The plain designs of a chain with groups of at most so many tasks."""
    path = folder / "chain.aol"
    path.write_text(text, encoding="utf-8")
    study = narrowed(Study(longest_group=longest))
    return MappingSpace(MachineModel(flatten(api.load(path), "chain"), PLATFORM), study)


def main() -> None:
    """Print a line for each length."""
    parser = argparse.ArgumentParser(description="time and fronts of the exact search for chains of real tasks")
    parser.add_argument("--tasks", type=int, nargs="*", default=[4, 8, 16, 32, 64, 100])
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--longest-group", type=int, default=4)
    asked = parser.parse_args()
    heads = ("tasks", "groups", "designs of groups", "front", "load, s", "G, s", "F, s", "exhaustive, s", "exponent")
    sys.stdout.write("".join(f"{head:>18}" for head in heads) + "\n")
    before: tuple[int, float] | None = None
    with TemporaryDirectory() as folder:
        for tasks in asked.tasks:
            cells, total = measured(chain(tasks, asked.samples), asked.longest_group, Path(folder))
            grown = "" if before is None else f"{math.log(total / before[1]) / math.log(tasks / before[0]):.2f}"
            before = tasks, total
            sys.stdout.write("".join(f"{cell:>18}" for cell in (str(tasks), *cells, grown)) + "\n")
            sys.stdout.flush()
    sys.stdout.write(f"{environment()}\n")


def measured(text: str, longest: int, folder: Path) -> tuple[list[str], float]:
    """The cells of a line, and the seconds of the search."""
    space, loading = timed(lambda: space_of(text, longest, folder))
    columns = columns_of(OBJECTIVES, (), space.model, reuse_memory=False)
    context = SearchContext(space, columns)
    fronts, searching = timed(lambda: search_groups(context, SearchRequest(), JobRunner(), all_options=True))
    whole, combining = timed(lambda: combine_groups(context, fronts))
    isomorphic = IsomorphicGroups(space)
    different = sum(isomorphic.of(group) is None for group in space.groups)
    designs = sum(front.counts.size for front in fronts.values())
    cells = [f"{len(space.groups)} ({different})", f"{designs:,}", f"{len(whole.front):,}"]
    cells += [f"{loading:.2f}", f"{searching:.2f}", f"{combining:.2f}", exhaustive(space)]
    return cells, searching + combining


def exhaustive(space: MappingSpace) -> str:
    """Seconds to price every whole design, where they are not too many."""
    wholes = size_of(space).whole_designs
    if wholes is None or wholes > WHOLES_AT_MOST:
        return "too many" if wholes is None else f"{wholes:.1e} designs"
    columns = columns_of(OBJECTIVES, (), space.model, reuse_memory=False)
    context = SearchContext(space, columns)
    try:
        return f"{timed(lambda: search_exhaustively(context, SearchRequest(), JobRunner()))[1]:.2f}"
    except ArrayolError:
        return "too many"


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What work gives, and its seconds of processor time."""
    start = time.process_time()
    return work(), time.process_time() - start


def environment() -> str:
    """The machine and the versions that the numbers belong to."""
    packages = " ".join(f"{name} {version(name)}" for name in ("arrayol", "numpy"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{packages}, Python {platform.python_version()}, {machine}; seconds of processor time"


if __name__ == "__main__":
    main()
