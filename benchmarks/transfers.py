"""How long the load and store sets of tiles take, and how that grows with nest depth and references.

    .venv/bin/python benchmarks/transfers.py --repeats 7

Each line is the median of some runs, in milliseconds: `nest` proves the schedule and its tiles legal, `sets` computes
In, Out, Load and Store by set difference (theorem 1 of Alias, Darte, Plesco 2011), `lexicographic` by first and last
accesses (theorem 2), `text` makes readable conditions of them. The aims: the polynomial product in milliseconds, the
3-D stencil of 7 points below a second.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arrayol.checks.check import load_sound
from arrayol.checks.nest import NestRequest, open_nest, open_program
from arrayol.errors import ArrayolError
from arrayol.tiling.conditions import conditions
from arrayol.tiling.enumerate import tile_set
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest, Traffic

POLYPROD = """const N = 100
elementary e(a: f32[N + 1], b: f32[N + 1]) -> (c: f32[2 * N + 1]) {
  c[i + j] += a[i] * b[j]  for i in 0..N + 1, j in 0..N + 1
}
"""
NAMES = "ijklm"
HEADS, WIDTHS = ("nest", "sets", "lexicographic", "text"), (9, 9, 15, 9)


@dataclass(frozen=True)
class Case:
    """A nest of one statement, its schedule, and the consts that stay symbolic."""

    label: str
    text: str
    schedule: str
    symbols: tuple[str, ...] = ()


def stencil(depth: int) -> str:
    """In place over `depth` dimensions: each inner point becomes the sum of itself and its 2 depth neighbours."""
    names = list(NAMES[:depth])
    shape = ", ".join(["N"] * depth)
    places = [", ".join(names)]
    for axis, step in product(range(depth), ("- 1", "+ 1")):
        moved = [f"{name} {step}" if axis == place else name for place, name in enumerate(names)]
        places.append(", ".join(moved))
    value = " + ".join(f"u[{place}]" for place in places)
    all_points = ", ".join(f"{name}{name} in 0..N" for name in names)
    first = f"u[{', '.join(name * 2 for name in names)}] = s[{', '.join(name * 2 for name in names)}]  for {all_points}"
    ranges = ", ".join(f"{name} in 1..N - 1" for name in names)
    head = f"const N = 64\nelementary e(s: f32[{shape}]) -> (u: f32[{shape}])"
    return f"{head} {{\n  {first}\n  u[{', '.join(names)}] = {value}  for {ranges}\n}}\n"


def window(references: int) -> str:
    """A 1-D filter over two loops that reads `references` elements."""
    value = " + ".join(f"x[{3 * place} + i + 2 * j]" for place in range(references))
    length = 300 + 3 * references
    head = f"const N = 64\nelementary e(x: f32[{length}]) -> (y: f32[N, N])"
    return f"{head} {{\n  y[i, j] = {value}  for i in 0..N, j in 0..N\n}}\n"


CASES = [
    Case("polynomial product, (N-j, i)", POLYPROD, "N-j, i"),
    Case("polynomial product, (i+j, i)", POLYPROD, "i+j, i"),
    Case("polynomial product, N symbolic", POLYPROD, "N-j, i", ("N",)),
    *(Case(f"{n}-D stencil of {2 * n + 1} points, in place", stencil(n), ", ".join(NAMES[:n])) for n in (1, 2, 3, 4)),
    Case("3-D stencil of 7 points, N symbolic", stencil(3), "i, j, k", ("N",)),
    *(Case(f"two loops, {n} references", window(n), "i, j") for n in (1, 2, 4, 8, 16, 32)),
]


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description="time of the load and store sets of tiles")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each case")
    repeats = parser.parse_args().repeats
    heads = "".join(f"{head:>{width}}" for head, width in zip(HEADS, WIDTHS, strict=True))
    sys.stdout.write(f"{f'median of {repeats} runs, ms':<40}{heads}\n")
    with TemporaryDirectory() as folder:
        for case in CASES:
            path = Path(folder) / "case.aol"
            path.write_text(case.text, encoding="utf-8")
            shown = ["given up" if value is None else f"{value:.1f}" for value in measured(case, path, repeats)]
            figures = "".join(f"{text:>{width}}" for text, width in zip(shown, WIDTHS, strict=True))
            sys.stdout.write(f"{case.label:<40}{figures}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{environment()}\n")


def measured(case: Case, path: Path, repeats: int) -> list[float | None]:
    """Milliseconds of each stage, None where isl gave up at its bound."""
    count = len(open_program(load_sound(path), "e").statements)
    request = NestRequest("e", [case.schedule], ("10",), [count], case.symbols)
    nest = open_nest(load_sound(path), request)
    moved = traffic(nest)
    stages: list[Callable[[], Any]] = [
        lambda: open_nest(load_sound(path), request),
        lambda: traffic(nest),
        lambda: traffic(nest, method="lexicographic"),
        lambda: texts(moved, nest),
    ]
    return [median(stage, repeats) for stage in stages]


def texts(moved: Traffic, nest: TiledNest) -> list[tuple[str, ...]]:
    """The readable conditions of all sets."""
    tiles = tile_set(nest)
    return [conditions(sets[name], nest, name, tiles) for sets in (moved.load, moved.store) for name in sets]


def median(stage: Callable[[], object], repeats: int) -> float | None:
    """The median time of a stage in milliseconds; a first run does not count."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        try:
            stage()
        except ArrayolError:
            return None
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times[1:])


def environment() -> str:
    """The machine and the versions that the numbers belong to."""
    packages = " ".join(f"{name} {version(name)}" for name in ("arrayol", "islpy", "numpy"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{packages}, Python {platform.python_version()}, {machine}"


if __name__ == "__main__":
    main()
