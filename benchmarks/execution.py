"""Speed and memory of the reference execution against SciPy and NumPy that compute the same.

Run it with an environment that has arrayol[test] installed:

    .venv/bin/python benchmarks/execution.py --pairs 7

LPSF is measured against four `scipy.signal.lfilter` calls, a 3 x 3 convolution against `scipy.ndimage.convolve`, both
on 1080 x 1920 in f32, a product of two 256 x 256 matrices in f64 against the sum of outer products in NumPy, and one
recurrence of length 10^6 and a triangular solve, which have nothing to vectorise, against the same loop in plain
Python. The two sides of a pair run one after the other in one process, each pair gives a ratio, and the median of the
ratios is the result: what slows the machine for a while slows both halves of a pair. Each result is compared with the
other side's before anything is measured. Peak memory is tracemalloc's, in multiples of the live arrays: the largest
sum of inputs, outputs and intermediate arrays that exist together.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import convolve
from scipy.signal import lfilter

from arrayol.checks.check import load_checked
from arrayol.execute.run import execute
from arrayol.ir.spec import Spec

Array = NDArray[Any]
SPECS = Path(__file__).parents[1] / "specs"
H, W, N = 1080, 1920, 256

CONV3X3 = f"""
elementary weigh(x: f32[3, 3], w: f32[3, 3]) -> (y: f32) {{ y += w[i, j] * x[i, j] for i in 0..3, j in 0..3 }}
task conv3x3(image: f32[{H}, {W}], kernel: f32[3, 3]) -> (out: f32[{H}, {W}]) {{
  repeat [{H}, {W}] of weigh {{
    x <- image  at origin [-1, -1] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] wrap
    w <- kernel at origin [0, 0] paving [0, 0; 0, 0] fitting [1, 0; 0, 1]
    y -> out    at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }}
}}"""
MATMUL = f"""
elementary matmul(a: f64[{N}, {N}], b: f64[{N}, {N}]) -> (c: f64[{N}, {N}]) {{
  c[i, j] += a[i, k] * b[k, j] for i in 0..{N}, j in 0..{N}, k in 0..{N}
}}"""
RECURRENCE = """
elementary recurrence(x: f64[1000000]) -> (y: f64[1000000]) {
  y[0] = x[0]
  y[k] = 0.5 * y[k - 1] + 0.5 * x[k] for k in 1..1000000
}"""
SOLVE = f"""
elementary solve(a: f64[{N}, {N}], b: f64[{N}]) -> (x: f64[{N}]) {{
  loop i in 0..{N} {{
    x[i] = b[i]
    x[i] += -a[i, j] * x[j] for j in 0..i
    x[i] = x[i] / a[i, i]
  }}
}}"""


@dataclass(frozen=True)
class Case:
    """A task of a specification and another way to compute its outputs, with the inputs of both."""

    spec: Spec
    task: str
    inputs: dict[str, Array]
    other: str
    compute: Callable[..., Array]
    exact: bool

    def run(self) -> Array:
        """The task's one output."""
        return next(iter(execute(self.spec, self.task, self.inputs).values()))

    def check(self) -> None:
        """Both ways agree, to the bit or to f32's rounding."""
        found, expected = self.run(), self.compute(**self.inputs)
        if self.exact:
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def cases() -> list[Case]:
    """What is measured."""
    rng = np.random.default_rng(1)
    image = rng.random((H, W), np.float32)
    a, b = rng.random((2, N, N))
    low = np.tril(a) / N + np.eye(N)
    kernel = rng.random((3, 3), np.float32)
    long = rng.random(1_000_000)
    lpsf = load_checked(SPECS / "lpsf.aol", {"H": str(H), "W": str(W)})
    return [
        Case(lpsf, "lpsf", {"p0": image}, "4 lfilter", four_filters, True),
        Case(
            parsed(CONV3X3), "conv3x3", {"image": image, "kernel": kernel}, "ndimage.convolve", ndimage_convolve, False
        ),
        Case(parsed(MATMUL), "matmul", {"a": a, "b": b}, "outer products", outer_products, True),
        Case(parsed(RECURRENCE), "recurrence", {"x": long}, "a Python loop", recurrence, True),
        Case(parsed(SOLVE), "solve", {"a": low, "b": b[0]}, "a Python loop", solve, True),
    ]


def parsed(text: str) -> Spec:
    """The checked specification of a text."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path("case.aol").write_text(text, encoding="utf-8")
        return load_checked(Path("case.aol"))


def four_filters(p0: Array) -> Array:
    """LPSF: y[j] = 0.5 y[j - 1] + 0.5 x[j] from the left, the top, the right and the bottom."""
    b, a = np.array([0.5], np.float32), np.array([1, -0.5], np.float32)
    rightward = lfilter(b, a, p0, axis=1)
    downward = lfilter(b, a, rightward, axis=0)
    leftward = lfilter(b, a, downward[:, ::-1], axis=1)[:, ::-1]
    found: Array = lfilter(b, a, leftward[::-1], axis=0)[::-1]
    return found


def ndimage_convolve(image: Array, kernel: Array) -> Array:
    """The windows of a torus, weighed."""
    found: Array = convolve(image, kernel[::-1, ::-1], mode="wrap")
    return found


def outer_products(a: Array, b: Array) -> Array:
    """The sum over k, one after the other, of column k of a times row k of b."""
    c = np.zeros((len(a), b.shape[1]))
    for k in range(len(b)):
        c += a[:, k, None] * b[k]
    return c


def recurrence(x: Array) -> Array:
    """One lane, one element at a time."""
    values = x.tolist()
    found = [values[0]]
    for value in values[1:]:
        found.append(0.5 * found[-1] + 0.5 * value)
    return np.array(found)


def solve(a: Array, b: Array) -> Array:
    """Forward substitution with plain Python numbers."""
    rows, found = a.tolist(), []
    for row, value in zip(rows, b.tolist(), strict=True):
        total = value
        for factor, known in zip(row, found, strict=False):
            total = total + -factor * known
        found.append(total / row[len(found)])
    return np.array(found)


def seconds(compute: Callable[[], Array]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    compute()
    return time.perf_counter() - start


def measure(case: Case, pairs: int) -> str:
    """A line: the median ratio, its quartiles, both medians."""
    case.check()
    times = [(seconds(lambda: case.compute(**case.inputs)), seconds(case.run)) for _ in range(pairs)]
    ratios = [own / other for other, own in times]
    low, middle, high = statistics.quantiles(ratios if len(ratios) > 1 else 2 * ratios, n=4)
    other, own = (statistics.median(side) * 1000 for side in zip(*times, strict=True))
    return (
        f"{case.task}: {middle:.2f} times {case.other} (quartiles {low:.2f} to {high:.2f}, {pairs} pairs): "
        f"{other:.1f} ms and {own:.1f} ms"
    )


def peak(case: Case, live: int) -> str:
    """A line: peak memory of an execution and its inputs, in multiples of `live` bytes."""
    tracemalloc.start()
    case.run()
    used = tracemalloc.get_traced_memory()[1] + sum(array.nbytes for array in case.inputs.values())
    tracemalloc.stop()
    return f"{case.task}: {used / live:.2f} times its live arrays of {live / 2**20:.1f} MiB"


def environment() -> str:
    """The machine and the versions that the numbers belong to."""
    packages = " ".join(f"{name} {version(name)}" for name in ("arrayol", "numpy", "scipy"))
    return (
        f"{packages}, Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores"
    )


def main() -> None:
    """Print the ratios of time, the peaks of memory, and where they were measured."""
    parser = argparse.ArgumentParser(description="the reference execution against SciPy and NumPy")
    parser.add_argument("--pairs", type=int, default=7, help="alternations of the two ways")
    pairs = parser.parse_args().pairs
    measured = cases()
    for case in measured:
        sys.stdout.write(f"{measure(case, pairs)}\n")
    image = 4 * H * W
    for case in measured[:2]:
        sys.stdout.write(f"{peak(case, 2 * image)}\n")
    sys.stdout.write(f"{environment()}\n")


if __name__ == "__main__":
    main()
