"""How long the bank layout takes: partitions of 10,000 references, searches for the fewest banks, unrolling, rewriting.

    .venv/bin/python benchmarks/layout.py --rounds 5

Each line has the median and the quartiles of several rounds; the aim is below a second for each. Partition and renaming
are also timed on a tenth of the references: the ratio of the two times tells how they grow (10 is linear).
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import product
from pathlib import Path

from arrayol.checks.check import load_checked
from hwmodel.banks.custom import custom_layout, rename
from hwmodel.banks.emit_aol import rewritten
from hwmodel.banks.linear import smallest_linear
from hwmodel.banks.nest import unrolled_nest
from hwmodel.banks.partition import PARTITIONS
from hwmodel.banks.references import ArrayInfo, NormalisedLoop, Reference, Subscript

SPECS = Path(__file__).parents[1] / "specs"
COUNT = 10_000
Offsets = Sequence[tuple[int, ...]]

JACOBI: Offsets = [(-1, 0), (1, 0), (0, -1), (0, 1)]
RING: Offsets = [(i, j) for i in range(3) for j in range(3) if (i, j) != (1, 1)]
STAR: Offsets = [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]


def stencil(offsets: Offsets, *factors: int) -> tuple[Reference, ...]:
    """The references of a stencil at these offsets, unrolled by factors."""
    return tuple(
        Reference(
            "x",
            write=False,
            subscripts=tuple(
                Subscript(tuple(factor * (axis == loop) for loop in range(len(factors))), place + step)
                for axis, (factor, place, step) in enumerate(zip(factors, offset, copy, strict=True))
            ),
            copy=copy,
            number=number,
        )
        for copy in product(*map(range, factors))
        for number, offset in enumerate(offsets)
    )


def scattered(count: int) -> tuple[Reference, ...]:
    """References in two dimensions with many strides, several indices and large offsets."""
    choice = random.Random(1)
    factors = [0, 6, 10, 12, 15, 30, -20, 60, 84]
    return tuple(
        Reference(
            "x",
            write=False,
            subscripts=tuple(
                Subscript((choice.choice(factors), choice.choice(factors)), choice.randrange(10**9)) for _ in range(2)
            ),
            number=number,
        )
        for number in range(count)
    )


def partitions(references: tuple[Reference, ...], mode: str) -> None:
    """Partition and rename."""
    rename(PARTITIONS[mode](references), ArrayInfo("x", (10**10, 10**10), live_in=True, live_out=False))


def search(offsets: Offsets, *factors: int) -> None:
    """The fewest banks of a stencil."""
    loops = tuple(NormalisedLoop(f"i{axis}", 1000) for axis in range(len(factors)))
    smallest_linear([(stencil(offsets, *factors), loops)])


def kernel(name: str, *factors: int) -> None:
    """Unroll, with the test of dependences, lay out on 8 banks and rewrite."""
    spec = load_checked(SPECS / f"{name}.aol")
    rewritten(spec, name, factors, custom_layout(unrolled_nest(spec, name, factors), 8))


def times(rounds: int, work: Callable[..., None], *arguments: object) -> list[float]:
    """Milliseconds of each round."""
    milliseconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work(*arguments)
        milliseconds.append(1000 * (time.perf_counter() - start))
    return milliseconds


def show(name: str, rounds: list[float], remark: str = "") -> None:
    """Median and quartiles."""
    low, middle, high = statistics.quantiles(rounds if len(rounds) > 1 else 2 * rounds, n=4)
    sys.stdout.write(f"{name:<58}{middle:8.1f} ms ({low:.1f} to {high:.1f}){remark}\n")
    sys.stdout.flush()


def growth(rounds: int) -> None:
    """Partition and renaming of 10,000 references and of a tenth."""
    sets = {
        "unrolled stencil": (stencil(JACOBI, 50, 50), stencil(JACOBI, 25, 10)),
        "scattered": (scattered(COUNT), scattered(COUNT // 10)),
    }
    for (name, (many, few)), mode in product(sets.items(), PARTITIONS):
        pairs = [(times(1, partitions, few, mode)[0], times(1, partitions, many, mode)[0]) for _ in range(rounds)]
        ratio = statistics.median(other / one for one, other in pairs)
        label = f"partition ({mode}) and rename {len(many):,}: {name}"
        show(label, [other for _, other in pairs], f", {ratio:.1f} times that of {len(few):,}")


def main(rounds: int) -> None:
    """Print the machine, then a line for each question."""
    versions = f"arrayol {version('arrayol')}, numpy {version('numpy')}, Python {platform.python_version()}"
    sys.stdout.write(f"{versions}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores\n")
    growth(rounds)
    searches: list[tuple[str, Offsets, tuple[int, ...]]] = [
        ("4-point stencil: 4 banks", JACOBI, (1, 1)),
        ("ring of 8: 9 banks", RING, (1, 1)),
        ("4-point stencil unrolled 2 x 2: 12 banks", JACOBI, (2, 2)),
        ("4-point stencil unrolled 4 x 4: 32 banks", JACOBI, (4, 4)),
        ("ring of 8 unrolled 4 x 4: 36 banks", RING, (4, 4)),
        ("7-point stencil in 3 dimensions: 7 banks", STAR, (1, 1, 1)),
        ("7-point stencil unrolled 2 x 2 x 2", STAR, (2, 2, 2)),
    ]
    for name, offsets, factors in searches:
        show(f"search, {name}", times(rounds, search, offsets, *factors))
    kernels = [("jacobi", (2, 2)), ("jacobi", (4, 4)), ("sobel", (4, 4)), ("matmul", (2, 2, 2)), ("fir", (8, 8))]
    for name, factors in kernels:
        label = f"load, unroll {'x'.join(map(str, factors))}, lay out and rewrite {name}"
        show(label, times(rounds, kernel, name, *factors))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="time the bank layout")
    parser.add_argument("--rounds", type=int, default=5)
    main(parser.parse_args().rounds)
