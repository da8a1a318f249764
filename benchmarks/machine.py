"""How many group designs a second the machine model prices, how that grows, and zigzag-dse beside it.

    .venv/bin/python benchmarks/machine.py
    .venv/bin/python benchmarks/machine.py --zigzag OTHER/bin/python    # an environment with zigzag-dse and six

Processor time of one core, in this order: the narrow space of LPSF (all groups, sides that divide the extents, all
legal scans, units 1 to 4) at several sizes; the same for chains of other lengths; the same where units cost nothing,
so that of each structure (blocks and scan) one combination stands for all; the exact path on a few designs.

What is counted: here a group design (blocks, scan and units of a group of fused tasks) with its cycles, local memory,
traffic and legality; in zigzag-dse an evaluation of its cost model: one spatial and temporal mapping of one layer of
a neural network on an accelerator with a memory hierarchy, with energy and latency. Neither is the other's work.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core

import argparse
import json
import platform as machine
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
from graphs import TEXTS

from arrayol.checks.check import check_source
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from hwmodel.cost_model.evaluate.evaluation import fastest, price
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, Scan
from hwmodel.platform import load_platform

ROOT = Path(__file__).resolve().parents[1]
SIZES = ((240, 320), (480, 640), (1080, 1920), (2160, 3840))
CHAINS = (2, 6, 8)
LONGEST = 4  # tasks in a group of a chain: units alone give 4^tasks designs of a structure
DIRECTIONS = ("rightward", "downward", "leftward", "upward")


@dataclass(frozen=True)
class Rate:
    """What was priced, and in how many seconds of processor time."""

    structures: int
    designs: int
    seconds: float

    def __str__(self) -> str:
        each = self.designs / self.seconds
        return f"{self.structures:,} structures, {self.designs:,} designs, {self.seconds:.2f} s: {each:,.0f} a second"


def filters(tasks: int, rows: int, columns: int) -> MachineModel:
    """A chain of recursive filters as in lpsf.aol, `tasks` of them, on pictures of rows x columns."""
    text = (ROOT / "specs" / "lpsf.aol").read_text(encoding="utf-8")
    head = text[: text.index("task hflr")]
    parts = [head.replace("const H = 1080", f"const H = {rows}").replace("const W = 1920", f"const W = {columns}")]
    for number in range(tasks):
        tiler = DIRECTIONS[number % 4]
        space = "[H, W / 4]" if tiler in ("rightward", "leftward") else "[W, H / 4]"
        parts.append(
            f"task t{number}(src: f32[H, W]) -> (dst: f32[H, W]) {{ repeat {space} of smooth {{\n"
            f"  x <- src at {tiler} prev <- last delay [0, 1] else 0 y -> dst at {tiler}\n}} }}\n"
        )
    calls = "".join(f"  p{number + 1} = t{number}(p{number})\n" for number in range(tasks))
    parts.append(f"task chain(p0: f32[H, W]) -> (p{tasks}: f32[H, W]) {{\n{calls}}}\n")
    spec = check_source(SourceFile("chain.aol", "".join(parts))).spec
    if spec is None:
        raise SystemExit("the chain does not check")
    return MachineModel(flatten(spec, "chain"), load_platform(ROOT / "specs" / "lpsf.toml"))


def groups(model: MachineModel, longest: int = LONGEST) -> Iterator[tuple[str, ...]]:
    """The groups of a chain, up to `longest` tasks each."""
    names = tuple(f"t{number}" for number in range(len(model.network.processes)))
    for first, last in product(range(len(names)), repeat=2):
        if first <= last < first + longest:
            yield names[first : last + 1]


def divisors(extent: int) -> list[int]:
    """The sides that divide an extent."""
    return [side for side in range(1, extent + 1) if extent % side == 0]


def structures(model: MachineModel, task: str) -> tuple[tuple[Scan, ...], np.ndarray]:
    """Scans and block shapes of a group that ends with a task."""
    extents = model.accesses.extents(task)
    return model.legal_scans(task, (1,) * len(extents)), np.array(list(product(*map(divisors, extents))))


def bulk(model: MachineModel) -> Rate:
    """The whole narrow space."""
    began = time.process_time()
    count = designs = 0
    for tasks in groups(model):
        batch = model.batch(tasks)
        if batch is None:
            raise SystemExit(f"{' '.join(tasks)} is not separable")
        scans, shapes = structures(model, tasks[-1])
        units = np.array(list(product((1, 2, 3, 4), repeat=len(tasks))))
        for scan in scans:
            designs += price(batch.tables(scan, shapes), units).latency_cycles.size
            count += len(shapes)
    return Rate(count, designs, time.process_time() - began)


def of_fastest(model: MachineModel) -> Rate:
    """The narrow space without a bound on the groups' length, units that a front does not need left out."""
    began = time.process_time()
    count = designs = 0
    for tasks in groups(model, len(model.network.processes)):
        batch = model.batch(tasks)
        if batch is None:
            raise SystemExit(f"{' '.join(tasks)} is not separable")
        scans, shapes = structures(model, tasks[-1])
        for scan in scans:
            fastest(batch.tables(scan, shapes), [(1, 2, 3, 4)] * len(tasks))
            count += len(shapes)
            designs += len(shapes) * 4 ** len(tasks)
    return Rate(count, designs, time.process_time() - began)


def one_by_one(model: MachineModel, number: int) -> Rate:
    """Some structures by the exact path, under all combinations of units."""
    rng = np.random.default_rng(1)
    began = time.process_time()
    designs = 0
    every = list(groups(model))
    for _ in range(number):
        tasks = every[int(rng.integers(len(every)))]
        scans, shapes = structures(model, tasks[-1])
        shape = tuple(int(side) for side in shapes[rng.integers(len(shapes))])
        units = np.array(list(product((1, 2, 3, 4), repeat=len(tasks))))
        blocks = Blocks(shape, scans[int(rng.integers(len(scans)))])
        designs += model.price_structure(GroupDesign(tuple(map(Processor, tasks)), blocks), units).legal.size
    return Rate(number, designs, time.process_time() - began)


def coupled(name: str, text: str, number: int, exact: int) -> Iterator[str]:
    """Groups of a specification in which tilers couple dimensions, in bulk and element by element."""
    spec = check_source(SourceFile(f"{name}.aol", text)).spec
    if spec is None:
        raise SystemExit(f"{name} does not check")
    model = MachineModel(flatten(spec, name), load_platform(ROOT / "specs" / "stereo.toml"))
    names, rng = tuple(model.network.processes), np.random.default_rng(1)
    for tasks in (names[first:last] for first in range(len(names)) for last in range(first + 1, len(names) + 1)):
        batch, (scans, shapes) = model.batch(tasks), structures(model, tasks[-1])
        if batch is None:
            raise SystemExit(f"{' '.join(tasks)} is not separable")
        chosen, units = shapes[rng.permutation(len(shapes))[:number]], np.ones((1, len(tasks)), np.int64)
        began = time.process_time()
        price(batch.tables(scans[0], chosen), units)
        bulk = (time.process_time() - began) / len(chosen)
        began = time.process_time()
        for shape in chosen[:exact].tolist():
            model.exact(GroupDesign(tuple(map(Processor, tasks)), Blocks(tuple(shape), scans[0])))
        each = (time.process_time() - began) / exact
        yield (
            f"{' '.join(tasks)}: {1e3 * bulk:.1f} ms a structure of {len(chosen)}, element by element "
            f"{1e3 * each:,.0f} ms: {each / bulk:,.0f} times"
        )


def zigzag(python: Path, seconds: float) -> str:
    """Its evaluations a second, in its own environment."""
    script = Path(__file__).with_name("machine_zigzag.py")
    done = subprocess.run([python, script, str(seconds)], capture_output=True, text=True, check=True)
    priced = json.loads(done.stdout.splitlines()[-1])
    each = priced["evaluated"] / priced["seconds"]
    return (
        f"zigzag-dse {priced['version']}, AlexNet on its TPU-like accelerator: {priced['evaluated']:,} evaluations, "
        f"{priced['seconds']:.2f} s: {each:,.0f} a second"
    )


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """All measurements in one run."""
    parser = argparse.ArgumentParser(description="group designs a second")
    parser.add_argument("--zigzag", type=Path, help="the Python of an environment with zigzag-dse and six")
    parser.add_argument("--exact", type=int, default=5, help="structures to price by the exact path")
    arguments = parser.parse_args()
    what = f"arrayol {version('arrayol')}, numpy {version('numpy')}, Python {machine.python_version()}"
    say(f"{what}, {machine.system()} {machine.machine()}, {os.cpu_count()} cores; processor time of one")
    for rows, columns in SIZES:
        say(f"LPSF {columns} x {rows}: {bulk(filters(4, rows, columns))}")
    for tasks in CHAINS:
        say(f"chain of {tasks} filters, groups up to {LONGEST}, 1920 x 1080: {bulk(filters(tasks, 1080, 1920))}")
    for tasks in CHAINS:
        say(f"chain of {tasks} filters, all groups, units left out: {of_fastest(filters(tasks, 1080, 1920))}")
    say(f"exact path, LPSF 640 x 480: {one_by_one(filters(4, 480, 640), arguments.exact)}")
    for name, text in TEXTS.items():
        for line in coupled(name, text(), 200, arguments.exact):
            say(line)
    if arguments.zigzag:
        say(zigzag(arguments.zigzag, 15))
    say(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
